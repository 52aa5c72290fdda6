"""Estimate how likely it is that passages answer a question, as a probability. Pure.

Logistic regressions over the figures of `evidence`. Where something was read (read.json): over what the reader says of
the best sentence's passage and how near that sentence is in meaning, the probability that the answer is right;
`python -m benchmarks.gate fit` writes the coefficients. Where nothing was (unread.json): over the figures and the
products of any two of them, the probability that the passages answer; `python -m benchmarks.abstention --fit` writes
them.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib import resources
from typing import Any

from core.asking.confidence.evidence import Evidence
from core.types import ConfidenceLevel

HIGH_FROM, MEDIUM_FROM, LOW_FROM = 0.9, 0.7, 0.5  # docs/evaluation.md has how often answers of each are right
OF_READ = ("answers", "best_similarity")
# Of the cell of a table whose row and column a question names whole, and of a field of a form by its label. Set, not
# fitted: "medium" in words.
SURE_OF_CELL = 0.7
# Of a row that the question names, none of whose columns is called or meant as what is asked for: the pump's weight,
# where a table has its power. Of 26 such questions with a column in other words and two or four others beside it,
# 22 have their column nearer than this, and of the others 80 % are farther.
NEAR_COLUMN = 0.25
OF_OTHER_COLUMN = 0.7
# Of a passage that has "river" and not the question's "rivet": core.language.nlp.look_alikes.
OF_LOOK_ALIKE = 0.45
# Of a passage that names years and not the question's: the fete of 2023, where a paper has that of 2024. Of 1,309
# questions about papers of organisations (benchmarks/papers.py) ten such were answered, and none of them has an answer.
OF_OTHER_YEAR = 0.4
OF_ROWS = {"answers", "is_named", "looks_alike", "other_year", "column_similarity"}
NAMES = tuple(field.name for field in fields(Evidence) if field.name not in OF_ROWS)


def terms_of(evidence: Evidence) -> dict[str, float]:
    """Return what the fit knows: two figures where something was read, else all and their products by "name*name"."""
    if evidence.answers is not None:
        return {name: float(getattr(evidence, name)) for name in OF_READ}
    values = {name: float(getattr(evidence, name)) for name in NAMES}
    products = {f"{one}*{other}": values[one] * values[other] for n, one in enumerate(NAMES) for other in NAMES[n:]}
    return values | products


def probability(evidence: Evidence) -> float:
    """Return the probability, 0..1, that passages with this evidence answer the question."""
    fitted = logistic(evidence, load_fit("unread" if evidence.answers is None else "read"))
    if evidence.column_similarity < NEAR_COLUMN:
        fitted *= OF_OTHER_COLUMN
    if evidence.looks_alike:
        fitted *= OF_LOOK_ALIKE
    if evidence.other_year:
        fitted *= OF_OTHER_YEAR
    return max(fitted, SURE_OF_CELL) if evidence.is_named else fitted


def logistic(evidence: Evidence, fitted: Mapping[str, Any]) -> float:
    """Return the same by other coefficients: {"intercept": number, "coefficients": {name of a term: number}}."""
    terms = terms_of(evidence)
    weighted = fitted["intercept"] + sum(value * terms[name] for name, value in fitted["coefficients"].items())
    return 1.0 / (1.0 + math.exp(-max(min(weighted, 30.0), -30.0)))


def level_of(confidence: float, *, low_from: float = LOW_FROM) -> ConfidenceLevel:
    """Return a probability in words. Under low_from it is not enough to answer."""
    if confidence >= HIGH_FROM:
        return ConfidenceLevel.HIGH
    if confidence >= MEDIUM_FROM:
        return ConfidenceLevel.MEDIUM
    return ConfidenceLevel.LOW if confidence >= low_from else ConfidenceLevel.INSUFFICIENT


@cache
def load_fit(name: str) -> Mapping[str, Any]:
    """Return what was fitted: "read" or "unread"."""
    text = resources.files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
