"""A quote that was found, and what stands around it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.citations.clauses import Clause, clause, clauses
from core.citations.cleaning import cleaned
from core.text import sentences
from core.types import Passage

LEAST_QUOTED_WORDS = 3  # fewer prove nothing
WINDOW = 2  # sentences of one quote that are read together: "The board met in May. It raised the rate."


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
