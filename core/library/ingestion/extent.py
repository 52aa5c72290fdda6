"""Count what a file holds and what was left out of it, so that a loss is seen. Counts alone: no words of the file."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

_MOST = 1_000_000_000  # of one kind, more than any file has


class Found(StrEnum):
    """The kinds of things that are counted in a file."""

    PAGES = "pages"  # or slides, or sheets
    TABLES = "tables"
    PICTURES = "pictures"
    CHARTS = "charts"
    DIAGRAMS = "diagrams"
    NOTES = "notes"  # footnotes, endnotes, notes of a speaker
    COMMENTS = "comments"


class Loss(StrEnum):
    """The kinds of things that were not read."""

    SCANNED_PAGES = "scanned_pages"  # pages that are pictures, without text recognition
    GARBLED_PAGES = "garbled_pages"  # pages whose fonts do not say what they show
    HIDDEN_PAGES = "hidden_pages"  # slides or sheets that the file hides
    PICTURES = "pictures"  # nothing in the file says what they show
    CHARTS = "charts"  # their figures are not in the file
    DIAGRAMS = "diagrams"
    COMMENTS = "comments"  # not wanted, or resolved
    CUT_OFF = "cut_off"  # ends: the file, or a message in it, was cut off


@dataclass(frozen=True, kw_only=True, slots=True)
class Extent:
    """Counts of what a file holds, and of what was left out of it."""

    found: Mapping[Found, int] = field(default_factory=dict)
    left_out: Mapping[Loss, int] = field(default_factory=dict)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Self:
        """Return the extent that JSON values were made of. KeyError, TypeError or ValueError when they are none."""
        return cls(
            found={Found(kind): _read_count(count) for kind, count in raw["found"].items()},
            left_out={Loss(kind): _read_count(count) for kind, count in raw["left_out"].items()},
        )

    def as_json(self) -> dict[str, dict[str, int]]:
        """Return the counts as JSON values."""
        return {
            "found": {kind.value: count for kind, count in self.found.items()},
            "left_out": {kind.value: count for kind, count in self.left_out.items()},
        }

    @property
    def comments_read(self) -> int:
        """The number of comments that became passages."""
        return self.found.get(Found.COMMENTS, 0) - self.left_out.get(Loss.COMMENTS, 0)

    @property
    def losses(self) -> int:
        """The number of things that were left out."""
        return sum(self.left_out.values())


# Of one, and of several.
_NAMES = {
    Found.PAGES: ("page", "pages"),
    Found.TABLES: ("table", "tables"),
    Found.PICTURES: ("picture", "pictures"),
    Found.CHARTS: ("chart", "charts"),
    Found.DIAGRAMS: ("diagram", "diagrams"),
    Found.NOTES: ("note", "notes"),
    Found.COMMENTS: ("comment", "comments"),
}


def describe_found(found: Mapping[Found, int]) -> str:
    """Return what a file holds in words: "12 pages, 3 pictures"; "" for nothing."""
    return ", ".join(describe_count(found[kind], *words) for kind, words in _NAMES.items() if kind in found)


def describe_count(count: int, one: str, several: str) -> str:
    """Return a number with the word for so many."""
    return f"{count:,} {one if count == 1 else several}"


class Tally:
    """The counts of a file while it is read."""

    def __init__(self) -> None:
        self._found: Counter[Found] = Counter()
        self._left_out: Counter[Loss] = Counter()

    def find(self, kind: Found, count: int = 1) -> None:
        """Count things of a kind."""
        self._found[kind] += count

    def leave_out(self, kind: Loss, count: int = 1) -> None:
        """Count things that are not read."""
        self._left_out[kind] += count

    @property
    def extent(self) -> Extent:
        """The counts so far, without kinds of which there is nothing."""
        return Extent(found=dict(+self._found), left_out=dict(+self._left_out))


def _read_count(count: Any) -> int:
    if type(count) is not int or not 0 <= count <= _MOST:
        raise ValueError("a count is a number of things")
    return count
