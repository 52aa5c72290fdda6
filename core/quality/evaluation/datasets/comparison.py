"""Compare a run over a dataset with the one before: which questions came out differently, and alerts of what fell.

What must never happen at all is alerted as well.
"""

import logging
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings

from core.errors import NotFoundError
from core.models import Alert, EvaluationRun, EvaluationRunLine
from core.quality.evaluation.datasets.verdict import RIGHT

COMPARED = (
    "right_share",
    "right_source",
    "answer_contains",
    "page_right",
    "abstained_rightly",
    "abstained_wrongly",
    "precision",
    "statements_dropped",
    "forbidden_shown",
    "latency_p50_ms",
    "latency_p95_ms",
)

logger = logging.getLogger(__name__)

# Shares of which more is better; what is refused wrongly shows in right_share.
WATCHED = ("right_share", "right_source", "answer_contains", "page_right", "abstained_rightly", "precision")
_THREE_DECIMALS = Decimal("0.001")


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """A question with another outcome than before."""

    identifier: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """The differences between two runs."""

    before: EvaluationRun
    after: EvaluationRun
    same_questions: bool  # every line that was asked is the same
    broken: tuple[Changed, ...]  # right before, not now
    mended: tuple[Changed, ...]  # not right before, right now
    other: tuple[Changed, ...]  # wrong in another way
    only_before: tuple[str, ...]  # ids of questions that were not asked again
    only_after: tuple[str, ...]  # ids of those that are new

    def figures(self) -> dict[str, tuple[Any, Any]]:
        """Return the figures that differ, before and after."""
        pairs = {name: (self.before.figures.get(name), self.after.figures.get(name)) for name in COMPARED}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "before": str(self.before.pk),
            "same_questions": self.same_questions,
            "figures": {name: list(pair) for name, pair in self.figures().items()},
            **{
                name: [
                    {"id": one.identifier, "kind": one.kind, "before": one.before, "after": one.after}
                    for one in getattr(self, name)
                ]
                for name in ("broken", "mended", "other")
            },
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
        }


def earlier(run: EvaluationRun) -> EvaluationRun | None:
    """The finished run that began last before this one: one with the same questions, or else one over the dataset."""
    runs = EvaluationRun.objects.filter(started_at__lt=run.started_at, finished_at__isnull=False)
    runs = runs.filter(dataset=run.dataset).order_by("-started_at")
    return runs.filter(dataset_hash=run.dataset_hash).first() or runs.first()


def find_run(reference: str) -> EvaluationRun:
    """Return the finished run of that id, or of which the id begins so. NotFoundError unless it is exactly one."""
    runs = [
        run
        for run in EvaluationRun.objects.filter(finished_at__isnull=False).only("pk", "dataset", "figures")
        if reference and str(run.pk).startswith(reference.casefold())
    ]
    if len(runs) != 1:
        raise NotFoundError(f"There is no finished run {reference}, or more than one whose id starts with this.")
    return EvaluationRun.objects.get(pk=runs[0].pk)


def compare(before: EvaluationRun, after: EvaluationRun) -> Comparison:
    """Hold the lines of two runs against each other, by their ids."""
    old, new = ({line.identifier: line for line in run.lines.all()} for run in (before, after))
    changed = [(old[name], line) for name, line in new.items() if name in old and old[name].outcome != line.outcome]
    return Comparison(
        before=before,
        after=after,
        same_questions=before.dataset_hash == after.dataset_hash,
        broken=tuple(
            _build_change(*pair) for pair in changed if pair[0].outcome in RIGHT and pair[1].outcome not in RIGHT
        ),
        mended=tuple(
            _build_change(*pair) for pair in changed if pair[0].outcome not in RIGHT and pair[1].outcome in RIGHT
        ),
        other=tuple(
            _build_change(*pair) for pair in changed if (pair[0].outcome in RIGHT) == (pair[1].outcome in RIGHT)
        ),
        only_before=tuple(name for name in old if name not in new),
        only_after=tuple(name for name in new if name not in old),
    )


def _build_change(before: EvaluationRunLine, after: EvaluationRunLine) -> Changed:
    return Changed(identifier=after.identifier, kind=after.kind, before=before.outcome, after=after.outcome)


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
            run=run, metric=metric, defaults={"score": _round_share(value), "threshold": _round_share(threshold)}
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


def _round_share(value: float) -> Decimal:
    return Decimal(str(value)).quantize(_THREE_DECIMALS)
