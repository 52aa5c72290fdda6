"""The alert rules, the dashboard and the page about them name figures and labels that exist, and all of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml
from django.db import connection
from prometheus_client import PlatformCollector, ProcessCollector

from adminsite.metrics import DatabaseCollector
from bot.models import SocketHeartbeat
from core.infrastructure import queue
from core.infrastructure.measures.families import REGISTRY
from core.infrastructure.measures.port import SandboxDisk

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy/observability"
PAGE = (ROOT / "docs/observing.md").read_text(encoding="utf-8")
OF_PROMETHEUS = {"job", "instance"}  # labels that it gives itself

Figures = dict[str, set[str]]


@pytest.fixture
def figures(transactional_db: None) -> Figures:
    """The labels of every figure, by its name in a query, as the processes really show them."""
    queue.enqueue(queue.SUGGEST, team="T", channel="C", thread="1", user="U")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES ('default', 'bot.resume', 'doing')"
        )
    SocketHeartbeat.beat()
    shown: Figures = {}
    for collector in (DatabaseCollector(), SandboxDisk(), ProcessCollector(registry=None), PlatformCollector(None)):
        for family in collector.collect():
            for sample in family.samples:
                shown.setdefault(sample.name, set()).update(sample.labels)
    for own in list(REGISTRY._collector_to_names):
        [family] = own.collect()  # type: ignore[attr-defined]
        is_histogram = family.type == "histogram"
        labels = set(own._labelnames)  # type: ignore[attr-defined]
        ends = ("_bucket", "_sum", "_count") if is_histogram else ("_total",)
        for end in ends:
            shown[f"{family.name}{end}"] = labels | ({"le"} if end == "_bucket" else set())
    return shown


def rules() -> list[dict[str, Any]]:
    """The alert rules."""
    groups = yaml.safe_load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    """The panels of the dashboard."""
    found: list[dict[str, Any]] = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))["panels"]
    return found


def expressions() -> Iterator[str]:
    """All expressions, with Grafana's variables as it would fill them in."""
    yield from (rule["expr"] for rule in rules())
    for panel in panels():
        yield from (target["expr"].replace("$__rate_interval", "5m") for target in panel.get("targets", ()))


def walk(node: Any) -> Iterator[Any]:
    """A parsed expression and all that is in it."""
    yield node
    parts = [getattr(node, name, None) for name in ("expr", "lhs", "rhs", "vector_selector", "vs")]
    arguments = getattr(node, "args", None)
    for part in [*parts, *(arguments if isinstance(arguments, list) else [])]:
        if part is not None:
            yield from walk(part)


def names_in(expression: str) -> Iterator[tuple[str, set[str]]]:
    """Each figure that an expression reads, with the labels that it is chosen by."""
    for node in walk(promql_parser.parse(expression)):
        if isinstance(node, promql_parser.VectorSelector):
            yield str(node.name), {matcher.name for matcher in node.matchers.matchers}


def test_expressions_read_figures_that_exist_by_labels_that_they_have(figures: Figures) -> None:
    """Expressions choose by labels and group by labels."""
    read: set[str] = set()
    for expression in expressions():
        chosen = list(names_in(expression))
        assert chosen, expression
        for name, labels in chosen:
            assert name in figures, expression
            assert labels <= figures[name] | OF_PROMETHEUS, expression
        read |= {name for name, _ in chosen}
        there = set().union(*(figures[name] for name, _ in chosen)) | OF_PROMETHEUS
        for group in re.findall(r"\b(?:by|without|on) \(([^)]*)\)", expression):
            assert {label.strip() for label in group.split(",")} <= there, expression
    # Nothing is counted that nobody would look at.
    families = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in read}
    unread = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name in figures if name.startswith("footnote_")}
    assert unread - families == set()


def test_legends_and_summaries_show_labels_that_are_left() -> None:
    """{{label}} of a legend, and $labels of a summary, are what the expression groups by."""
    for panel in panels():
        for target in panel.get("targets", ()):
            shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            grouped = set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", target["expr"]))))
            assert shown <= grouped | OF_PROMETHEUS, target
    for rule in rules():
        shown = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule["annotations"])))
        assert shown <= set(re.findall(r"\w+", " ".join(re.findall(r"by \(([^)]*)\)", rule["expr"])))), rule


def test_every_figure_is_described(figures: Figures) -> None:
    """The page has a row for each, with its labels, and none for one that is not there."""
    rows = dict(re.findall(r"^\| `(footnote_\w+)` \| (.*?) \|", PAGE, re.MULTILINE))
    shown: Figures = {}
    for name, labels in figures.items():
        if name.startswith("footnote_"):
            family = re.sub(r"_(bucket|sum|count|total)$", "", name)
            shown.setdefault(family, set()).update(labels - {"le"})
    assert set(rows) == set(shown)
    for name, labels in shown.items():
        assert labels <= set(re.findall(r"`(\w+)`", rows[name])), name


def test_every_alert_says_what_to_do() -> None:
    """A summary, an action, and a section of the page."""
    headings = set(re.findall(r"^### (Footnote\w+)$", PAGE, re.MULTILINE))
    assert {rule["alert"] for rule in rules()} == headings
    for rule in rules():
        notes = rule["annotations"]
        assert {"summary", "action", "runbook"} == set(notes)
        assert notes["runbook"] == f"docs/observing.md#{rule['alert'].casefold()}"
        assert rule["labels"]["severity"] in {"critical", "warning"}


def test_the_dashboard_can_be_imported() -> None:
    """Ids are unique, panels do not cover each other, and all of them ask the data source that is chosen."""
    shown = panels()
    assert len({panel["id"] for panel in shown}) == len(shown)
    taken: set[tuple[int, int]] = set()
    for panel in shown:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
        for target in panel.get("targets", ()):
            assert target["datasource"]["uid"] == "${datasource}"
