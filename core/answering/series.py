"""Documents of one series, such as the statements of a board: which of them says how things stand now."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

from core.nlp.dates import MONTHS
from core.types import Passage

NEAR = 0.2  # of the best similarity of what is older: what is newer and this near to it says the same of another time
_CHANGING = re.compile(rf"[\d\W_]+|\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)


def family(title: str) -> str:
    """A title without numbers and dates, which the titles of one series share."""
    return " ".join(_CHANGING.sub(" ", title).casefold().split())


def newest_of_each(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages, those of a series' newest document in the place of the first of the series, its others last.

    A series whose newest document speaks of something else stays as it is.
    """
    series: dict[tuple[str, str], list[Passage]] = {}
    for passage in passages:
        if passage.document_date:
            series.setdefault((passage.document_type, family(passage.document_name)), []).append(passage)
    older: set[int] = set()
    for members in series.values():
        last = max(_date(passage) for passage in members)
        newest = [passage for passage in members if passage.document_date == last]
        before = [passage for passage in members if passage.document_date != last]
        if before and _best(newest) >= _best(before) - NEAR:
            older |= {passage.rank for passage in before}
    moved = _in_their_places(passages, older)
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(moved, 1))


def _in_their_places(passages: Sequence[Passage], older: set[int]) -> list[Passage]:
    """The passages with what is older behind all others, in the order of both."""
    return [p for p in passages if p.rank not in older] + [p for p in passages if p.rank in older]


def _best(passages: Sequence[Passage]) -> float:
    return max(passage.similarity for passage in passages)


def _date(passage: Passage) -> dt.date:
    return passage.document_date or dt.date.min
