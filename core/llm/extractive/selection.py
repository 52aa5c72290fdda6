"""Choosing the sentences that answer a question. Pure and deterministic.

Every sentence is scored by how much of the question it holds, by its similarity in meaning, and by whether it holds
the kind of thing that is asked for. A question of several sides gets sentences for each of them.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.llm.markup import MarkedPassage
from core.matching import SentenceMatch, Similarity, match
from core.questions.reading import read
from core.questions.values import Kind, Reading, Side
from core.text import content_stems, is_code

MOST_STATEMENTS = 3
MOST_OF_WIDE = 6  # for an overview, a list, or a question of several sides
MOST_OF_SIDE = 2
# Found on 900 questions of SQuAD 2.0: the best sentence alone held the answer for 78 % of them, with words alone 75 %,
# with meaning alone 67 %; the further sentences that are kept raise it to 88 %, at 1.9 sentences an answer.
RANK_DISCOUNT = 0.04  # of the score, per rank of the passage
UNFINISHED = 0.7  # of the score of what is no sentence: a heading, a row of a table, a line of a program
KEEP_WITHIN = 0.75  # further sentences must score this share of the best one's score
KEEP_WITHIN_SIDE = 0.9
SHORTEST = 4  # words of a sentence that can stand as a statement

_ENDS = (".", "!", ")", '"', "”", "’", ";")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """A sentence chosen from a passage."""

    passage: MarkedPassage
    text: str  # verbatim
    score: float


def select(
    question: str, passages: Sequence[MarkedPassage], similarity: Similarity, *, today: dt.date
) -> tuple[Reading, list[Selected]]:
    """How the question is read, and the sentences that answer best: best first, or side by side in their order."""
    reading = read(question, today=today)
    if not content_stems(question):
        return reading, []
    if reading.sides:
        return reading, _of_sides(reading, passages, similarity)
    wide = reading.kind in {Kind.BROAD, Kind.LIST}
    scored = _scored(reading.topic or reading.remaining, passages, similarity, discount=RANK_DISCOUNT)
    most = MOST_OF_WIDE if reading.kind == Kind.BROAD else MOST_STATEMENTS
    return reading, _best(_apart(scored) if wide else scored, most=most, within=KEEP_WITHIN)


def _of_sides(reading: Reading, passages: Sequence[MarkedPassage], similarity: Similarity) -> list[Selected]:
    chosen: list[Selected] = []
    for side in reading.sides:
        # A time is met by the date of a document or by a sentence that names it: June's minutes tell of May.
        own = passages if side.date_from or side.date_to else _named(side, passages)
        scored = _scored(side.query, own, similarity, discount=0.0)
        known = {selected.text for selected in chosen}
        # What was chosen for another side may answer this one too; then it needs nothing that is much worse.
        best = _best(scored, most=MOST_OF_SIDE, within=KEEP_WITHIN_SIDE)
        chosen += [selected for selected in best if selected.text not in known]
    return chosen[:MOST_OF_WIDE]


def _named(side: Side, passages: Sequence[MarkedPassage]) -> Sequence[MarkedPassage]:
    """The passages whose heading holds what a side is called; all where none does, or the side is a question."""
    named = set() if side.is_question else set(content_stems(side.label))
    return [passage for passage in passages if named and named <= set(content_stems(passage.source))] or passages


def _scored(
    question: str,
    passages: Sequence[MarkedPassage],
    similarity: Similarity,
    *,
    discount: float,
) -> list[Selected]:
    found = match(question, [(passage.source, passage.text) for passage in passages], similarity)
    scored = [
        Selected(
            passage=passages[sentence.passage],
            text=sentence.text,
            score=_score(sentence) * (1 - discount * sentence.passage),
        )
        for sentence in found.sentences
        if len(sentence.text.split()) >= SHORTEST and not sentence.text.endswith("?")
    ]
    return sorted(scored, key=lambda selected: -selected.score)


def _score(sentence: SentenceMatch) -> float:
    finished = sentence.text.endswith(_ENDS) and not is_code(sentence.text)
    return sentence.score if finished else sentence.score * UNFINISHED


def _apart(scored: Iterable[Selected]) -> list[Selected]:
    """The best sentence of each passage before the second best of any."""
    first: list[Selected] = []
    later: list[Selected] = []
    for selected in scored:
        (later if any(selected.passage == other.passage for other in first) else first).append(selected)
    return first + later


def _best(scored: Sequence[Selected], *, most: int, within: float) -> list[Selected]:
    if not scored:
        return []
    least = max(selected.score for selected in scored) * within
    kept: dict[str, Selected] = {}
    for selected in scored:
        if selected.score >= least and len(kept) < most:
            kept.setdefault(" ".join(selected.text.split()), selected)
    return list(kept.values())
