"""A pytest plugin: print at the end what tests have measured.

A test hands its figures over as properties of its report, which reach the terminal from a worker process as well.
"""

from collections.abc import Callable

import pytest

_MEASURED = "measured: "


def measured(record_property: Callable[[str, object], None], what: str, figures: dict[str, object]) -> None:
    """Have figures printed under the name of what they are about; `record_property` is pytest's fixture."""
    record_property(_MEASURED + what, ", ".join(f"{name} {value}" for name, value in figures.items()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each thing that was measured."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, shown in report.user_properties:
                if name.startswith(_MEASURED):
                    terminalreporter.write_line(f"{name.removeprefix(_MEASURED)}: {shown}")
