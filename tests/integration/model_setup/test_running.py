"""The worker fetches, checks, loads and registers what was asked for, and says in words what went wrong."""

import dataclasses
import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from procrastinate.contrib.django import app

from core.infrastructure.queue import SET_UP_MODEL
from core.llm.local_model import choosing
from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import find_registered
from core.models import AuditEvent, ModelExamination, ModelSetup
from core.operations import model_setup
from core.operations.model_setup import (
    LOST_AFTER,
    ModelSetupError,
    end_lost,
    run_setup,
    start_file,
    start_offer,
    stop,
)
from core.testing import Cast
from tests.unit.local_model.files import make_gguf
from tests.unit.local_model.hub import Hub
from tests.unit.local_model.offering import NAME, TINY, offering

pytestmark = [pytest.mark.enable_socket, pytest.mark.django_db]
LARGE = Machine(cores=2, memory=8_000_000_000, accelerator="")


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[Hub]:
    """A machine with memory, and a hub with one model."""
    monkeypatch.setattr(model_setup, "look_at_machine", lambda: LARGE)
    with offering(monkeypatch, settings, tmp_path) as at:
        yield at


def run(row: ModelSetup) -> ModelSetup:
    run_setup(row.pk)
    row.refresh_from_db()
    return row


def fetch(cast: Cast, **fields: Any) -> ModelSetup:
    return run(start_offer(NAME, anyway=False, by=cast.alice, **fields))


def test_an_offered_model_is_fetched_loaded_and_registered_and_admitted_by_nobody(
    at: Hub, cast: Cast, tmp_path: Path
) -> None:
    row = fetch(cast)
    assert (row.state, row.reason, row.model) == ("done", "", f"llamafile/{NAME}")
    assert (row.done_bytes, row.total_bytes) == (len(TINY), len(TINY))
    registered = find_registered(tmp_path)
    assert registered is not None
    assert (registered.model, registered.sha256, registered.licence) == (row.model, row.sha256, "MIT")
    assert registered.seconds_per_answer == row.seconds_per_answer == 6.0  # 1500 / 500 + 120 / 40
    assert not ModelExamination.objects.exists()
    event = AuditEvent.objects.get(object_type="modelsetup")
    assert (event.actor, event.details) == (cast.alice, {"state": "done", "sha256": row.sha256})


def test_another_file_than_was_announced_is_refused_and_deleted(at: Hub, cast: Cast, tmp_path: Path) -> None:
    at.content = TINY[:-1] + b"!"
    row = fetch(cast)
    assert row.state == "failed"
    assert "not the one that was announced" in row.reason
    assert list((tmp_path / "models").iterdir()) == []
    assert find_registered(tmp_path) is None


def test_a_broken_network_is_told_and_the_next_try_goes_on(at: Hub, cast: Cast, tmp_path: Path) -> None:
    at.breaks_after = 300_000
    row = fetch(cast)
    assert row.state == "failed"
    assert "could not be fetched" in row.reason
    assert "bytes are kept" in row.reason
    at.breaks_after = None
    assert fetch(cast).state == "done"
    assert [one is None for one in at.ranges] == [True, False]


