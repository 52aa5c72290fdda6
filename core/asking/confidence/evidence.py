"""Compute figures that speak for passages answering a question, or against it. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.asking.reading.readings import Read, hold, read_nothing
from core.language.nlp.function_words import DENIALS
from core.language.nlp.look_alikes import find_look_alike
from core.language.nlp.seasons import TIMES_OF_YEAR
from core.language.nlp.sentence_scoring import Matches, Similarity, match
from core.language.nlp.text import content_stems, stem
from core.language.query_understanding.synonyms import find_synonyms
from core.types import Passage

# "Least" and "except" turn round what a question asks for. "Nobody" is mostly part of its story: "I nearly had an
# accident, nobody hurt: do I have to report it?"
_TURNED = re.compile(rf"\b(?:{DENIALS}|least|except)\b|n['’]t\b", re.IGNORECASE)
_VOTE_OF_NO = re.compile(r"\bvot(?:e|ed|es|ing) no\b", re.IGNORECASE)  # who votes no does vote
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’-]+")
_YEAR = re.compile(r"(?<![\d.,$€£#])(?:19|20)\d\d(?![\d%]|[.,]\d)")
_TWO_YEARS = re.compile(r"(?<!\d)(20)\d\d\s?[/–-]\s?(\d\d)(?![\d/–-])")  # a school year: 2024/25
_BEFORE_YEAR = re.compile(rf"\b(?:in|since|year|{TIMES_OF_YEAR})\s\Z", re.IGNORECASE)
LONG = 10  # content words of a long question, by which the length is divided


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """Holds the figures that confidence is computed from, each about 0..1. "Best" is the sentence of the highest score.

    Every figure compares the question with its passages alone, so that none depends on how large the library is.
    """

    top_similarity: float  # cosine similarity of the nearest passage with the question
    sentence_similarity: float  # of the nearest sentence
    best_similarity: float  # of the best sentence
    coverage: (
        float  # share of the question's weight in the best sentence, its heading and its passage (core.language.nlp)
    )
    first_held: float  # share of the question's weight that the first passage holds
    missing: float  # share of the question's weight that is not in the best sentence's passage
    name_missing: float  # share of the question's names that are not there
    number_missing: float  # share of its numbers and years that are not there
    kind_held: float  # 1: nothing of a kind is asked for, or the best sentence holds such a thing; else 0
    negated: float  # 1: the question has a negation
    negation_differs: float  # 1: either the question or the best sentence has a negation
    length: float  # content words of the question, by LONG
    is_named: bool = False  # the best sentence is a row or a field that the question names whole
    other_year: bool = False  # the question names a year, and the passage or its heading only others
    looks_alike: bool = False  # the passage lacks a word of the question, and has one that is spelt nearly the same
    column_similarity: float = 1.0  # of the nearest column with the question, where the best row names none asked for
    answers: float | None = None  # logit of the best sentence's passage, as a reader says; None: it was not read


def evidence_of(
    question: str, passages: Sequence[Passage], similarity: Similarity, *, read: Read = read_nothing, asked: str = ""
) -> Evidence | None:
    """Return the evidence that these passages, in the order of their ranks, answer the question; None when nothing can.

    asked: the question as it is read, where its words were searched for without some.
    """
    texts = [(passage.source, passage.content) for passage in passages]
    readings = read(asked or question, texts)
    found = match(question, texts, similarity, held=hold(readings))
    if not found.sentences or not found.weights:
        return None
    best = max(found.sentences, key=lambda sentence: sentence.score)
    held = found.stems[best.passage]
    reading = readings[best.passage]
    meant = {stem for others in find_synonyms(question).values() for stem in others}  # the same as its own stems
    return Evidence(
        top_similarity=max(passage.similarity for passage in passages),
        sentence_similarity=max(sentence.similarity for sentence in found.sentences),
        best_similarity=best.similarity,
        coverage=best.coverage,
        first_held=1.0 - found.measure_missing(0),
        missing=found.measure_missing(best.passage),
        name_missing=_share_missing(map(stem, _NAME.findall(question)), found, held),
        number_missing=_share_missing((s for s in found.weights if _NUMBER.search(s)), found, held),
        kind_held=float(best.holds_kind),
        negated=float(_is_negated(question)),
        negation_differs=float(_is_negated(question) != _is_negated(best.text)),
        length=len(set(content_stems(question))) / LONG,
        column_similarity=max(similarity(question, best.columns), default=1.0) if best.columns else 1.0,
        other_year=_is_of_other_year(question, passages[best.passage]),
        looks_alike=find_look_alike(question, held, same=meant) is not None,
        is_named=best.is_named and not _is_negated(question),
        answers=reading.answers if reading else None,
    )


def _is_of_other_year(question: str, passage: Passage) -> bool:
    """Return True if a question names a year, and a passage names years and none of the question's."""
    asked = _find_asked_years(question)
    if not asked:
        return False
    dated = {str(passage.document_date.year)} if passage.document_date else set()
    named = _find_years(f"{passage.source}\n{passage.content}") | dated
    return bool(named) and asked.isdisjoint(named)


def _find_asked_years(question: str) -> set[str]:
    """Return the years of a question, and not the number of "room for 2000 people"."""
    counting = [
        found.group()
        for found in _YEAR.finditer(question)
        if content_stems(question[found.end() :].partition(" ")[2].partition(" ")[0])
        and not _BEFORE_YEAR.search(question, 0, found.start())
    ]
    return _find_years(question).difference(counting)


def _find_years(text: str) -> set[str]:
    return {*_YEAR.findall(text), *("".join(found) for found in _TWO_YEARS.findall(text))}


def _share_missing(stems: Iterable[str], found: Matches, held: frozenset[str]) -> float:
    asked = {stem for stem in stems if stem in found.weights}
    return len(asked - held) / len(asked) if asked else 0.0


def _is_negated(text: str) -> bool:
    return bool(_TURNED.search(_VOTE_OF_NO.sub("", text)))
