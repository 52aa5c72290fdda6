"""Find pairs of passages that answer one question differently, in two documents that may both be read today.

Every claim of a document is put as a question (claims.py). Of the passages that are nearest to it in meaning, those of
other documents are read whose claims contradict it if they answer the same question (comparing.py), and the question of
such a claim is read in turn for the first passage: what answers in both directions answers the same.
"""

import datetime as dt
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from core.asking.answering.contradictions import OF_ONE_TIME, Told
from core.asking.reading import reader
from core.asking.verification.values import Value
from core.language.nlp.structure import Span
from core.library import embedding
from core.library.embedding.similarity import similarities, vectors_of
from core.library.retrieval.elsewhere import find_elsewhere, list_passages
from core.llm.stopping import check_stopped
from core.models import Document
from core.quality.contradictions.claims import Claim, find_claims, find_given
from core.quality.contradictions.comparing import contradict, contradict_rules, is_superseded
from core.quality.contradictions.rules import Rule, exclude, find_rules
from core.types import Passage

MOST_CLAIMS = 400  # of one document, which are spread over it
NEAR = 24  # passages that are looked at for a claim
MOST_READ = 3  # claims of them that are read
ALIKE_RULES = 0.6  # cosine of two rules that may be about the same
ALIKE = 0.5  # cosine of two questions from which their passages are read
READ_WITHIN_S = 20.0  # seconds for one question, on a machine that is busy
# Two passages answer the same question from this sum on: the logit that they do, as the mean of both directions, and
# four times what the likeness of their questions is above .75. Neither direction may be below LEAST.
SURE, LEAST = 1.0, -2.5
LIKENESS, LIKE = 4.0, 0.75
_YES = re.compile(r"\A\W{0,4}(?:(?:yes|no|sorry),\s)?", re.IGNORECASE)
_CALLED_SO = re.compile(
    r"\b(?:minutes|agenda|reports?|inspections?|meeting(?=\W*(?:\d|of\b|on\b|\Z)))\b", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """Holds what one document says."""

    passage: Passage
    start: int  # of the sentence, item or row that says it, in characters of passage.content
    end: int
    says: tuple[int, int]  # the value itself, in characters of passage.content


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Holds two sides that answer a question differently."""

    question: str  # that both answer, made of the documents' own words
    newer: Side  # by the document's date, else by when it was ingested
    older: Side


@dataclass(frozen=True, slots=True)
class _Found:
    sureness: float
    question: str
    mine: Side
    theirs: Side


def find_pairs(documents: Sequence[UUID], *, most: int) -> Iterator[Pair]:
    """Yield at most so many pairs with a side of these documents, in their current editions, surest first within one.

    Looks at the whole library, whoever may read it: the caller shows each side only to those who may read it.
    Nothing without a reader. StoppedError as for every stoppable work.
    """
    if not reader.is_on():
        return
    known: set[frozenset[tuple[UUID | None, Span]]] = set()
    for document in documents:
        if len(known) >= most:
            return
        for found in sorted(_find_of_document(document), key=lambda one: -one.sureness):
            key = frozenset((side.passage.chunk_id, (side.start, side.end)) for side in (found.mine, found.theirs))
            if len(known) < most and key not in known:
                known.add(key)
                yield _put_in_order(found)


def _find_of_document(document: UUID) -> Iterator[_Found]:
    passages = list_passages(document)
    if not passages or _is_left_out(passages[0]):
        return
    claims = [
        (passage, claim) for passage in passages for claim in find_claims(passage.content, place=_name_place(passage))
    ]
    step = max(math.ceil(len(claims) / MOST_CLAIMS), 1)
    for passage, claim in claims[::step]:
        check_stopped()
        yield from _find_otherwise(passage, claim)
    for passage in passages:
        for rule in find_rules(passage.content):
            check_stopped()
            yield from _find_opposite(passage, rule)


def _is_left_out(passage: Passage) -> bool:
    """Return True for minutes, statements, reports and papers, and for what is asked last, such as guides."""
    is_of_one_time = passage.document_type in OF_ONE_TIME or bool(_CALLED_SO.search(passage.document_name))
    return is_of_one_time or bool(passage.asked_last)


def _name_place(passage: Passage) -> str:
    return passage.section or passage.document_name


def _find_near(question: str, besides: UUID | None) -> list[Passage]:
    model = embedding.provider()
    [vector] = vectors_of(model, [question])
    near = find_elsewhere(vector, model=model.name, besides=besides or UUID(int=0), limit=NEAR)
    return [passage for passage in near if not _is_left_out(passage)]


def _find_otherwise(passage: Passage, claim: Claim) -> Iterator[_Found]:
    """Yield what other documents claim otherwise."""
    chosen = _choose_claims(passage, claim)
    others = {other.chunk_id: other for other, _, _ in chosen}
    spans = dict(zip(others, _read_spans(claim.question, list(others.values())), strict=True))
    for other, theirs, likeness in chosen:
        answers, span = spans[other.chunk_id]
        if answers < LEAST or not _is_within(span, theirs.values):
            continue
        [(back, place)] = _read_spans(theirs.question, [passage])
        sureness = (answers + back) / 2 + LIKENESS * (likeness - LIKE)
        is_sure = back >= LEAST and sureness >= SURE and _is_within(place, claim.values)
        if is_sure and not _is_either_superseded(passage, other):
            mine = _make_side(passage, claim)
            yield _Found(sureness, claim.question, mine, _make_side(other, theirs))


def _choose_claims(passage: Passage, claim: Claim) -> list[tuple[Passage, Claim, float]]:
    """Return claims of other documents that contradict one if they answer its question, those nearest in meaning."""
    mine = _tell(passage, claim)
    found = [
        (other, theirs)
        for other in _find_near(claim.question, passage.document_id)
        for theirs in find_claims(other.content, place=_name_place(other))
        if contradict(*_align(mine, _tell(other, theirs)))
    ]
    likeness = similarities(claim.question, [theirs.question for _, theirs in found])
    ordered = sorted(zip(found, likeness, strict=True), key=lambda each: -each[1])
    return [(other, theirs, like) for (other, theirs), like in ordered[:MOST_READ] if like >= ALIKE]


def _find_opposite(passage: Passage, rule: Rule) -> Iterator[_Found]:
    """Yield what other documents allow that is forbidden here, or need that is not needed, and the other way round."""
    sentence = passage.content[rule.start : rule.end]
    question = f"{_YES.sub('', sentence).rstrip('.!')}?"
    for other in _find_near(sentence, passage.document_id):
        for theirs in find_rules(other.content):
            told = _tell_rule(passage, rule), _tell_rule(other, theirs)
            if not exclude(rule, theirs) or not contradict_rules(*told):
                continue
            [likeness] = similarities(sentence, [other.content[theirs.start : theirs.end]])
            if likeness >= ALIKE_RULES and not _is_either_superseded(passage, other):
                sides = [
                    Side(passage=each, start=its.start, end=its.end, says=its.says)
                    for each, its in ((passage, rule), (other, theirs))
                ]
                yield _Found(LIKENESS * (likeness - LIKE), question, *sides)


def _read_spans(question: str, passages: Sequence[Passage]) -> list[tuple[float, Span]]:
    """Return for each passage the logit that it answers, and where; one that is read in vain answers nothing."""
    check_stopped()
    readings = reader.read(question, [(one.source, one.content) for one in passages], budget_s=READ_WITHIN_S)
    nothing = (-math.inf, (0, 0))
    return [(one.answers, (one.best[0].start, one.best[0].end)) if one and one.best else nothing for one in readings]


def _is_within(span: Span, values: Sequence[Value]) -> bool:
    return span[0] < values[-1].end and values[0].start < span[1]


def _tell(passage: Passage, claim: Claim) -> Told:
    return replace(_tell_rule(passage, claim), values=claim.values, given=find_given(passage.content))


def _tell_rule(passage: Passage, said: Rule | Claim) -> Told:
    """Return what a sentence says, without the values that it gives."""
    lead = " ".join(passage.content[start:end] for start, end in said.leads)
    return Told(passage=passage, values=(), start=said.start, end=said.end, lead=lead, given=(), answers=0.0)


def _align(one: Told, other: Told) -> tuple[Told, Told]:
    """Return both with values of one kind where one is a bare number of a cell: "Seats = 12" and "seats 16 people"."""
    kinds = {one.values[0].kind, other.values[0].kind}
    if kinds != {"number", "count"}:
        return one, other
    return _as_numbers(one), _as_numbers(other)


def _as_numbers(told: Told) -> Told:
    values, given = (
        tuple(replace(value, kind="number", of=()) if value.kind == "count" else value for value in several)
        for several in (told.values, told.given)
    )
    return replace(told, values=values, given=given)


def _make_side(passage: Passage, claim: Claim) -> Side:
    says = (claim.values[0].start, claim.values[-1].end)
    return Side(passage=passage, start=claim.start, end=claim.end, says=says)


def _put_in_order(found: _Found) -> Pair:
    older, newer = sorted((found.mine, found.theirs), key=lambda side: _find_age(side.passage))
    return Pair(question=found.question, newer=newer, older=older)


def _is_either_superseded(passage: Passage, other: Passage) -> bool:
    older, newer = sorted((passage, other), key=_find_age)
    begins = [list_passages(each.document_id)[0] for each in (older, newer) if each.document_id]
    return len(begins) == 2 and is_superseded(begins[0], begins[1])


def _find_age(passage: Passage) -> dt.datetime:
    """Return the time by which documents are older and newer."""
    if passage.document_date:
        return dt.datetime.combine(passage.document_date, dt.time(), tzinfo=dt.UTC)
    ingested = Document.objects.filter(pk__in=[passage.document_id]).values_list("ingested_at", flat=True).first()
    return ingested or dt.datetime.min.replace(tzinfo=dt.UTC)
