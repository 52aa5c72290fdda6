"""Judge how one road ended a question, and sum up what it came to. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any
from uuid import UUID

from core.language.nlp.written_numbers import SMALL
from core.quality.evaluation.datasets.verdict import contains
from core.types import Citation

RIGHT, WRONG, MISSED, INVENTED, WITHHELD, FAILED = "right", "wrong", "missed", "invented", "withheld", "failed"
BETTER, EQUAL, WORSE = "better", "equal", "worse"

_SPELT = {word: value for word, value in SMALL.items() if value <= 12}  # larger ones are mostly in figures
_WORDS = {value: word for word, value in _SPELT.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A place that holds the answer; the whole document where its chunk is not known any more."""

    document_id: UUID
    chunk_id: UUID | None
    start: int  # in characters of the chunk
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """Holds the outcome of one road for a question."""

    text: str | None  # None where it did not answer
    citations: tuple[Citation, ...] = ()
    ms: float = 0.0
    tokens: int = 0
    has_failed: bool = False  # the model did not respond
    in_own_words: bool = False  # what is shown is the model's
    keeps_format: bool = False  # its reply could be read at once


def judge(ended: Ended, *, is_answerable: bool, words: str, places: Sequence[Place]) -> str:
    """Return the outcome of a question.

    words: that a right answer holds, or "": then it is right where it quotes one of the places.
    """
    if ended.has_failed:
        return FAILED
    if not is_answerable:
        return WITHHELD if ended.text is None else INVENTED
    if ended.text is None:
        return MISSED
    if words:
        is_right = contains(ended.text, (list_forms(words),))
    else:
        is_right = any(_overlaps_place(citation, place) for citation in ended.citations for place in places)
    return RIGHT if is_right else WRONG


def list_forms(words: str) -> tuple[str, ...]:
    """Return words in the forms that mean the same: a small number in figures and spelt out."""
    known = words.casefold()
    if known in _SPELT:
        return words, str(_SPELT[known])
    return (words, _WORDS[int(words)]) if words.isdecimal() and int(words) in _WORDS else (words,)


def _overlaps_place(citation: Citation, place: Place) -> bool:
    if place.chunk_id is None or citation.chunk_id is None:
        return citation.document_id == place.document_id
    return citation.chunk_id == place.chunk_id and citation.start < place.end and place.start < citation.end


def sum_up(outcomes: Sequence[str], ended: Sequence[Ended]) -> dict[str, Any]:
    """Return the figures of one road: how many of each outcome, seconds, tokens, and whose words were shown."""
    figures: dict[str, Any] = {
        name: outcomes.count(name) for name in (RIGHT, WRONG, MISSED, INVENTED, WITHHELD, FAILED)
    }
    seconds = sorted(one.ms / 1000 for one in ended)
    figures["questions"] = len(outcomes)
    figures["seconds_p50"] = round(median(seconds), 2) if seconds else None
    figures["seconds_p95"] = round(seconds[min(len(seconds) - 1, int(len(seconds) * 0.95))], 2) if seconds else None
    figures["tokens"] = sum(one.tokens for one in ended)
    figures["format_kept"] = sum(one.keeps_format for one in ended)
    figures["own_words"] = sum(one.in_own_words for one in ended)
    return figures


def compare(model: dict[str, Any], key_free: dict[str, Any]) -> str:
    """Return whether the model is better here than the key-free road, worse, or neither.

    It is worse where it answers fewer questions rightly or says more that is wrong or has no source, whatever else it
    gains; it is better where it answers more rightly and says no more that is wrong.
    """
    false, false_key_free = (figures[WRONG] + figures[INVENTED] for figures in (model, key_free))
    if model[RIGHT] < key_free[RIGHT] or false > false_key_free:
        return WORSE
    return BETTER if model[RIGHT] > key_free[RIGHT] or false < false_key_free else EQUAL
