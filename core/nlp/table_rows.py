"""Rows of tables that tell of something else than a question asks about. Pure.

The rows of a table say the same in the same words of other years, products and places: each is near to a question
about any of them, also where the table lacks the one that is asked for. A sentence of prose names what it tells of; a
row does by its first cell, the names of its columns and the heading above it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.nlp.layout import cells
from core.nlp.text import content_stems, stem

_YEAR = re.compile(r"(?<!\d)(?<!\d[.,])(?:19|20)\d\d(?![\d%]|[.,]\d)")
# A time that may be a year of a table without being named in it.
_OPEN_TIME = re.compile(
    r"\b(?:since|before|after|until|till|between|from|through|over|during|by|ever|every|each|all|history)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class TableRow:
    """A row with what is around it."""

    text: str
    header: str  # "" where the table names no columns
    above: tuple[str, ...]  # what introduces the table: its caption
    heading: frozenset[str]  # stems of the headings that it stands under
    passage: frozenset[str]  # stems of its passage, headings included

    @property
    def key(self) -> str:
        """Its first cell, which says what the row is about."""
        return cells(self.text)[0]


class RowsAsked:
    """What a question asks of tables."""

    def __init__(self, question: str, headings: Iterable[frozenset[str]]) -> None:
        self._stems = set(content_stems(question))
        self._years = set() if _OPEN_TIME.search(question) else set(_YEAR.findall(question))
        named = {stem(name) for name in _NAME.findall(question)}
        # A name that some headings hold is that of a company or a product, and what stands under others is not its.
        self._names = {name for name in named if any(name in heading for heading in headings)}

    def is_about_another(self, row: TableRow) -> bool:
        """Whether a row tells of another year, of somebody else, or of one thing among others that are not asked for."""
        own = set(content_stems(row.text))
        if self._is_of_another_year(row) or self._names - row.heading - own:
            return True
        is_of_a_year = bool(_YEAR.search(row.key))
        return not is_of_a_year and not own & self._stems and bool(self._stems - row.passage)

    def _is_of_another_year(self, row: TableRow) -> bool:
        by_year = _YEAR.findall(f"{row.key} {row.header}")
        told = {*by_year, *_YEAR.findall(" ".join((row.text, *row.above)))}
        return bool(self._years and by_year) and self._years.isdisjoint(told)


def names_row(question: Sequence[str], text: str) -> bool:
    """Whether the stems of a question hold all that the first cell of a row says."""
    key = set(content_stems(cells(text)[0]))
    return bool(key) and key <= set(question)
