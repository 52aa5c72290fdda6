"""Entailment by a real cross-encoder, and what happens when there is none to be had."""

import json
import logging
from pathlib import Path

import pytest
from pytest_django import Settings

from core.asking.verification.entailment import Entailment
from tests.integration.retrieval.crossencoder import make_cross_encoder

PAIR = ("The canteen opens at noon.", "The canteen opens.")


def natural_inference(folder: Path, *labels: str) -> Path:
    """A tiny model of no sense with these labels."""
    make_cross_encoder(folder, labels=len(labels))
    config = json.loads((folder / "config.json").read_text())
    config["id2label"] = {str(place): label for place, label in enumerate(labels)}
    config["label2id"] = {label: place for place, label in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture
def configured(tmp_path: Path, settings: Settings) -> Settings:
    """It is the verifier, with time enough."""
    settings.VERIFIER_MODEL = str(natural_inference(tmp_path / "nli", "contradiction", "entailment", "neutral"))
    settings.VERIFIER_BUDGET_MS = 60_000
    return settings


def test_the_threshold_decides(configured: Settings) -> None:
    """The same pair is entailed at a low threshold and not at a high one."""
    configured.VERIFIER_THRESHOLD = 1e-9
    assert Entailment()(*PAIR) is True
    configured.VERIFIER_THRESHOLD = 1.0
    assert Entailment()(*PAIR) is False


def test_without_a_model_nothing_is_said(settings: Settings) -> None:
    """Neither yes nor no."""
    settings.VERIFIER_MODEL = ""
    assert Entailment()(*PAIR) is None


def test_when_the_time_is_over_nothing_is_said(configured: Settings, caplog: pytest.LogCaptureFixture) -> None:
    """The log says so, and nothing of the texts; what was asked before is still known."""
    verdicts = Entailment()
    first = verdicts(*PAIR)
    configured.VERIFIER_BUDGET_MS = 0
    assert verdicts(*PAIR) is first
    with caplog.at_level(logging.WARNING, logger="core"):
        assert verdicts(PAIR[1], PAIR[0]) is None
    [record] = caplog.records
    assert record.message == "verifier_over_budget"
    assert "canteen" not in str(vars(record))


@pytest.mark.parametrize("labels", [("LABEL_0",), ("a", "b", "c"), ("entailment", "other"), None])
def test_a_model_that_cannot_tell_is_said_once(
    tmp_path: Path, settings: Settings, caplog: pytest.LogCaptureFixture, labels: tuple[str, ...] | None
) -> None:
    """As an error that names the setting; statements are then checked by their words alone."""
    settings.VERIFIER_MODEL = str(natural_inference(tmp_path / "m", *labels) if labels else tmp_path / "missing")
    assert Entailment()(*PAIR) is None
    assert Entailment()(*PAIR) is None
    errors = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [record.message for record in errors] == ["verifier_unavailable"]
    assert "VERIFIER_MODEL" in errors[0].hint  # type: ignore[attr-defined]
