"""The beginning of an answer, shown while the model still writes: what stands already, whatever else it will say."""

from collections.abc import Callable, Sequence

from core.asking.generation.draft import Heard
from core.asking.verification.judge import Claim
from core.asking.verification.refusals import drop_refusals
from core.asking.verification.statements import Verified, verify
from core.types import Passage, Statement

# Told the beginning of an answer, longer each time.
Preview = Callable[[Verified], None]
# Leaves out the statements of a draft that do not belong to its answer.
Shorten = Callable[[Sequence[Statement]], Sequence[Statement]]


def make_previewer(preview: Preview, *, question: str, answers: Callable[[Verified], bool], shorten: Shorten) -> Heard:
    """Make a listener to a draft that passes on its first statements, as long as they need no judge.

    A statement for which a judge would be asked ends what is told, and so does one that does not stand: in the answer
    something else may be in its place. answers: whether what stands is an answer to the question.
    """
    shown = ""

    def heard(statements: Sequence[Statement], passages: Sequence[Passage]) -> None:
        nonlocal shown
        said = shorten(drop_refusals(statements))
        verified = verify(said, passages, question=question, judge=_nobody)
        if verified.places:
            verified = verify(said[: verified.places[0]], passages, question=question, judge=_nobody)
        if verified.text != shown and verified.citations and answers(verified):
            shown = verified.text
            preview(verified)

    return heard


def _nobody(claims: Sequence[Claim]) -> list[bool | None]:
    """The judge in whose place nothing is shown that one would be asked about."""
    return [False] * len(claims)
