"""A sentence that the extractive model has chosen. Pure."""

from dataclasses import dataclass

from core.generation.markup import MarkedPassage

SHORTEST = 4  # words of a sentence that can stand as a statement; an item stands behind what introduces it


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """A sentence chosen from a passage."""

    passage: MarkedPassage
    text: str  # verbatim
    score: float
    leads: tuple[str, ...] = ()  # verbatim: what introduces an item or a row, the outermost first
    group: int | None = None  # which list or table of the passage it belongs to
    of_kind: bool = True  # it holds the kind of thing that is asked for, if one is
    subject: str = ""  # what its passage is called, where that alone tells it from another sentence that is chosen


def can_stand(text: str) -> bool:
    """Whether a sentence can be a statement."""
    return len(text.split()) >= SHORTEST and not text.endswith("?")
