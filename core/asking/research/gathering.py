"""Decide one question of a plan: an answer, else the words of the section that it asks about, else nothing."""

from collections.abc import Iterator

from core.asking.answering.composition import Preview, quote_nearest
from core.asking.answering.decision import End, decide
from core.asking.answering.preparation import Asking
from core.asking.answering.progress import Progress
from core.language.i18n.translation import say, translatable
from core.types import Listener, QueryState, RefusalReason
from core.values.research import Outcome

OWN_WORDS = translatable("These are the document's own words.")
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
        has_quoted = False
        for end in decide(asking, progress=progress, on_step=on_step, preview=preview):
            is_answer = bool(end.match or end.verified)
            if not is_answer and not has_quoted and end.reason not in _FINAL:
                has_quoted = True
                if self._is_placed and (quoted := self._quote(progress)):
                    self.outcome, self.reason = Outcome.QUOTED, None
                    yield quoted
            self.outcome, self.reason = (Outcome.ANSWERED if is_answer else Outcome.UNPROVEN), end.reason
            yield end

    def _quote(self, progress: Progress) -> End | None:
        if not (progress.prepared and progress.passages):
            return None
        draft, verified = quote_nearest(progress.prepared.understood, progress.passages, timed=progress.time_step)
        if not verified.citations:
            return None
        progress.note_draft(draft)
        return End(state=QueryState.COMPLETE, verified=verified, message=say(OWN_WORDS))
