"""`python -m benchmarks.gate fit`: what is fitted, on which questions, and what is reported of the others."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from benchmarks.gate import FITTED, Row, draw, fit, main, report, sure
from core.asking.confidence.estimate import OF_READ
from tests.unit.core.test_confidence import HELD, NOT_HELD

ROOT = Path(__file__).parents[3]


def row(logit: float, *, right: bool, half: str = "build", dataset: str = "ordinary") -> Row:
    """A question whose best passage was read so."""
    base = HELD if logit > 0 else NOT_HELD
    evidence = {name: getattr(base, name) for name in base.__slots__} | {"answers": logit}
    return Row(dataset=dataset, half=half, answerable=right or logit > 0, right=right, evidence=evidence)


ROWS = [
    *[row(logit / 4, right=logit > 2) for logit in range(-20, 20)],
    *[row(logit / 4, right=logit > 2, half="check") for logit in range(-20, 20)],
    *[row(logit / 4, right=logit > 2, half="", dataset="public adversarial") for logit in range(-20, 20)],
]


def test_a_passage_that_answers_makes_an_answer_likelier() -> None:
    """Of the figures that the product knows, and in its form."""
    fitted = fit(ROWS)
    assert set(fitted["coefficients"]) == set(OF_READ)
    assert fitted["coefficients"]["answers"] > 0
    assert sure(row(4.0, right=True), fitted) > 0.8
    assert sure(row(-4.0, right=False), fitted) < 0.2


def test_the_report_counts_by_dataset_half_and_level() -> None:
    """Shares of what can be answered and of what cannot; what is not answered is of no level."""
    figures = report(ROWS, fit(ROWS))
    assert set(figures["datasets"]) == {"ordinary build", "ordinary check", "public adversarial"}
    of_check = figures["datasets"]["ordinary check"]
    assert of_check["answerable"] == 19
    assert of_check["right"] == pytest.approx(17 / 19, abs=0.001)
    assert of_check["answered_though_nothing_answers"] == 0.0
    assert set(figures["levels"]) == {"datasets", "public"}
    high = figures["levels"]["datasets"]["high"]
    assert high["right"] == 1.0
    assert 0 < high["answers"] < 80


def test_the_diagram_is_the_same_for_the_same_rows(tmp_path: Path) -> None:
    """A picture of the check halves and of all."""
    fitted = fit(ROWS)
    for name in ("one.svg", "other.svg"):
        draw(ROWS, fitted, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
    assert (tmp_path / "one.svg").stat().st_size > 1000


def fitted_by_command(rows: list[Row], path: Path) -> Any:
    """Return the coefficients that a process of its own fits to the rows, which are written to the path."""
    write_rows(rows, path)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.gate", "fit", str(path)],
        cwd=ROOT,
        env={"DATABASE_URL": "postgres://unused", "FOOTNOTE_HOME": str(settings.FOOTNOTE_HOME), "DEBUG": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)["fitted"]


def write_rows(rows: list[Row], path: Path) -> None:
    """Write a row a line, as `ask` does."""
    path.write_text("".join(json.dumps({name: getattr(each, name) for name in each.__slots__}) + "\n" for each in rows))


def test_what_is_checked_is_not_fitted_and_nothing_is_written_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line: rows of check that say the contrary change nothing.

    One of the two is fitted in this process: starting another takes most of the time.
    """
    contrary = [row(logit / 4, right=logit < 2, half="check") for logit in range(-20, 20)]
    before = FITTED.read_bytes()
    fitted = fitted_by_command(ROWS, tmp_path / "0.rows")
    path = tmp_path / "1.rows"
    write_rows([each for each in ROWS if each.half != "check"] + contrary, path)
    monkeypatch.setattr(sys, "argv", ["gate", "fit", str(path)])
    main()
    assert json.loads(capsys.readouterr().out)["fitted"] == fitted
    assert FITTED.read_bytes() == before
