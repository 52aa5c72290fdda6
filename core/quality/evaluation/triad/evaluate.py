"""Scoring one answer and keeping the scores: the work behind the job `core.evaluate`."""

import logging
from contextlib import nullcontext
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.asking.spending.meter import INSTALLATION, BudgetMeter, spender_of_query
from core.errors import EvaluationError
from core.llm.calls import CallContext, call_context
from core.models import Alert, EvaluationResult, QueryLog
from core.quality.evaluation.triad import metrics
from core.quality.evaluation.triad.exchange import AbstainedError, UnscorableError, exchange_of
from core.quality.evaluation.triad.judge import PREFIX, JudgeScorer
from core.quality.evaluation.triad.local import LocalScorer
from core.quality.evaluation.triad.recorder import record

logger = logging.getLogger(__name__)

NO_METHOD = "none"  # of an evaluation in which nothing was computed
_MOST_ERROR = 300  # characters that EvaluationResult.error holds
_THREE_DECIMALS = Decimal("0.001")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Outcome:
    """The result of one evaluation."""

    method: str
    scores: dict[str, float | None] = field(default_factory=dict)
    record_id: str | None = None
    abstained: bool = False
    error: str = ""
    retry: bool = False  # it may succeed later


def choose_scorer() -> metrics.Scorer:
    """Return the judge that EVALUATION_MODEL names, or the reader."""
    return JudgeScorer(settings.EVALUATION_MODEL) if settings.EVALUATION_MODEL else LocalScorer()


def evaluate(query_id: UUID) -> EvaluationResult | None:
    """Score the answer to a query, store the result and raise its alerts. None when the query is gone.

    A query that has its scores keeps them, whoever asks again. One whose evaluation failed is scored anew.
    EvaluationError, after the failure is stored, when trying again later may help.
    """
    log = QueryLog.objects.filter(query=query_id).select_related("query__answer", "query__conversation").first()
    if log is None:
        return None
    done = EvaluationResult.objects.filter(query_log=log, error="").first()
    if done:
        return done
    with call_context(CallContext(meter=BudgetMeter(spender_of_query(log.query) if log.query else INSTALLATION))):
        outcome = _score_log(log)
    result = _store_result(log, outcome)
    logger.info(
        "answer_evaluated",
        extra={
            "request_id": log.request_id,
            "trace_id": log.trace_id,
            "method": outcome.method,
            "abstained": outcome.abstained,
            "missing": sorted(name for name, score in outcome.scores.items() if score is None),
            "failed": bool(outcome.error),
        },
    )
    if outcome.retry:
        raise EvaluationError(outcome.error)
    return result


def _score_log(log: QueryLog) -> _Outcome:
    try:
        exchange = exchange_of(log)
    except AbstainedError:
        return _Outcome(method=NO_METHOD, abstained=True)
    except UnscorableError as error:
        return _Outcome(method=NO_METHOD, error=str(error))
    scorer = choose_scorer()
    measured = scorer.measures(exchange.question.content)
    if not measured:
        return _Outcome(method=scorer.method)
    try:
        with scorer.counted() if isinstance(scorer, JudgeScorer) else nullcontext():
            recorded = record(exchange, scorer, measured)
    except EvaluationError as error:
        return _Outcome(method=scorer.method, error=error.message, retry=True)
    messages = list(dict.fromkeys(recorded.failures.values()))
    return _Outcome(
        method=scorer.method,
        scores=recorded.scores,
        record_id=recorded.record_id,
        error=" ".join(messages),
        retry=bool(messages),
    )


def _store_result(log: QueryLog, outcome: _Outcome) -> EvaluationResult:
    with transaction.atomic():
        # Of two workers that scored the same answer, the second waits here and finds the work done.
        QueryLog.objects.select_for_update().get(pk=log.pk)
        done = EvaluationResult.objects.filter(query_log=log, error="").first()
        if done:
            return done
        result, _ = EvaluationResult.objects.update_or_create(
            query_log=log,
            defaults={
                **{f"{name}_score": _round_score(outcome.scores.get(name)) for name in metrics.NAMES},
                "abstained": outcome.abstained,
                "method": outcome.method,
                "trulens_record_id": outcome.record_id,
                "error": outcome.error[:_MOST_ERROR],
                "evaluated_at": timezone.now(),
            },
        )
        _raise_alerts(result)
    return result


def _raise_alerts(result: EvaluationResult) -> None:
    """Raise alerts about a judge's scores. Those without a judge tell right answers from wrong ones too seldom."""
    if not result.method.startswith(PREFIX):
        return
    thresholds = {
        metrics.RELEVANCE: (result.relevance_score, settings.ALERT_RELEVANCE_THRESHOLD),
        metrics.GROUNDEDNESS: (result.groundedness_score, settings.ALERT_GROUNDEDNESS_THRESHOLD),
    }
    for metric, (score, least) in thresholds.items():
        threshold = _round_score(least)
        if score is None or threshold is None or score >= threshold:
            continue
        _, new = Alert.objects.get_or_create(
            evaluation=result, metric=metric, defaults={"score": score, "threshold": threshold}
        )
        if new:
            logger.warning("evaluation_alert", extra={"evaluation_id": str(result.pk), "metric": metric})


def _round_score(score: float | None) -> Decimal | None:
    return None if score is None else Decimal(str(score)).quantize(_THREE_DECIMALS)
