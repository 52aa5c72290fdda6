"""The server of a model is started again when it ends or is stuck, and goes with its watch."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import (
    Registered,
    RegistrationError,
    find_registered,
    find_usable,
    register,
    unregister,
)
from core.llm.local_model.server import explain_end
from core.llm.local_model.setting_up import SetUpError, check_file
from core.llm.local_model.watching import Watch
from tests.unit.local_model.files import make_gguf

TINY = Registered(model="llamafile/tiny-1b", title="Tiny", address="http://127.0.0.1:1/v1", file="/x.gguf", key="k")
ROOT = Path(__file__).resolve().parents[3]
SLEEPS = "import time; time.sleep(60)"


def wait_until(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


class Starter:
    """Starts programs in the place of the server, and remembers them."""

    def __init__(self, program: str) -> None:
        self.program, self.started = program, list[tuple[Registered, subprocess.Popen[bytes]]]()

    def __call__(self, registered: Registered, *, port: int, log: Path) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", self.program])
        self.started.append((registered, process))
        return process


@contextmanager
def watching(home: Path, starter: Starter) -> Iterator[Watch]:
    watch = Watch(home, look_every_s=0.05, start=starter)
    thread = threading.Thread(target=watch.run, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        watch.end()
        thread.join(timeout=30)
    assert not thread.is_alive()
    assert all(process.poll() is not None for _, process in starter.started)


def test_a_server_that_dies_is_started_again(tmp_path: Path) -> None:
    register(tmp_path, TINY)
    starter = Starter(SLEEPS)
    with watching(tmp_path, starter):
        wait_until(lambda: len(starter.started) == 1)
        starter.started[0][1].kill()
        wait_until(lambda: len(starter.started) == 2)


def test_another_model_takes_the_place_of_the_first(tmp_path: Path) -> None:
    register(tmp_path, TINY)
    starter = Starter(SLEEPS)
    with watching(tmp_path, starter):
        wait_until(lambda: len(starter.started) == 1)
        other = replace(TINY, model="llamafile/other-1b")
        register(tmp_path, other)
        wait_until(lambda: len(starter.started) == 2)
        assert starter.started[1][0] == other
        assert starter.started[0][1].poll() is not None


def test_without_a_model_or_with_a_damaged_record_nothing_is_served(tmp_path: Path) -> None:
    """Nor with one of another server's. The watch goes on, and serves what is set up later."""
    starter = Starter(SLEEPS)
    register(tmp_path, replace(TINY, file=""))
    with watching(tmp_path, starter):
        time.sleep(0.3)
        (tmp_path / "models" / "registered.json").write_text("{")
        time.sleep(0.3)
        assert starter.started == []
        register(tmp_path, TINY)
        wait_until(lambda: len(starter.started) == 1)


def test_a_record_is_read_as_it_was_written_by_its_owner_alone(tmp_path: Path) -> None:
    assert find_registered(tmp_path) is None
    register(tmp_path, TINY)
    assert find_registered(tmp_path) == TINY
    assert (tmp_path / "models" / "registered.json").stat().st_mode & 0o077 == 0
    assert unregister(tmp_path) is True
    assert unregister(tmp_path) is False
    assert find_registered(tmp_path) is None


WHOLE = asdict(TINY)
DAMAGED = {
    "empty": b"",
    "cut off": json.dumps(WHOLE).encode()[:-9],
    "no text": b"\xff\xfe\x00",
    "a list": b"[]",
    "nothing in it": b"{}",
    "nested": b"[" * 50_000,
    "too long": json.dumps({**WHOLE, "title": "x" * 70_000}).encode(),
    "an unknown field": json.dumps({**WHOLE, "y": 1}).encode(),
    "a number for a name": json.dumps({**WHOLE, "model": 7}).encode(),
    "no name": json.dumps({**WHOLE, "model": ""}).encode(),
    "a list for a hash": json.dumps({**WHOLE, "sha256": ["a"]}).encode(),
    "no server": json.dumps({**WHOLE, "address": "here"}).encode(),
    "no such port": json.dumps({**WHOLE, "address": "http://127.0.0.1:999999/v1"}).encode(),
    "a text for a count": json.dumps({**WHOLE, "context": "8192"}).encode(),
    "no thread": json.dumps({**WHOLE, "threads": 0}).encode(),
    "endless seconds": json.dumps({**WHOLE, "seconds_per_answer": float("inf")}).encode(),
}


@pytest.mark.parametrize("damaged", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_record_is_told_and_kept_when_another_takes_its_place(tmp_path: Path, damaged: bytes) -> None:
    register(tmp_path, TINY)
    path = tmp_path / "models" / "registered.json"
    path.write_bytes(damaged)
    with pytest.raises(RegistrationError, match=r"registered\.json is damaged\. Run manage\.py model"):
        find_registered(tmp_path)
    assert find_usable(tmp_path) == (None, f"{path} is damaged. Run manage.py model to set it up again.")
    register(tmp_path, TINY)
    assert find_usable(tmp_path) == (TINY, "")
    assert (path.parent / "registered.json.damaged").read_bytes() == damaged


def test_with_a_damaged_record_footnote_starts_without_a_model_and_logs_why(tmp_path: Path) -> None:
    """Settings, applications and checks load; what is logged names the file and no word of it."""
    register(tmp_path, replace(TINY, key="quagmire-7741"))
    path = tmp_path / "models" / "registered.json"
    path.write_bytes(path.read_bytes()[:-2])
    program = (
        "import django; django.setup(); from django.conf import settings; from django.core.checks import run_checks;"
        "print(settings.LLM_MODEL, settings.LOCAL_MODEL, [one.id for one in run_checks(tags=['footnote'])])"
    )
    environment = {
        **os.environ,
        "FOOTNOTE_HOME": str(tmp_path),
        "DATABASE_URL": "postgres://unused",
        "DEBUG": "1",
        "DJANGO_SETTINGS_MODULE": "adminsite.settings",
    }
    environment.pop("LLM_MODEL", None)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("extractive/sentences None ")
    assert "footnote.W010" in done.stdout
    assert "model_not_registered" in done.stderr + done.stdout
    assert "quagmire" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("code", "written", "said"),
    [
        (4, "", "not installed"),
        (3, "E llama_model_load: error loading model: unknown model architecture: 'abc'\nx", "architecture .*abc"),
        (-9, "", "memory ran out"),
        (3, "failed to load", "damaged"),
        (-11, "", "ended by itself"),
    ],
)
def test_the_end_of_a_server_is_explained(tmp_path: Path, code: int, written: str, said: str) -> None:
    log = tmp_path / "log"
    log.write_text(written)
    assert re.search(said, explain_end(code, log))


def test_a_model_that_does_not_fit_into_memory_is_refused_unless_it_is_wanted_anyway(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(make_gguf())
    small = Machine(cores=2, memory=1_200_000_000, accelerator="")
    with pytest.raises(SetUpError, match=r"needs about .* GB"):
        check_file(path, small, context=8192)
    assert check_file(path, small, context=8192, anyway=True) == 4096
    assert check_file(path, Machine(cores=2, memory=8_000_000_000, accelerator=""), context=3000) == 3000


def test_a_larger_model_and_fewer_cores_take_longer() -> None:
    two, eight = (Machine(cores=cores, memory=1, accelerator="") for cores in (2, 8))
    assert two.estimate_seconds(4e9) > two.estimate_seconds(1.5e9) > eight.estimate_seconds(1.5e9) > 0
    assert (two.threads, eight.threads, Machine(cores=1, memory=1, accelerator="").threads) == (1, 7, 1)
