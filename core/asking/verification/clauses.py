"""Split a sentence into clauses, the parts that are denied, bounded or turned round one by one. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.language.nlp.text import content_stems

_BORDER = re.compile(
    r"[;:()]|,(?=\s)|\s-{1,2}\s|\s[–—]\s|[–—]|\s(?=(?:but|while|whereas|although|though|and|or)\s)|[.!?]\s",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w%$€£]+(?:[-./,:'’][\w%]+)*")
_BELONGS_TO_WHAT_IS_BEFORE = re.compile(r"\s*(?:that|whether|who|which|to)\b", re.IGNORECASE)
LEAST_WORDS = 2  # content words of a clause; what has fewer belongs to its neighbour


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, or a whole one."""

    text: str
    stems: frozenset[str]  # of its content words
    words: tuple[str, ...]  # all of them, case folded


def make_clause(text: str) -> Clause:
    """Return a text as one clause."""
    return Clause(text, frozenset(content_stems(text)), tuple(word.casefold() for word in _WORD.findall(text)))


def split_clauses(sentence: str) -> list[Clause]:
    """Return the clauses of a sentence, each with two content words or more where the sentence has them."""
    pieces: list[str] = []
    start = 0
    for border in [*(match.start() for match in _BORDER.finditer(sentence)), len(sentence)]:
        piece = sentence[start:border]
        joins = _BELONGS_TO_WHAT_IS_BEFORE.match(piece.lstrip(",;:() -–—"))
        if pieces and (joins or _count_words(pieces[-1]) < LEAST_WORDS):
            pieces[-1] += piece
        elif piece.strip():
            pieces.append(piece)
        start = border
    if len(pieces) > 1 and _count_words(pieces[-1]) < LEAST_WORDS:
        last = pieces.pop()
        pieces[-1] += last
    return [make_clause(piece) for piece in pieces]


def _count_words(piece: str) -> int:
    """Count the content words of a piece; the "A" of "Class A" belongs to its word."""
    return sum(len(stem) > 1 for stem in set(content_stems(piece)))


def find_nearest(said: Clause, candidates: Sequence[Clause]) -> list[Clause]:
    """Return the candidates that a clause is about: the one with the same words, else those that share most with it.

    Sharing is the harmonic mean of the shares of both clauses' content words (the F measure); ties are all returned,
    and nothing where no word is shared.
    """
    same = [other for other in candidates if other.words == said.words]
    if same:
        return same[:1]
    scored = [(_measure_shared(said, other), other) for other in candidates]
    best = max((score for score, _ in scored), default=0.0)
    return [other for score, other in scored if score == best] if best else []


def _measure_shared(said: Clause, other: Clause) -> float:
    if not said.stems or not other.stems:
        return 0.0
    return 2 * len(said.stems & other.stems) / (len(said.stems) + len(other.stems))
