"""How likely it is that passages answer a question, as a probability. Pure.

A logistic regression over the figures of `evidence` and the products of any two of them. estimate.json holds its
coefficients, written by `python -m benchmarks.abstention --fit`, which also says how good it is; decision 0034 has the
figures.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from importlib import resources
from typing import Any

from core.confidence.evidence import Evidence
from core.types import ConfidenceLevel

# Of what is held out, 94, 81 and 71 % can be answered (decision 0037).
HIGH_FROM, MEDIUM_FROM, LOW_FROM = 0.8, 0.65, 0.5
NAMES = tuple(field.name for field in fields(Evidence))


def terms_of(evidence: Evidence) -> dict[str, float]:
    """Every figure by its name, and every product of two figures (or of one with itself) by "name*name"."""
    values = {name: float(getattr(evidence, name)) for name in NAMES}
    products = {f"{one}*{other}": values[one] * values[other] for n, one in enumerate(NAMES) for other in NAMES[n:]}
    return values | products


def probability(evidence: Evidence) -> float:
    """The probability, 0..1, that passages with this evidence answer the question."""
    return logistic(evidence, _load_fit())


def logistic(evidence: Evidence, fitted: Mapping[str, Any]) -> float:
    """The same by other coefficients: {"intercept": number, "coefficients": {name of a term: number}}."""
    terms = terms_of(evidence)
    weighted = fitted["intercept"] + sum(value * terms[name] for name, value in fitted["coefficients"].items())
    return 1.0 / (1.0 + math.exp(-max(min(weighted, 30.0), -30.0)))


def level_of(confidence: float, *, low_from: float = LOW_FROM) -> ConfidenceLevel:
    """A probability in words. Under low_from it is not enough to answer."""
    if confidence >= HIGH_FROM:
        return ConfidenceLevel.HIGH
    if confidence >= MEDIUM_FROM:
        return ConfidenceLevel.MEDIUM
    return ConfidenceLevel.LOW if confidence >= low_from else ConfidenceLevel.INSUFFICIENT


@cache
def _load_fit() -> Mapping[str, Any]:
    text = resources.files(__package__).joinpath("estimate.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
