"""Detect two names, or two numbers, that are exchanged between a source and a statement. Pure."""

import re
from collections.abc import Sequence
from itertools import combinations

from core.asking.verification.names import find_names
from core.language.nlp.text import STOP_WORDS, stem, words_of

REACH = 4  # words beside a name or a number that say what is said of it
LEAST_CROSSED = 2  # so many words more that fit the other one
MOST_COMPARED = 8  # names and numbers of one sentence
# "A was accused by B" has the order of "B accused A".
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\b[^.;]{0,80}\bby\b", re.IGNORECASE)
_Beside = frozenset[tuple[str, str]]  # (side, stem)


def have_changed_places(statement: str, sentences: Sequence[str]) -> bool:
    """True when a sentence of the source says of one what the statement says of the other, and the other way round.

    A pair is compared in the sentences that hold both, by the words right before and behind each; one sentence that
    does not cross them is enough.
    """
    said = _find_beside(statement)
    passive = bool(_PASSIVE.search(statement))
    sources = [_find_beside(text, among=said) for text in sentences if bool(_PASSIVE.search(text)) == passive]
    for one, other in combinations(sorted(said), 2):
        holding = [read for read in sources if one in read and other in read]
        if holding and all(_cross(said, read, one, other) for read in holding):
            return True
    return False


def _cross(said: dict[str, _Beside], read: dict[str, _Beside], one: str, other: str) -> bool:
    straight = len(said[one] & read[one]) + len(said[other] & read[other])
    crossed = len(said[one] & read[other]) + len(said[other] & read[one])
    return crossed >= straight + LEAST_CROSSED


def _find_beside(text: str, among: dict[str, _Beside] | None = None) -> dict[str, _Beside]:
    """Find the names and numbers that occur once in a text, with the words beside them."""
    names = {stem(word) for run in find_names(text) for word in run} | set(among or ())
    tokens = [stem(word) for word in words_of(text)]
    kept: dict[str, _Beside] = {}
    for place, token in enumerate(tokens):
        if (token in names or token[0].isdigit()) and tokens.count(token) == 1:
            kept[token] = _find_words(tokens, place, names)
        if len(kept) == MOST_COMPARED:
            break
    return kept


def _find_words(tokens: Sequence[str], place: int, names: set[str]) -> _Beside:
    found = set()
    for side, span in (
        ("before", tokens[max(0, place - REACH) : place]),
        ("behind", tokens[place + 1 : place + 1 + REACH]),
    ):
        found |= {
            (side, word) for word in span if word not in STOP_WORDS and word not in names and not word[0].isdigit()
        }
    return frozenset(found)
