"""Shows what was measured at the end of the test session."""

from typing import Any

import pytest

MEASURED_FIGURES = pytest.StashKey[dict[str, dict[str, Any]]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make room for the figures of each scenario."""
    config.stash[MEASURED_FIGURES] = {}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures."""
    for mode, figures in config.stash[MEASURED_FIGURES].items():
        shown = ", ".join(f"{name} {value}" for name, value in figures.items())
        terminalreporter.write_line(f"Slack ({mode}): {shown}")
