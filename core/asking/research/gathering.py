"""Decide one question of a plan: an answer, else the words of the section that it asks about, else nothing."""

from collections.abc import Iterator

from core.asking.answering.composition import Preview
from core.asking.answering.decision import End, decide
from core.asking.answering.preparation import Asking
from core.asking.answering.progress import Progress
from core.asking.generation.extractive import PROVIDER
from core.asking.research.quoting import quote_section
from core.language.i18n.translation import say, translatable
from core.types import Listener, QueryState, RefusalReason
from core.values.research import Outcome

SAYS_MORE = translatable("There is more on this in the document: open it at a citation.")
# After these there is nothing to quote, or nothing that may be.
_FINAL = (RefusalReason.OVER_QUOTA, RefusalReason.MODEL_UNAVAILABLE, RefusalReason.INVALID_QUESTION)


class Gathering:
    """The decision of one question. Used once; `outcome` is that of the last end that was yielded."""

    def __init__(self, *, is_placed: bool) -> None:
        """is_placed: the question asks what one document or section says, whose words are quoted as they are."""
        self._is_placed = is_placed
        self.outcome = Outcome.OPEN
        self.reason: RefusalReason | None = None

    def decide(
        self, asking: Asking, *, progress: Progress, on_step: Listener, preview: Preview | None = None
    ) -> Iterator[End]:
        """Yield the ends of the question, best first, as core.asking.answering.decision.decide does."""
        for number, end in enumerate(decide(asking, progress=progress, on_step=on_step, preview=preview)):
            is_answer = bool(end.match or end.verified)
            is_in_own_words = not is_answer or progress.model_provider == PROVIDER
            is_quoted = number == 0 and self._is_placed and is_in_own_words and end.reason not in _FINAL
            if is_quoted and (quoted := _quote(progress, end)):
                self.outcome, self.reason = Outcome.QUOTED, None
                yield quoted
            self.outcome, self.reason = (Outcome.ANSWERED if is_answer else Outcome.UNPROVEN), end.reason
            yield end


def _quote(progress: Progress, end: End) -> End | None:
    """Quote the passages in the place of an end, which may know of a contradiction. None where nothing can be."""
    if not (progress.prepared and progress.passages):
        return None
    with progress.time_step("verify"):
        quoted = quote_section(progress.prepared.understood.bare, progress.passages)
    if not quoted.verified.citations:
        return None
    progress.passages = quoted.passages
    return End(
        state=QueryState.COMPLETE,
        verified=quoted.verified,
        message=say(SAYS_MORE) if quoted.is_cut else "",
        contradiction=end.contradiction,
    )
