"""Report the progress of a call: its steps, in words of our own, and never in a document's."""

from collections.abc import Callable
from dataclasses import dataclass

# The steps of core.api.ask in their order, as a client shows them.
STEPS = {
    "searching": "Searching the documents",
    "reading": "Reading what was found",
    "checking": "Checking the answer",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """One notification of progress."""

    done: int  # steps that were begun
    total: int
    message: str


class Steps:
    """Turns the steps of one call into progress that only grows, as the protocol wants it."""

    def __init__(self, tell: Callable[[Progress], None]) -> None:
        self._tell, self._begun = tell, 0

    def note(self, step: str) -> None:
        """Report that a step begins. One that begins again, when an answer is repaired, is not reported again."""
        number = list(STEPS).index(step) + 1
        if number > self._begun:
            self._begun = number
            self._tell(Progress(done=number, total=len(STEPS), message=STEPS[step]))
