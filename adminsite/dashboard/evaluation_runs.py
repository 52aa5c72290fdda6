"""A chart of the runs over a dataset: how the shares went from run to run."""

import json
from typing import Any

from django.db.models import QuerySet

from adminsite.dashboard.chart_style import LINE_OPTIONS
from core.models import EvaluationRun

SHOWN_RUNS = 20
_LINES = (
    ("right", "right_share", "var(--color-primary-600)"),
    ("right source", "right_source", "#0d9488"),
    ("abstained rightly", "abstained_rightly", "#2563eb"),
    ("abstained wrongly", "abstained_wrongly", "#d97706"),
)


def chart(runs: QuerySet[EvaluationRun]) -> dict[str, Any]:
    """Build the chart of the dataset that was asked last among the runs; {} without two runs to compare."""
    finished = runs.order_by("-started_at").filter(finished_at__isnull=False)
    dataset = finished.values_list("dataset", flat=True).first()
    shown = list(finished.filter(dataset=dataset)[:SHOWN_RUNS])[::-1]
    if len(shown) < 2:
        return {}
    lines = {
        "labels": [f"{run.started_at:%Y-%m-%d %H:%M}" for run in shown],
        "datasets": [
            {
                "label": label,
                "data": [run.figures.get(name) for run in shown],
                "borderColor": colour,
                "backgroundColor": colour,
                "pointRadius": 3,
                "spanGaps": True,
                "clip": False,  # a share of 1 lies on the edge
            }
            for label, name, colour in _LINES
        ],
    }
    return {"dataset": dataset, "runs_chart": json.dumps(lines), "runs_options": json.dumps(LINE_OPTIONS)}
