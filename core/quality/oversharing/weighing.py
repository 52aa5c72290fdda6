"""Weigh passages: how sure it is that their words are confidential, by their signs and by their embedding. Pure.

A logistic regression over the signs of the rules and over the passage's embedding, which knows what confidential papers
sound like where they have no word for it. It was fitted by `python -m benchmarks.oversharing --fit` to the build half
of evaluation/oversharing.jsonl; docs/evaluation.md has the figures of the other half. The reader's logits were no gain
beside them: it says of which topic a passage is, and which sentence tells.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from core.quality.oversharing.rules import Signs
from core.values.oversharing import Topic

WEIGHTS = Path(__file__).with_name("weights.json")
SIGNS = """
    words particular people speaks_of_one not_for_all not_for_all_elsewhere for_everybody title numbers days amounts
    marked alone
""".split()  # noqa: SIM905
_FARTHEST = 30.0  # logit
_STEP = 0.5  # of a name's or word's weight against another sign's: signs are of about the same size


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """Holds what was fitted."""

    version: str
    near: np.ndarray  # for the packaged model's embedding
    signs: np.ndarray  # in the order of SIGNS
    intercept: float
    without_words: float  # what is taken off the logit of a passage without a word of any topic


@cache
def load_weights() -> Weights:
    """Load the fitted weights."""
    raw = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return Weights(
        version=raw["version"],
        near=np.asarray(raw["near"], dtype=np.float32),
        signs=np.asarray([raw["signs"][name] for name in SIGNS], dtype=np.float32),
        intercept=raw["intercept"],
        without_words=raw["without_words"],
    )


def list_numbers(signs: Signs) -> list[float]:
    """Return the signs of a passage as numbers, in the order of SIGNS."""
    words = [count for topic, count in signs.topics.items() if topic != Topic.MARKED]
    return [
        min(4, max(words, default=0)) * _STEP,
        float(signs.is_particular),
        signs.people * _STEP,
        float(signs.speaks_of_one),
        float(signs.not_for_all),
        signs.not_for_all_elsewhere * _STEP,
        signs.for_everybody * _STEP,
        float(signs.is_titled_for_everybody),
        float(signs.numbers),
        signs.days * _STEP,
        signs.amounts * _STEP,
        float(Topic.MARKED in signs.topics),
        float(signs.is_alone),
    ]


def weigh(signs: Sequence[Signs], vectors: np.ndarray) -> list[float]:
    """Return for each passage of a document the probability that its words are confidential, 0..1.

    vectors: the passages' embeddings by the packaged model, of length 1.
    """
    if not signs:
        return []
    weights = load_weights()
    numbers = np.asarray([list_numbers(one) for one in signs], dtype=np.float32)
    logits = np.asarray(vectors, dtype=np.float32) @ weights.near + numbers @ weights.signs + weights.intercept
    lacking = [0.0 if one.topics else weights.without_words for one in signs]
    return [
        1 / (1 + math.exp(-max(-_FARTHEST, min(_FARTHEST, float(logit) - less))))
        for logit, less in zip(logits, lacking, strict=True)
    ]
