"""Scores without a language model: words and embeddings, weighted by logistic regressions. Not a judge.

Each score is the probability, 0..1, that a regression gives to "these passages answer the question", "this passage
carries this statement" and "this statement answers the question". The regressions were fitted by
`python -m benchmarks.fit_evaluation` on SQuAD 2.0 (dev) and SciFact; docs/decisions/0007 has the figures.

What they cannot see: a negation, a wrong relation between the right words, a contradiction, whether an answer is
complete. A judge (the setting EVALUATION_MODEL) can.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from core import embedding
from core.evaluation.triad.asked import coverage, list_readings
from core.evaluation.triad.subjects import of_another_subject
from core.nlp.text import content_stems, sentences
from core.verification.dates import Date, split_dates

VERSION = 3  # of the features and weights below; part of the method's name, so that reports can distinguish them

_MARKS = re.compile(r"(?:(?<!\s)\s++)?\[\d+\]")
# A date in front of a statement: how an answer over time names that of a source, and how models do.
_DATED = re.compile(r"(?:(?:as of|as at|on|in)\s)?(?P<date>[\w ,.-]{4,24}?)(?::|,)\s(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,/:-]\d+)*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """A logistic regression over two features, each 0..1."""

    similarity: float  # weight of the cosine similarity
    coverage: float  # weight of the share of content words that are found
    intercept: float

    def probability(self, similarity: float, coverage: float) -> float:
        """The probability, 0..1."""
        weighted = self.similarity * similarity + self.coverage * coverage + self.intercept
        return 1.0 / (1.0 + math.exp(-weighted))


# Area under the ROC curve on the half held out: 0.911, 0.827, 0.947. The intercept of RELEVANCE is set so that nine of
# ten passages that do answer reach 0.85, the default line for alerts: one good answer in ten raises one.
RELEVANCE = Weights(similarity=3.59, coverage=6.46, intercept=-3.42)
SUPPORT = Weights(similarity=1.48, coverage=5.28, intercept=-2.67)
ANSWER_RELEVANCE = Weights(similarity=3.93, coverage=6.40, intercept=-4.02)


class LocalScorer:
    """Scores with the embedding model that Footnote runs anyway. Deterministic.

    Which model that is, is asked once, by whoever makes the scorer: TruLens scores in threads of its own, each of
    which would keep a connection to the database.
    """

    def __init__(self) -> None:
        self._model = embedding.provider()

    @property
    def method(self) -> str:
        """`local:VERSION:EMBEDDING MODEL`."""
        return f"local:{VERSION}:{self._model.name}"

    def relevance(self, question: str, passages: Sequence[str]) -> float:
        """Score how likely the best of the passages answers the question, in the reading that fits best."""
        return self._fit(RELEVANCE, question, passages)

    def groundedness(self, question: str, answer: str, passages: Sequence[str]) -> float:
        """Return the mean over the answer's statements of the probability that the best passage supports them.

        A statement that occurs in a passage word for word counts 1. One with a number that no passage has counts 0, and
        so does one that its passage says of something else than the question names: of Class C, asked for Class A. A
        date in front of a statement is that of its source: only passages of that date can support it.
        """
        said = [_Statement.of(statement, passages) for statement in statements(answer)]
        if not said:
            return 0.0
        plain = [statement.plainly(question) for statement in said]
        reworded = [statement for statement, score in zip(said, plain, strict=True) if score is None]
        weighed = _support(reworded, passages, self._model.embed)
        return (sum(score for score in plain if score is not None) + sum(weighed)) / len(said)

    def answer_relevance(self, question: str, answer: str) -> float:
        """Score how likely the best statement of the answer answers the question."""
        said = statements(answer)
        if not said:
            return 0.0
        return self._fit(ANSWER_RELEVANCE, question, said)

    def _fit(self, weights: Weights, question: str, texts: Sequence[str]) -> float:
        """The probability of the best of the texts for the best of the question's readings."""
        readings = list_readings(question)
        vectors = self._model.embed([*readings, *texts])
        similarity = vectors[: len(readings)] @ vectors[len(readings) :].T
        return max(
            weights.probability(float(similarity[row, column]), coverage(reading, text))
            for row, reading in enumerate(readings)
            for column, text in enumerate(texts)
        )


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement without the date in front of it, and the passages that can carry it."""

    text: str
    passages: tuple[str, ...]

    @classmethod
    def of(cls, statement: str, passages: Sequence[str]) -> Self:
        """A statement of an answer. A date in front of it leaves the passages of that date."""
        dated = _DATED.match(statement)
        days, rest = split_dates(dated["date"]) if dated else ([], "")
        if not dated or not days or rest.strip(" ,."):
            return cls(statement, tuple(passages))
        of_date = tuple(passage for passage in passages if _says_all(passage, days))
        return cls(statement[dated.end() :], of_date)

    def plainly(self, question: str) -> float | None:
        """Return 1 if it occurs word for word, 0 if something forbids it, None if it has to be weighed."""
        days, rest = split_dates(self.text)
        together = "\n".join(self.passages)
        if not self.passages or not numbers(rest) <= numbers(together) or not _says_all(together, days):
            return 0.0
        holding = [passage for passage in self.passages if _fold_text(self.text) in _fold_text(passage)]
        if not holding:
            return None
        return 0.0 if all(of_another_subject(question, self.text, passage) for passage in holding) else 1.0


def statements(answer: str) -> list[str]:
    """The sentences of an answer that say something, without their citation marks."""
    lines = _MARKS.sub("", answer).splitlines()
    found = [line[start:end] for line in lines for start, end in sentences(line)]
    return [sentence for sentence in found if content_stems(sentence)]


def numbers(text: str) -> set[str]:
    """The numbers in a text, as written."""
    return set(_NUMBER.findall(text))


def _support(
    said: Sequence[_Statement], passages: Sequence[str], embed: Callable[[Sequence[str]], np.ndarray]
) -> list[float]:
    """For each statement, the probability that the best of its passages carries it: its words, its nearest sentence."""
    if not said:
        return []
    pieces = [[passage[start:end] for start, end in sentences(passage)] for passage in passages]
    vectors = embed([*(statement.text for statement in said), *(piece for passage in pieces for piece in passage)])
    ends = np.cumsum([len(said), *(len(passage) for passage in pieces)])
    return [
        max(
            SUPPORT.probability(
                float((vectors[start:end] @ vectors[index]).max()) if end > start else 0.0,
                coverage(statement.text, passage),
            )
            for passage, start, end in zip(passages, ends[:-1], ends[1:], strict=True)
            if passage in statement.passages
        )
        for index, statement in enumerate(said)
    ]


def _says_all(passage: str, days: Sequence[Date]) -> bool:
    """Return True if a passage, or the heading it is read under, gives each of the dates, in whatever form."""
    known = split_dates(passage)[0] if days else []
    return all(any(one.says(day) for one in known) for day in days)


def _fold_text(text: str) -> str:
    return " ".join(text.split()).casefold().rstrip(".!?")
