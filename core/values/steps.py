"""Name the steps of answering for people who wait."""

from typing import Self


class Step(str):
    """A step of answering by its name, with how much it works on, and not a word of that.

    count: documents that are searched, passages that are read, statements that are checked; 0 where nobody knows.
    """

    count: int  # type: ignore[assignment]  # in the place of what str counts, which no step is asked for

    def __new__(cls, name: str, count: int = 0) -> Self:
        """Make a step of this name."""
        step = super().__new__(cls, name)
        step.count = count
        return step