def test_a_full_disk_is_told_before_anything_is_fetched(at: Hub, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = dataclasses.replace(choosing.OFFERS[0], size=10**18)
    monkeypatch.setattr(choosing, "OFFERS", (huge,))
    monkeypatch.setattr(model_setup, "look_at_machine", lambda: dataclasses.replace(LARGE, memory=10**19))
    row = fetch(cast)
    assert row.state == "failed"
    assert "Make room, then fetch again." in row.reason
    assert at.ranges == []


def test_a_model_too_large_for_memory_is_fetched_only_anyway(
    at: Hub, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_setup, "look_at_machine", lambda: dataclasses.replace(LARGE, memory=900_000_000))
    row = fetch(cast)
    assert row.state == "failed"
    assert "needs about" in row.reason
    assert at.ranges == []
    assert run(start_offer(NAME, anyway=True, by=cast.alice)).state == "done"


def test_without_the_server_program_nothing_is_fetched(at: Hub, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.llm.local_model.server.is_installed", lambda: False)
    row = fetch(cast)
    assert row.state == "failed"
    assert "make model-server" in row.reason
    assert at.ranges == []


def test_what_was_cancelled_keeps_its_bytes_and_goes_on(
    at: Hub, cast: Cast, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Somebody cancels in the middle of the fetch."""
    monkeypatch.setattr(model_setup, "_SIGN_EVERY_S", 0.0)
    row = start_offer(NAME, anyway=False, by=cast.alice)
    write = model_setup._Signs.progress

    def cancel(signs: Any, done: int, total: int) -> None:
        if done > 500_000:
            stop(row)
        write(signs, done, total)

    monkeypatch.setattr(model_setup._Signs, "progress", cancel)
    assert run(row).state == "stopped"
    kept = (tmp_path / "models" / "tiny-1b.gguf.part").stat().st_size
    assert 500_000 < kept < len(TINY)
    assert find_registered(tmp_path) is None
    monkeypatch.setattr(model_setup._Signs, "progress", write)
    assert fetch(cast).state == "done"
    assert at.ranges == [None, f"bytes={kept}-"]


def test_what_is_cancelled_before_the_worker_begins_is_never_begun(at: Hub, cast: Cast) -> None:
    row = start_offer(NAME, anyway=False, by=cast.alice)
    stop(row)
    assert run(row).state == "stopped"
    assert at.ranges == []
    with pytest.raises(ModelSetupError, match="ended already"):
        stop(row)


def test_one_is_set_up_at_a_time_and_only_what_is_offered(at: Hub, cast: Cast) -> None:
    row = start_offer(NAME, anyway=False, by=cast.alice)
    with pytest.raises(ModelSetupError, match="Another model is being set up"):
        start_file("/models/x.gguf", anyway=False, by=cast.alice)
    stop(row)
    with pytest.raises(ModelSetupError, match="No such model"):
        start_offer("nonsense", anyway=False, by=cast.alice)


def test_a_file_of_the_server_is_set_up_in_its_place(at: Hub, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "mine-3b.gguf"
    file.write_bytes(TINY)
    row = run(start_file(str(file), anyway=False, by=cast.alice))
    assert (row.state, row.model) == ("done", "llamafile/mine-3b")
    registered = find_registered(tmp_path)
    assert registered is not None
    assert registered.file == str(file)
    assert at.ranges == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no file"),
        (b"<html>Please sign in</html>", "not in the GGUF format"),
        (make_gguf()[:-100], "cut off: 100 bytes"),
        (
            make_gguf({"general.architecture": "starling", "starling.context_length": 4096}),
            "does not know the architecture of this model (starling)",
        ),
        (make_gguf({"general.architecture": "llama", "llama.context_length": 512}), "512 tokens"),
    ],
    ids=["missing", "page", "cut off", "architecture", "context"],
)
def test_a_file_that_cannot_be_used_is_refused_in_words(
    at: Hub, cast: Cast, tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "mine-3b.gguf"
    if content is not None:
        file.write_bytes(content)
    row = run(start_file(str(file), anyway=False, by=cast.alice))
    assert row.state == "failed"
    assert said in row.reason
    assert find_registered(tmp_path) is None


@pytest.mark.parametrize(
    "path", ["", "model.gguf", "../x.gguf", "/a/../etc/x.gguf", "/etc/passwd", "/x\0.gguf", "/\n.gguf"]
)
def test_what_is_no_path_of_a_model_is_not_queued(cast: Cast, path: str) -> None:
    with pytest.raises(choosing.SetUpError):
        start_file(path, anyway=False, by=cast.alice)
    assert not ModelSetup.objects.exists()


def test_after_a_killed_worker_a_fetch_goes_on_and_a_load_does_not(at: Hub, cast: Cast) -> None:
    """Leave a step that may have killed the worker to a person to try again."""
    row = start_offer(NAME, anyway=False, by=cast.alice)
    ModelSetup.objects.update(state="loading", seen_at=timezone.now())
    assert run(row).state == "failed"
    assert "worker stopped" in row.reason
    row = start_offer(NAME, anyway=False, by=cast.alice)
    ModelSetup.objects.filter(pk=row.pk).update(state="fetching", seen_at=timezone.now())
    assert run(row).state == "done"


def test_a_setup_that_nobody_goes_on_with_is_ended(at: Hub, cast: Cast) -> None:
    row = start_offer(NAME, anyway=False, by=cast.alice)
    seen = timezone.now() - LOST_AFTER
    ModelSetup.objects.update(state="fetching", seen_at=seen + dt.timedelta(minutes=1))
    assert end_lost() == 0
    ModelSetup.objects.update(seen_at=seen - dt.timedelta(seconds=1))
    assert end_lost() == 1
    row.refresh_from_db()
    assert (row.state, row.reason) == ("failed", model_setup.WORKER_STOPPED)


def test_the_worker_knows_the_job() -> None:
    assert SET_UP_MODEL in app.tasks
