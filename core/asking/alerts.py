"""Raise alerts about single answers: voted down, or refused although the documents answer the question.

Each hangs on the evaluation of the question, which is made where nothing has been scored yet.
"""

import logging
from decimal import Decimal

from django.db.models import Count, Q

from core.models import Alert, Answer, EvaluationResult, Feedback, QueryLog
from core.types import FeedbackReason

logger = logging.getLogger(__name__)

VOTES, REFUSAL, REFUSAL_READ = "votes", "refusal", "refusal_read"
# From this probability that a passage answers, a refusal is alarmed on: of 15 such refusals in the datasets 14 were
# wrong. docs/decisions/0090
READ_FROM = Decimal("0.8")
_NOT_SCORED = "Not scored yet."
_HALF = Decimal("0.5")


def weigh_votes(answer: Answer) -> None:
    """Raise the alert about an answer that more people voted down than up, or take it back where that has changed.

    A vote that the answer was slow, and nothing else, does not count, and of those on a refusal only that the documents
    do say it. An alert that somebody acknowledged stays.
    """
    said = Feedback.objects.filter(answer=answer).exclude(reasons=[FeedbackReason.TOO_SLOW])
    if answer.refusal_reason:
        said = said.filter(Q(verdict=Feedback.Verdict.UP) | Q(reasons__contains=[FeedbackReason.NOT_FOUND]))
    votes = said.aggregate(all=Count("pk"), up=Count("pk", filter=Q(verdict=Feedback.Verdict.UP)))
    log = QueryLog.objects.filter(query=answer.query_id).first()
    if log is None:
        return
    if votes["all"] and votes["up"] * 2 < votes["all"]:
        _raise_alert(log, VOTES, score=Decimal(votes["up"]) / votes["all"], threshold=_HALF)
    else:
        Alert.objects.filter(evaluation__query_log=log, metric=VOTES, acknowledged_at=None).delete()


def raise_refusal(log: QueryLog) -> None:
    """Raise the alert about a question that was refused although the documents found for it answer it."""
    _raise_alert(log, REFUSAL, score=Decimal(0), threshold=Decimal(1))


def raise_read_refusal(log: QueryLog, found: float) -> None:
    """Raise the alert about a refusal where the reader is sure enough that a passage found answers. found: 0..1."""
    if log.refusal_reason and Decimal(found) >= READ_FROM:
        _raise_alert(log, REFUSAL_READ, score=Decimal(found), threshold=READ_FROM)


def _raise_alert(log: QueryLog, metric: str, *, score: Decimal, threshold: Decimal) -> None:
    # What has an answer is scored later, over this row; a refusal has no scores.
    missing = "" if log.refusal_reason else _NOT_SCORED
    evaluation, _ = EvaluationResult.objects.get_or_create(
        query_log=log, defaults={"method": "none", "abstained": True, "error": missing}
    )
    _, is_new = Alert.objects.get_or_create(
        evaluation=evaluation,
        metric=metric,
        defaults={"score": score.quantize(Decimal("0.001")), "threshold": threshold},
    )
    if is_new:
        logger.warning("answer_alert", extra={"request_id": log.request_id, "metric": metric})
