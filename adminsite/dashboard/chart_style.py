"""Share the style of charts: their colours, the options of their library (Chart.js) and one stack of bars."""

from collections.abc import Sequence
from typing import Any

ANSWERED, CLOSEST, REFUSED = "var(--color-primary-600)", "var(--color-primary-300)", "var(--color-base-300)"
_LEGEND = {"legend": {"align": "end", "labels": {"boxWidth": 8, "boxHeight": 8, "usePointStyle": True}}}
_SHAPE = {"animation": False, "responsive": True, "maintainAspectRatio": False, "plugins": _LEGEND}
_NO_GRID = {"grid": {"display": False}, "ticks": {"maxTicksLimit": 10, "maxRotation": 0}}
BAR_OPTIONS = {
    **_SHAPE,
    "scales": {"x": {**_NO_GRID, "stacked": True}, "y": {"stacked": True, "ticks": {"precision": 0}}},
}
LINE_OPTIONS = {**_SHAPE, "scales": {"x": _NO_GRID, "y": {"min": 0, "max": 1}}}
LINES = (
    ("relevance", "Context relevance", "var(--color-primary-600)"),
    ("groundedness", "Groundedness", "#0d9488"),
    ("answer_relevance", "Answer relevance", "#d97706"),
)


def bars(label: str, values: Sequence[int], colour: str) -> dict[str, Any]:
    """One stack of a bar chart."""
    return {
        "label": label,
        "data": list(values),
        "backgroundColor": colour,
        "maxBarThickness": 18,
        "borderRadius": 3,
    }
