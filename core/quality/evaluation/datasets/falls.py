"""Alerts of runs: a figure that fell since the run before, and what must never happen at all."""

import logging
from decimal import Decimal
from typing import Any

from django.conf import settings

from core.models import Alert, EvaluationRun
from core.quality.evaluation.datasets.comparison import earlier

logger = logging.getLogger(__name__)

# Shares of which more is better; what is refused wrongly shows in right_share.
WATCHED = ("right_share", "right_source", "answer_contains", "page_right", "abstained_rightly", "precision")
_THREE_DECIMALS = Decimal("0.001")


def raise_alerts(run: EvaluationRun) -> list[Alert]:
    """Raise an alert for each figure that fell by more than EVALUATION_ALERT_DROP since the run before.

    Runs with other questions are not compared. A forbidden document or a quote found nowhere always raises one.
    """
    faults = _find_faults(run.figures)
    before = earlier(run)
    if before is not None and before.dataset_hash == run.dataset_hash:
        faults |= _find_falls(before.figures, run.figures)
    alerts = []
    for metric, (value, threshold) in faults.items():
        alert, new = Alert.objects.get_or_create(
            run=run, metric=metric, defaults={"score": _round(value), "threshold": _round(threshold)}
        )
        if new:
            logger.warning("evaluation_run_alert", extra={"run": str(run.pk), "metric": metric})
        alerts.append(alert)
    return alerts


def _find_falls(before: dict[str, Any], now: dict[str, Any]) -> dict[str, tuple[float, float]]:
    found = {}
    for name in WATCHED:
        was, value = before.get(name), now.get(name)
        if was is None or value is None:
            continue
        least = max(0.0, was - settings.EVALUATION_ALERT_DROP)
        if value < least - 1e-9:
            found[name] = (value, least)
    return found


def _find_faults(now: dict[str, Any]) -> dict[str, tuple[float, float]]:
    counted = {"nothing_forbidden": ("forbidden_shown", "questions"), "quotes_supported": ("unsupported", "quotes")}
    return {
        metric: (1.0 - now[wrong] / now[of], 1.0)
        for metric, (wrong, of) in counted.items()
        if now.get(of) and now.get(wrong)
    }


def _round(value: float) -> Decimal:
    return Decimal(str(value)).quantize(_THREE_DECIMALS)
