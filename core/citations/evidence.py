"""A quote that was found, and what stands around it. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.citations.clauses import Clause, clause, clauses
from core.citations.cleaning import cleaned
from core.text import sentences
from core.types import Passage

LEAST_QUOTED_WORDS = 3  # fewer prove nothing
WINDOW = 2  # sentences of one quote that are read together: "The board met in May. It raised the rate."

_ITEM = re.compile(r"(?:[-*•]|\d{1,3}[.)])\s")  # how an item of a list begins


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, an item or a row of a passage's text, and what introduces it."""

    start: int  # offsets into the text, in characters
    end: int
    introduction: str  # the sentence before the list, or the head of the table, on one line; else empty


def pieces(content: str) -> list[Piece]:
    """The sentences of a text in order, those of lists and tables with what introduces them."""
    found: list[Piece] = []
    before, introduction, kind = "", "", ""
    for start, end in sentences(content):
        text = cleaned(content[start:end])
        now = "|" if content[start] == "|" else "-" if _ITEM.match(content[start : start + 6]) else ""
        if now and now != kind:  # a table is introduced by its own first row
            introduction = _first_line(content[start:end]) if now == "|" else before if before.endswith(":") else ""
            found.append(Piece(start, end, "" if now == "|" else introduction))
        else:
            # A further sentence on an item's line is the item's still.
            now = now or (kind if kind == "-" and not _parts(content, start) else "")
            found.append(Piece(start, end, introduction if now else ""))
        before, kind = text, now
    return found


def _first_line(text: str) -> str:
    return cleaned(text.partition("\n")[0])


def _parts(content: str, start: int) -> bool:
    """Whether a new line begins at a place, so that it is no part of the item before."""
    gap = content[:start]
    gap = gap[len(gap.rstrip()) :]
    return "\n" in gap


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Words of a passage that a statement rests on."""

    passage: Passage
    start: int  # offsets into the passage's content, in characters
    end: int

    @property
    def as_written(self) -> str:
        """The quote as it stands in its passage."""
        return self.passage.content[self.start : self.end]

    @cached_property
    def text(self) -> str:
        """The quote without links and markup, on one line."""
        return cleaned(self.as_written)

    @cached_property
    def is_long_enough(self) -> bool:
        """True when the quote can prove something."""
        return len(self.text.split()) >= LEAST_QUOTED_WORDS

    @cached_property
    def windows(self) -> tuple[str, ...]:
        """The quote, or where it is long, every two neighbouring sentences of it."""
        quoted = self.passage.content[self.start : self.end]
        parts = [cleaned(quoted[start:end]) for start, end in sentences(quoted)]
        if len(parts) <= WINDOW:
            return (self.text,)
        return tuple(" ".join(parts[i : i + WINDOW]) for i in range(len(parts) - WINDOW + 1))

    @cached_property
    def introduction(self) -> str:
        """What introduces the list or table that the quote stands in; empty elsewhere."""
        overlapping = (one for one in pieces(self.passage.content) if one.start < self.end and self.start < one.end)
        return next((one.introduction for one in overlapping if one.introduction), "")

    @cached_property
    def context(self) -> tuple[str, ...]:
        """The whole sentences that the quote is part of: a quote that begins behind "does not" is read with it."""
        content = self.passage.content
        return tuple(
            cleaned(content[start:end]) for start, end in sentences(content) if start < self.end and self.start < end
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the source as a whole and in its clauses."""

    whole: Clause
    clauses: tuple[Clause, ...]


def sentences_around(evidence: Sequence[Evidence]) -> list[Sentence]:
    """The sentences of the source that some quotes are part of, each once."""
    texts = dict.fromkeys(text for found in evidence for text in found.context)
    return [Sentence(clause(text), tuple(clauses(text))) for text in texts]
