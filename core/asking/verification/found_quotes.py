"""Represent a found quote, and the text around it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.asking.verification.clauses import Clause, make_clause, split_clauses
from core.asking.verification.cleaning import clean
from core.language.nlp.layout import BlockKind, pair_cells
from core.language.nlp.scripts import count_words
from core.language.nlp.structure import TextUnit, introduces, units, write_with_leads
from core.language.nlp.text import sentences
from core.types import Passage

LEAST_QUOTED_WORDS = 3  # fewer prove nothing
Row = tuple[tuple[str, str], ...]  # each cell's column name and text, in order; the first is the row's label
WINDOW = 2  # sentences of one quote that are read together: "The board met in May. It raised the rate."


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, an item or a row of a passage's text, and what introduces it."""

    start: int  # offsets into the text, in characters
    end: int
    introduction: str  # what introduces it (core.language.nlp.structure), on one line; else empty


def split_pieces(content: str) -> list[Piece]:
    """Return the sentences of a text in order, those of lists and tables with what introduces them."""
    return [Piece(unit.start, unit.end, " ".join(read_leads(unit, content))) for unit in units(content)]


def read_leads(unit: TextUnit, content: str) -> tuple[str, ...]:
    """Return the lead-ins of a unit of text, each on one line, the outermost first."""
    return tuple(clean(content[slice(*lead)]) for lead in unit.leads)


@dataclass(frozen=True, kw_only=True)
class FoundQuote:
    """Words of a passage that a statement rests on."""

    passage: Passage
    start: int  # offsets into the passage's content, in characters
    end: int

    @property
    def as_written(self) -> str:
        """Return the quote as written in its passage."""
        return self.passage.content[self.start : self.end]

    @cached_property
    def text(self) -> str:
        """Return the quote without links and markup, on one line."""
        return clean(self.as_written)

    @cached_property
    def is_long_enough(self) -> bool:
        """Return True if the quote can prove something: it has some words, or is a whole item or row."""
        if count_words(self.text) >= LEAST_QUOTED_WORDS:
            return True
        whole = (unit for unit in units(self.passage.content) if unit.group is not None)
        return any(self.start <= unit.start and unit.end <= self.end for unit in whole)

    @cached_property
    def windows(self) -> tuple[str, ...]:
        """Return the quote, or where it is long, every two neighbouring sentences of it.

        Each with what introduces it.
        """
        quoted = self.passage.content[self.start : self.end]
        spans = sentences(quoted)
        if len(spans) <= WINDOW:
            spans = [(0, len(quoted))]
        parts = [clean(quoted[start:end]) for start, end in spans]
        leads = [self._read_leads_within(self.start + start, self.start + end) for start, end in spans]
        return tuple(
            " ".join((*dict.fromkeys(lead for own in leads[i : i + WINDOW] for lead in own), *parts[i : i + WINDOW]))
            for i in range(max(1, len(parts) - WINDOW + 1))
        )

    @cached_property
    def introduction(self) -> str:
        """Return the lead-in of the list or table that the quote is in; empty elsewhere."""
        overlapping = (
            one for one in split_pieces(self.passage.content) if one.start < self.end and self.start < one.end
        )
        return next((one.introduction for one in overlapping if one.introduction), "")

    @cached_property
    def context(self) -> tuple[str, ...]:
        """Return the whole sentences that the quote is part of: a quote that begins behind "does not" is read with it.

        So is the item of a list below "Nobody may bring:"; the item above that does not end so is about itself alone.
        """
        return tuple(f"{lead} {text}".lstrip() for lead, text in self.introduced)

    @cached_property
    def introduced(self) -> tuple[tuple[str, str], ...]:
        """Return the same sentences, each behind the lead that introduces it; that is empty for most."""
        content = self.passage.content
        return tuple(
            (
                " ".join(lead for lead in self._read_leads_within(unit.start, unit.end) if introduces(lead)),
                clean(content[unit.start : unit.end]),
            )
            for unit in self._units
        )

    @cached_property
    def written(self) -> tuple[str, ...]:
        """Return the items and rows that the quote is part of, in words that stand alone."""
        content = self.passage.content
        return tuple(
            write_with_leads(tuple(content[slice(*lead)] for lead in unit.leads), content[unit.start : unit.end])
            for unit in self._units
            if unit.group is not None
        )

    @cached_property
    def _units(self) -> tuple[TextUnit, ...]:
        """Return the sentences, items and rows that the quote is part of."""
        return tuple(one for one in units(self.passage.content) if one.start < self.end and self.start < one.end)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows that the quote is part of, of tables with a header."""
        content = self.passage.content
        return tuple(
            tuple(zip(*pair_cells(content[slice(*unit.leads[-1])], content[unit.start : unit.end]), strict=False))
            for unit in self._rows
        )

    def list_rows_said(self, statement: str) -> tuple[str, ...]:
        """Return the rows that the quote is part of in words, each with those columns that a statement says of it."""
        content = self.passage.content
        said = []
        for unit, row in zip(self._rows, self.rows, strict=True):
            leads = tuple(content[slice(*lead)] for lead in unit.leads)
            columns = [place for place, (name, value) in enumerate(row) if place and f"{name}: {value}" in statement]
            said += [write_with_leads(leads, content[unit.start : unit.end], columns=columns)] if columns else []
        return tuple(said)

    @cached_property
    def _rows(self) -> tuple[TextUnit, ...]:
        return tuple(unit for unit in self._units if unit.kind is BlockKind.ROW and unit.leads)

    def _read_leads_within(self, start: int, end: int) -> tuple[str, ...]:
        """Return the lead-ins of the items and rows in a place of the passage, each text once."""
        content = self.passage.content
        found = (unit for unit in units(content) if unit.start < end and start < unit.end)
        return tuple(dict.fromkeys(lead for unit in found for lead in read_leads(unit, content)))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the source as a whole and in its clauses."""

    whole: Clause
    clauses: tuple[Clause, ...]


def find_sentences_around(evidence: Sequence[FoundQuote]) -> list[Sentence]:
    """Return the sentences of the source that some quotes are part of, each once.

    What introduces one is said in all of it.
    """
    texts = dict.fromkeys(text for found in evidence for text in found.introduced)
    return [
        Sentence(
            make_clause(f"{lead} {text}".lstrip()),
            tuple(make_clause(f"{lead} {part.text}") if lead else part for part in split_clauses(text)),
        )
        for lead, text in texts
    ]
