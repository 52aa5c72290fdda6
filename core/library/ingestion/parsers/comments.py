"""The comments in a file, kept apart from its text: only where an administrator wants them are they read."""

import re

from core.library.ingestion.cleaning import clean, one_line
from core.library.ingestion.document import MAX_HEADING, Block
from core.library.ingestion.extent import Found, Loss, Tally

_NAME = "Comment"
_MOST_COMMENTS = 5000  # of a file
_MOST_CHARACTERS = 1_000_000  # of all of them
_LONGEST_NAME = 100  # characters of an author, and of a place
_DAY = re.compile(r"(?:D:)?(\d{4})-?(\d{2})-?(\d{2})")  # of 2024-05-03T10:00:00Z, and of D:20240503100000Z in a PDF


class Comments:
    """A collector of the comments of a file, which counts them. As long as nobody asks for them, they are left out."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._blocks: list[Block] = []
        self._characters = 0

    def add(self, text: str, *, author: str = "", written: str = "", place: str = "", page: int | None = None) -> None:
        """Add a comment that is open.

        written: when, in the file's form; left out where that is no date. place: on what, within a sentence: "page 3".
        page: instead of a place, the number of its page.
        """
        self.leave_out()
        cleaned = clean(text).strip()
        self._characters += len(cleaned)
        if not cleaned or len(self._blocks) >= _MOST_COMMENTS or self._characters > _MOST_CHARACTERS:
            return
        by, on = one_line(author, _LONGEST_NAME), one_line(place, _LONGEST_NAME) or (f"page {page}" if page else "")
        day = _DAY.match(written.strip())
        heading = ", ".join(
            filter(
                None, (f"{_NAME} by {by}" if by else _NAME, "-".join(day.groups()) if day else "", on and f"on {on}")
            )
        )
        # Without a page number: a quote would be placed by it alone, and not say that it is from a comment.
        self._blocks.append(Block(text=f"{_NAME}: {cleaned}", section=one_line(heading, MAX_HEADING)))

    def leave_out(self, count: int = 1) -> None:
        """Count comments that are not read: resolved ones, and those on what is hidden or deleted."""
        self._tally.find(Found.COMMENTS, count)
        self._tally.leave_out(Loss.COMMENTS, count)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The comments that can be read, each in a section of its own."""
        return tuple(self._blocks)
