"""A pytest plugin: say at the end what was skipped and why, and let nothing be skipped where that was asked for."""

import os
from collections import Counter
from collections.abc import Iterator

import pytest

NO_SKIPS = "FOOTNOTE_NO_SKIPS"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """With FOOTNOTE_NO_SKIPS=1 a skipped test is a failed one: what this machine cannot have was to be there."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        _refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """The same for a whole module."""
    report = yield
    if report.skipped:
        _refuse(report)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line per reason, with the number of tests."""
    skipped = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if skipped:
        terminalreporter.section("skipped, because this machine cannot have them")
        for reason, count in sorted(skipped.items()):
            terminalreporter.line(f"{count:4} {'test' if count == 1 else 'tests'}: {reason}")


def _refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    if os.environ.get(NO_SKIPS) == "1":
        reason = _reason(report)
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} was skipped, and {NO_SKIPS} allows none: {reason}"


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
