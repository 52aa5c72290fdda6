"""Print a run over a dataset: tables for people, JSON for programs."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from core.quality.evaluation.datasets.comparison import Comparison
from core.quality.evaluation.datasets.metrics import in_sentences
from core.quality.evaluation.datasets.runs import AskedItem, Finished
from core.quality.evaluation.datasets.verdict import FAILED, WRONG

# Heading and name of each figure of the table by kind. Short, so that all fit in a terminal of 80 columns.
_COLUMNS = (
    ("Asked", "questions"),
    ("Right", "right_share"),
    ("Src", "right_source"),
    ("Text", "answer_contains"),
    ("Page", "page_right"),
    ("Abst\n+", "abstained_rightly"),
    ("Abst\n-", "abstained_wrongly"),
    ("Drop", "statements_dropped"),
    ("Forb", "forbidden_shown"),
    ("p50\nms", "latency_p50_ms"),
    ("p95\nms", "latency_p95_ms"),
)
_LEGEND = (
    "Right: share of the questions asked. Src, Text, Page: shares of expected answers whose source, text or page is "
    "right. Abst +, -: abstained where that is right, and where it is not. Drop: statements dropped. Forb: answers "
    "that show something forbidden."
)
_COUNTS = {"questions", "statements_dropped", "forbidden_shown"}
_TIMES = {"latency_p50_ms", "latency_p95_ms"}


def as_json(finished: Finished, comparison: Comparison | None) -> dict[str, Any]:
    """The figures of a run, its id, and a result for each question; without any text of them."""
    result = {
        **finished.run.figures,
        "run": str(finished.run.pk),
        "results": [_result(one) for one in finished.asked],
    }
    return result | ({"comparison": comparison.as_json()} if comparison else {})


def print_report(console: Console, finished: Finished, comparison: Comparison | None) -> None:
    """Print the summary, the table by kind, the questions with wrong results, and remarks."""
    figures = finished.run.figures
    for sentence in in_sentences(figures):
        console.print(sentence, highlight=False)
    console.print(_table(figures))
    wrong = [one for one in finished.asked if one.verdict.outcome in WRONG | {FAILED} or one.verdict.forbidden_shown]
    if wrong:
        console.print(_wrong_table(wrong))
    console.print(f"Quotes: {figures['unsupported_summary']}.")
    steps = ", ".join(f"{step} {spent:g} ms" for step, spent in figures["timings_p50_ms"].items())
    console.print(f"Median time by step: {steps or 'none'}.")
    if "averages" in figures:
        scores = ", ".join(
            f"{name} {'-' if score is None else f'{score:.3f}'}" for name, score in figures["averages"].items()
        )
        console.print(f"Scores of answers: {scores}; missing: {figures['unscored']}.")
    if comparison:
        _print_comparison(console, comparison)
    console.print(f"Run {finished.run.pk}, {figures['seconds']:g} s.", highlight=False)


def _table(figures: dict[str, Any]) -> Table:
    table = Table("Kind", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=_LEGEND, caption_justify="left")
    for heading, _ in _COLUMNS:
        table.add_column(heading, justify="right", no_wrap=True)
    for kind, of_kind in figures["kinds"].items():
        table.add_row(kind, *(_format_value(name, of_kind[name]) for _, name in _COLUMNS))
    table.add_section()
    table.add_row("all", *(_format_value(name, figures[name]) for _, name in _COLUMNS), style="bold")
    return table


def _wrong_table(wrong: list[AskedItem]) -> Table:
    table = Table(title="Not right", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("#", "Id", "Outcome", "Lacks", "Request"):
        table.add_column(heading, overflow="fold")
    for one in wrong:
        request = one.result.request_id if one.result else one.error
        table.add_row(str(one.number), one.item.identifier, one.verdict.outcome, _lacks(one), request)
    return table


def _lacks(one: AskedItem) -> str:
    """List the expectations that an answer does not meet."""
    if not one.is_answered and not one.verdict.forbidden_shown:
        return ""
    checks = {"source": one.verdict.cites_source, "text": one.verdict.contains, "page": one.verdict.page_right}
    lacking = [name for name, is_met in checks.items() if is_met is False]
    return ", ".join([*lacking, *(["shows something forbidden"] if one.verdict.forbidden_shown else [])])


def _print_comparison(console: Console, comparison: Comparison) -> None:
    questions = "the same questions" if comparison.same_questions else "including other questions"
    console.print(f"Since run {comparison.before.pk} ({questions}):", highlight=False)
    for name, (before, after) in comparison.figures().items():
        console.print(f"  {name}: {_format_value(name, before)} -> {_format_value(name, after)}")
    for heading, changes in (("broken", comparison.broken), ("mended", comparison.mended), ("other", comparison.other)):
        for one in changes:
            console.print(f"  {heading}: {one.identifier} ({one.kind}), {one.before} -> {one.after}", highlight=False)
    for heading, identifiers in (("not asked again", comparison.only_before), ("new", comparison.only_after)):
        if identifiers:
            console.print(f"  {heading}: {', '.join(identifiers)}", highlight=False)


def _format_value(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    if name in _COUNTS:
        return str(value)
    return f"{value:.0f}" if name in _TIMES else f"{value:.2f}"


def _result(one: AskedItem) -> dict[str, Any]:
    return {
        "number": one.number,
        "id": one.item.identifier,
        "kind": one.item.kind,
        "request_id": one.result.request_id if one.result else None,
        "answered": one.is_answered,
        "verdict": one.verdict.outcome,
        "in_words": one.verdict.in_words or None,
        "cites_source": one.verdict.cites_source,
        "contains": one.verdict.contains,
        "page_right": one.verdict.page_right,
        "forbidden_shown": one.verdict.forbidden_shown,
        "quotes": one.observed.quotes,
        "unsupported": one.observed.unsupported,
        "statements_dropped": one.observed.dropped,
        "confidence": round(one.result.confidence, 4) if one.result else None,
        "latency_ms": round(one.latency_ms, 1),
        "timings_ms": {step: round(spent, 2) for step, spent in one.observed.timings_ms.items()},
        **one.scores,
        "trulens_record_id": one.evaluation.trulens_record_id if one.evaluation else None,
        "error": one.error or None,
    }
