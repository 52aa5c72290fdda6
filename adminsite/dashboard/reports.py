"""The table and the charts of a report."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adminsite.dashboard.chart_style import ANSWERED, BAR_OPTIONS, CLOSEST, LINE_OPTIONS, LINES, REFUSED, bars
from adminsite.figures import score_in_words
from core.quality.reports.figures import HEADINGS, Report, ReportRow
from core.quality.reports.grouping import Grouping

SHOWN_ROWS = 200  # of the table; a file has them all
_CHARTED = 20  # groups in a chart whose groups do not follow each other in time
_SCALES: Any = LINE_OPTIONS["scales"]
_TIME_OPTIONS = {**LINE_OPTIONS, "scales": {"x": _SCALES["x"], "y": {"min": 0}}}
_TIMES = (("latency_p50_ms", "Median", ANSWERED), ("latency_p95_ms", "95 % within", "#d97706"))


def _format_count(value: int) -> str:
    return f"{value:,}"


def _format_seconds(value: float | None) -> str:
    return "–" if value is None else f"{value / 1000:.2f}"


def _format_dollars(value: float) -> str:
    return f"{value:.4f}" if value else "0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """A column of the table."""

    name: str  # of the field of a row
    show: Callable[[Any], str] = _format_count

    @property
    def heading(self) -> str:
        """Return what is written above it."""
        return HEADINGS[self.name]


COLUMNS = (
    Column(name="questions"),
    Column(name="answered"),
    Column(name="closest"),
    Column(name="refused"),
    Column(name="up"),
    Column(name="down"),
    Column(name="relevance", show=score_in_words),
    Column(name="groundedness", show=score_in_words),
    Column(name="answer_relevance", show=score_in_words),
    Column(name="mean_similarity", show=score_in_words),
    Column(name="confidence", show=score_in_words),
    Column(name="latency_p50_ms", show=_format_seconds),
    Column(name="latency_p95_ms", show=_format_seconds),
    Column(name="prompt_tokens"),
    Column(name="completion_tokens"),
    Column(name="cost_usd", show=_format_dollars),
)
SORTS = frozenset({"label", *(column.name for column in COLUMNS)})


def sort_rows(rows: Sequence[ReportRow], sort: str) -> list[ReportRow]:
    """Sort rows by a field, downwards with a minus before it, those without a value last; as they are for no field."""
    name = sort.removeprefix("-")
    if name not in SORTS:
        return list(rows)
    known = [row for row in rows if getattr(row, name) is not None]
    known.sort(key=lambda row: getattr(row, name), reverse=sort.startswith("-"))
    return known + [row for row in rows if getattr(row, name) is None]


def table(report: Report, sort: str) -> dict[str, Any]:
    """Build the template's context for the table."""
    rows = sort_rows(report.rows, sort)
    return {
        "headings": [
            _build_heading("label", str(report.by).capitalize(), sort),
            *(_build_heading(column.name, column.heading, sort) for column in COLUMNS),
        ],
        "rows": [_build_cells(row) for row in rows[:SHOWN_ROWS]],
        "total": _build_cells(report.total),
        "left_out": max(0, len(rows) - SHOWN_ROWS),
    }


def _build_heading(name: str, heading: str, sort: str) -> dict[str, str]:
    # Figures begin with the largest, names with the first letter; a second click turns it round.
    first, second = (name, f"-{name}") if name == "label" else (f"-{name}", name)
    state = {name: "ascending", f"-{name}": "descending"}.get(sort, "none")
    return {"heading": heading, "sort": second if sort == first else first, "state": state}


def _build_cells(row: ReportRow) -> dict[str, Any]:
    given = ", ".join(f"{reason.replace('_', ' ')} {count:,}" for reason, count in row.reasons.items() if count)
    return {
        "label": row.label,
        "cells": [column.show(getattr(row, column.name)) for column in COLUMNS],
        "reasons": given,
    }


def charts(report: Report) -> dict[str, Any]:
    """Chart questions, scores and times; {} where nothing was asked. Of many groups, not every one has a place."""
    if not report.rows:
        return {}
    labels, rows = _list_charted(report)
    figures = (
        ("Answered", "answered", ANSWERED),
        ("Closest passages", "closest", CLOSEST),
        ("Refused", "refused", REFUSED),
    )

    def values(name: str) -> list[Any]:
        return [getattr(row, name) if row else None for row in rows]

    counts = [bars(label, [count or 0 for count in values(name)], colour) for label, name, colour in figures]
    measured = [line for line in LINES if any(score is not None for score in values(line[0]))]
    scores = [_draw_line(label, values(name), colour) for name, label, colour in measured]
    times = [_draw_line(label, [_in_seconds(took) for took in values(name)], colour) for name, label, colour in _TIMES]
    return {
        "questions_chart": json.dumps({"labels": labels, "datasets": counts}),
        "scores_chart": json.dumps({"labels": labels, "datasets": scores}),
        "times_chart": json.dumps({"labels": labels, "datasets": times}),
        "bar_options": json.dumps(BAR_OPTIONS),
        "score_options": json.dumps(LINE_OPTIONS),
        "time_options": json.dumps(_TIME_OPTIONS),
        "charted": _CHARTED if not report.by.is_of_time and len(report.rows) > _CHARTED else 0,
    }


def _list_charted(report: Report) -> tuple[list[str], list[ReportRow | None]]:
    """Return the labels of the charts with their rows; also of days on which nobody asked."""
    if report.by is Grouping.DAY:
        by_key = {row.key: row for row in report.rows}
        days = report.period.days()
        return [f"{day.day} {day:%b}" for day in days], [by_key.get(day.isoformat()) for day in days]
    shown = report.rows if report.by.is_of_time else report.rows[:_CHARTED]
    return [row.label for row in shown], list(shown)


def _in_seconds(took_ms: float | None) -> float | None:
    return None if took_ms is None else round(took_ms / 1000, 3)


def _draw_line(label: str, values: Sequence[float | None], colour: str) -> dict[str, Any]:
    return {
        "label": label,
        "data": list(values),
        "borderColor": colour,
        "maxBarThickness": 12,
        "backgroundColor": colour,
        "pointRadius": 3,
        "spanGaps": True,
        "clip": False,  # a score of 1 lies on the edge
    }
