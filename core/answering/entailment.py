"""Entailment: a model of natural language inference says whether a statement follows from its quotes.

Off unless VERIFIER_MODEL names a cross-encoder, and asked after the lexical check alone, so that it can drop statements
and never bring one back. When it cannot be loaded or fails, the lexical check stands by itself, and the log says so.
"""

import logging
import math
import time
from typing import Any

from django.conf import settings

from core.retrieval.cross_encoders import CrossEncoders, log_unavailable

logger = logging.getLogger(__name__)

LABELS = 3  # entailment, neutral, contradiction, in the order that the model's configuration names


class Entailment:
    """The verdicts for one question, each pair asked once, within the time that all of them have. Used once."""

    def __init__(self) -> None:
        self._verdicts: dict[tuple[str, str], bool | None] = {}
        self._spent_ms = 0.0

    def __call__(self, premise: str, hypothesis: str) -> bool | None:
        """True when the premise entails the hypothesis with a probability of VERIFIER_THRESHOLD or more.

        None when that could not be found out: no model is configured or it cannot be loaded, it failed, or
        VERIFIER_BUDGET_MS were over before it was asked; loading does not count. What is longer than the model reads
        is cut by the model.
        """
        if not settings.VERIFIER_MODEL:
            return None
        pair = (premise, hypothesis)
        if pair not in self._verdicts:
            self._verdicts[pair] = self._verdict(premise, hypothesis)
        return self._verdicts[pair]

    def _verdict(self, premise: str, hypothesis: str) -> bool | None:
        model = _models.loaded(settings.VERIFIER_MODEL)
        if model is None:
            return None
        if self._spent_ms >= settings.VERIFIER_BUDGET_MS:
            times = {"spent_ms": round(self._spent_ms, 1), "budget_ms": settings.VERIFIER_BUDGET_MS}
            logger.warning("verifier_over_budget", extra={"asked": len(self._verdicts), **times})
            return None
        started = time.perf_counter()
        try:
            return _probability(model, premise, hypothesis) >= float(settings.VERIFIER_THRESHOLD)
        except (RuntimeError, ValueError, IndexError) as error:
            # The error's own words may hold text, so only its kind is logged.
            logger.warning("verifier_failed", extra={"error": type(error).__name__})
            return None
        finally:
            self._spent_ms += (time.perf_counter() - started) * 1000


def _probability(model: Any, premise: str, hypothesis: str) -> float:
    logits = model.predict([(premise, hypothesis)], show_progress_bar=False, convert_to_tensor=True)
    probability = float(logits.double().softmax(dim=-1)[0][_entailment_label(model)])
    if not math.isfinite(probability):
        raise ValueError("a probability is not a number")
    return probability


def _entailment_label(model: Any) -> int:
    """The place of "entailment" among the model's labels. ValueError for a model that was not trained for it."""
    names = {int(place): str(label).casefold() for place, label in model.config.id2label.items()}
    found = [place for place, label in names.items() if label.startswith("entail")]
    if len(names) != LABELS or len(found) != 1:
        raise ValueError("the model was not trained to tell entailment")
    return found[0]


_models = CrossEncoders(
    check=_entailment_label,
    unavailable=log_unavailable(
        logger,
        "verifier_unavailable",
        setting="VERIFIER_MODEL",
        hint=(
            "The model that VERIFIER_MODEL names could not be loaded, so statements are checked by their words alone. "
            "Check that it is a cross-encoder with the labels entailment, neutral and contradiction and that its folder"
            " is complete, then start this process again."
        ),
    ),
)
