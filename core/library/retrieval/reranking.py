"""Re-ranking: a cross-encoder reads the query and a text together and says how well they fit.

Off unless RERANKER_MODEL names a model, and never in the way: when it cannot be loaded, fails or takes too long,
there are no scores, and the caller keeps the order it has.
"""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from core.infrastructure.measures.families import step_seconds, timed
from core.infrastructure.tracing.spans import span
from core.library.embedding.cross_encoders import CrossEncoders, log_unavailable

logger = logging.getLogger(__name__)

_switched_off: ContextVar[bool] = ContextVar("reranking_switched_off", default=False)


@dataclass(slots=True)
class Tally:
    """Counts of reranking calls for which a model was configured."""

    scored: int = 0
    unscored: int = 0  # not loaded, failed, or out of time


_tally: ContextVar[Tally | None] = ContextVar("reranking_tally", default=None)


def rerank(query: str, texts: Sequence[str]) -> list[float] | None:
    """Score how well each text fits the query, 0..1, in the order of the texts.

    None when there are no scores: no model is configured, it cannot be loaded, it failed, or RERANKER_BUDGET_MS was
    over before all texts were scored. The budget is checked between batches, and loading does not count. What is
    longer than the model reads is cut by the model.
    """
    name = settings.RERANKER_MODEL
    if not name or _switched_off.get():
        return None
    if not texts:
        return []
    model = _models.load_model(name)
    scores = None
    if model is not None:
        with timed(step_seconds, "rerank"), span("answer.rerank", texts=len(texts)):
            scores = _score_texts(model, query, texts)
    tally = _tally.get()
    if tally is not None:
        tally.scored += scores is not None
        tally.unscored += scores is None
    return scores


@contextmanager
def tally_calls() -> Iterator[Tally]:
    """Count the calls within the block, in its thread: whoever measures has to know how often there were no scores."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


@contextmanager
def switch_off_reranking() -> Iterator[None]:
    """Within the block `rerank` gives no scores, as when no model is configured."""
    token = _switched_off.set(True)
    try:
        yield
    finally:
        _switched_off.reset(token)


def _score_texts(model: Any, query: str, texts: Sequence[str]) -> list[float] | None:
    size, budget_ms = settings.RERANKER_BATCH_SIZE, settings.RERANKER_BUDGET_MS
    started = time.perf_counter()
    scores: list[float] = []
    for start in range(0, len(texts), size):
        took_ms = (time.perf_counter() - started) * 1000
        if took_ms >= budget_ms:
            counts = {"scored": len(scores), "texts": len(texts)}
            logger.warning(
                "reranker_over_budget", extra={**counts, "took_ms": round(took_ms, 1), "budget_ms": budget_ms}
            )
            return None
        try:
            scores += _of_batch(model, query, texts[start : start + size])
        except (RuntimeError, ValueError, IndexError) as error:
            # The error's own words may hold text, so only its kind is logged.
            logger.warning("reranker_failed", extra={"error": type(error).__name__, "texts": len(texts)})
            return None
    return scores


def _of_batch(model: Any, query: str, texts: Sequence[str]) -> list[float]:
    found = model.predict(
        [(query, text) for text in texts],
        batch_size=len(texts),
        show_progress_bar=False,
        activation_fn=_probability,
        convert_to_tensor=True,
    ).tolist()
    if not all(math.isfinite(score) for score in found):
        raise ValueError("a score is not a number")
    return [float(score) for score in found]


def _probability(logits: Any) -> Any:
    """Return the sigmoid, in double precision: in single precision all logits above 17 would be ties."""
    return logits.double().sigmoid()


def _check_that_it_compares(model: Any) -> None:
    """ValueError for a model without one trained output. An embedding model is loaded too, with a random output."""
    if model.num_labels != 1:
        raise ValueError("a re-ranker gives one score for each pair")
    kinds = model[0].model.config.architectures or ()
    is_transformer_alone = len(model) == 1
    if is_transformer_alone and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise ValueError("the model was not trained to compare two texts")


_models = CrossEncoders(
    check=_check_that_it_compares,
    unavailable=log_unavailable(
        logger,
        "reranker_unavailable",
        setting="RERANKER_MODEL",
        hint=(
            "The model that RERANKER_MODEL names could not be loaded, so results are not re-ranked. Check that it is "
            "a cross-encoder with one label and that its folder is complete. Then restart this process."
        ),
    ),
)
