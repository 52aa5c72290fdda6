"""The bar that shows how far a command is."""

import logging

import pytest

from core.management.progress import progress

LOGGER = logging.getLogger("core")


def heard() -> tuple[bool, bool]:
    """Return whether information and warnings of the product would be logged."""
    return LOGGER.isEnabledFor(logging.INFO), LOGGER.isEnabledFor(logging.WARNING)


def test_beside_the_bar_only_warnings_are_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Afterwards everything is again, also when the work failed."""
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    before = heard()

    def work() -> None:
        with progress("Asking", 2) as done:
            done(1)
            assert heard() == (False, True)
            raise ValueError("the work failed")

    with pytest.raises(ValueError, match="the work failed"):
        work()
    assert heard() == before
    assert "Asking" in capsys.readouterr().err


@pytest.mark.parametrize("quiet", [True, False])
def test_without_a_bar_nothing_is_drawn_or_kept_from_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], quiet: bool
) -> None:
    """There is no bar without a terminal, or where the command prints JSON."""
    if quiet:
        monkeypatch.setenv("FORCE_COLOR", "1")
    before = heard()
    with progress("Asking", 1, quiet=quiet) as done:
        done(1)
        assert heard() == before
    assert capsys.readouterr().err == ""
