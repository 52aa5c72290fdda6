"""Choosing the sentences that answer a question. Pure and deterministic.

A sentence is scored by the question's words it holds, weighted by their rarity among all the sentences (inverse
document frequency, Spärck Jones 1972), with the words of its own heading counting a little, a bonus when it holds the
kind of thing that the question asks for, and a slight preference for passages that retrieval ranked higher.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.llm.markup import MarkedPassage
from core.text import content_stems, kind_asked, sentences

MAX_STATEMENTS = 3
HEADING_WEIGHT = 0.4  # a question's word that only the heading holds
KIND_BONUS = 0.25  # of the best possible score, when the kind of thing asked for is there
RANK_DISCOUNT = 0.04  # of the score, per rank
KEEP_WITHIN = 0.6  # further sentences must score this share of the best one's score
LEAST_COVERAGE = 0.34  # of the question's weight that the best sentence and its heading must hold
SHORTEST = 4  # words of a sentence that can stand as a statement
UNFINISHED = 0.7  # of the score of what does not end like a sentence: a heading, a row of a table


_ENDS = (".", "!", ")", '"', "”", "’", ";")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """A sentence chosen from a passage."""

    passage: int  # the passage's number
    text: str  # verbatim
    score: float


def select(question: str, passages: Sequence[MarkedPassage]) -> list[Selected]:
    """The one to three sentences that answer best, best first; none when none holds enough of the question."""
    asked = list(dict.fromkeys(content_stems(question)))
    found = [(passage, passage.text[start:end]) for passage in passages for start, end in sentences(passage.text)]
    if not asked or not found:
        return []
    weights = _weights(asked, [text for _, text in found], passages)
    total = sum(weights.values())
    kind = kind_asked(question)
    scored: list[Selected] = []
    for passage, text in found:
        words = content_stems(text)
        if len(text.split()) < SHORTEST or text.rstrip().endswith("?"):
            continue
        held, heading = set(words), set(content_stems(passage.source))
        coverage = (
            sum(weights[stem] * (1.0 if stem in held else HEADING_WEIGHT if stem in heading else 0.0) for stem in asked)
            / total
        )
        if coverage < LEAST_COVERAGE or not held & weights.keys():
            continue
        bonus = KIND_BONUS if kind and kind.search(text) else 0.0
        score = (coverage + bonus) * (1 - RANK_DISCOUNT * (passage.number - 1))
        if not text.endswith(_ENDS):
            score *= UNFINISHED
        scored.append(Selected(passage=passage.number, text=text, score=score))
    return _best(scored)


def _weights(asked: list[str], texts: list[str], passages: Sequence[MarkedPassage]) -> dict[str, float]:
    frequency = Counter(stem for text in texts for stem in set(content_stems(text)))
    frequency.update(stem for passage in passages for stem in set(content_stems(passage.source)))
    count = len(texts) + len(passages)
    return {stem: math.log(1 + count / (1 + frequency[stem])) for stem in asked}


def _best(scored: list[Selected]) -> list[Selected]:
    ranked = sorted(scored, key=lambda selected: -selected.score)
    if not ranked:
        return []
    kept: list[Selected] = []
    for selected in ranked:
        if selected.score < ranked[0].score * KEEP_WITHIN or len(kept) == MAX_STATEMENTS:
            break
        if all(selected.text != other.text for other in kept):
            kept.append(selected)
    return kept
