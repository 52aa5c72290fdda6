"""Choosing the sentences that answer a question. Pure and deterministic.

Every sentence is scored by how much of the question it holds, by its similarity in meaning, and by whether it holds
the kind of thing that is asked for. A question of several sides gets sentences for each of them, and one for a list or
for steps gets the whole list in its order.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.llm.markup import MarkedPassage
from core.matching import SentenceMatch, Similarity, match
from core.questions.reading import read
from core.questions.values import Kind, Reading, Side
from core.layout import Kind as Layout
from core.structure import units
from core.text import content_stems, is_code
from core.wanted import kind_asked

MOST_STATEMENTS = 3
MOST_OF_WIDE = 6  # for an overview, a list, or a question of several sides
MOST_OF_SIDE = 2
MOST_OF_LIST = 12  # items or rows; no draft has more statements
# Found on 900 questions of SQuAD 2.0: the best sentence alone held the answer for 78 % of them, with words alone 75 %,
# with meaning alone 67 %; the further sentences that are kept raise it to 88 %, at 1.9 sentences an answer.
RANK_DISCOUNT = 0.04  # of the score, per rank of the passage
UNFINISHED = 0.7  # of the score of what is no sentence: a heading, a row of a table, a line of a program
KEEP_WITHIN = 0.75  # further sentences must score this share of the best one's score
KEEP_WITHIN_SIDE = 0.9
LIST_WITHIN = 0.6  # a list is given whole when its best item scores this share of the best sentence
SHORTEST = 4  # words of a sentence that can stand as a statement; an item stands behind what introduces it

# Asked for more than one of something, or for the way to do it.
_WANTS_LIST = re.compile(
    r"\bhow\s(?:do|does|did|can|could|should|must|would|shall|to)\b|\b(?:what|which)\s(?:all\s)?(?:are|were)\b"
    r"|\b(?:steps?|procedures?|protocols?|instructions?|checklist|list|sequence|order of)\b"
    r"|\bwhat\s(?:must|should|shall|do|can|may|have)\s(?:\w+(?:-\w+)?\s){1,4}(?:do|get|need|bring|include)\b"
    r"|\b(?:what|which)\s\w+s\s(?:must|should|shall|do|can|may|have|need|are|were)\b|\bwhat\s(?:to|all)\b",
    re.IGNORECASE,
)
_ENDS = (".", "!", ")", '"', "”", "’", ";")


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """A sentence chosen from a passage."""

    passage: MarkedPassage
    text: str  # verbatim
    score: float
    leads: tuple[str, ...] = ()  # verbatim: what introduces an item or a row, the outermost first
    group: int | None = None  # which list or table of the passage it belongs to


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
    if listed := _list_asked(question, reading, scored):
        return reading, listed
    most = MOST_OF_WIDE if reading.kind == Kind.BROAD else MOST_STATEMENTS
    scored = _of_the_subject(question, scored)
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
            leads=sentence.leads,
            group=sentence.group,
        )
        for sentence in found.sentences
        if (sentence.group is not None or len(sentence.text.split()) >= SHORTEST) and not sentence.text.endswith("?")
    ]
    return sorted(scored, key=lambda selected: -selected.score)


def _score(sentence: SentenceMatch) -> float:
    finished = (sentence.text.endswith(_ENDS) or sentence.group is not None) and not is_code(sentence.text)
    return sentence.score if finished else sentence.score * UNFINISHED


def _list_asked(question: str, reading: Reading, scored: Sequence[Selected]) -> list[Selected]:
    """The list or table that a question asks for, whole and in its order; nothing where it asks for something else."""
    asks = reading.kind == Kind.LIST or (reading.kind == Kind.SINGLE and _WANTS_LIST.search(question))
    if not asks or not scored or kind_asked(question):
        return []
    best = scored[0].score
    near = [one for one in scored if one.group is not None and one.score >= best * LIST_WITHIN]
    wanted = set(content_stems(question))
    for first in near:
        members = _members(first)
        if len(members) > 1 and _held(wanted, members) >= _held(wanted, scored[:1]):
            return members if len(members) <= MOST_OF_LIST else []
    return []


def _members(of: Selected) -> list[Selected]:
    """All items or rows of the list or table that one of them belongs to, in their order."""
    text = of.passage.text
    return [
        Selected(
            passage=of.passage,
            text=text[unit.start : unit.end],
            score=of.score,
            leads=tuple(text[start:end] for start, end in unit.leads),
            group=of.group,
        )
        for unit in units(text)
        if unit.group == of.group and unit.kind is not Layout.HEADER
    ]


def _held(wanted: set[str], chosen: Sequence[Selected]) -> int:
    """How many of the question's words some statements hold, with what introduces them and their passages' headings."""
    texts = (" ".join((one.passage.source, *one.leads, one.text)) for one in chosen)
    return len(wanted & {stem for text in texts for stem in content_stems(text)})


def _of_the_subject(question: str, scored: Sequence[Selected]) -> list[Selected]:
    """Without the items and rows that tell of something else than the best one of their list or table does.

    Asked about Class A, the item about Class B says the same of another thing.
    """
    wanted = set(content_stems(question))
    best: dict[tuple[int, int], set[str]] = {}
    kept: list[Selected] = []
    for one in scored:
        own = wanted & set(content_stems(one.text))
        known = best.setdefault((one.passage.number, one.group), own) if one.group is not None else own
        if not own < known:
            kept.append(one)
    return kept


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
