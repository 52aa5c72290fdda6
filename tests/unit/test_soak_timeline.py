"""The soak's timeline is written, drawn, and says which faults there were; its door cuts what goes through it."""

import io
import json
import random
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.parsers.expat import ParserCreate

import pytest

from benchmarks.soak import faults
from benchmarks.soak.drawing import draw
from benchmarks.soak.faults import Stage, run_schedule
from benchmarks.soak.proxy import Proxy
from benchmarks.soak.timeline import Timeline
from benchmarks.soak.world import World


def _picture(folder: Path) -> str:
    """Return the picture, which must be valid XML."""
    text = (folder / "picture.svg").read_text()
    parser = ParserCreate()
    parser.Parse(text, True)
    return text


def test_what_happens_is_written_and_drawn(tmp_path: Path) -> None:
    """As lines of JSON, and as a picture with a band for each fault, also for one that did not end."""
    written = io.StringIO()
    timeline = Timeline(written)
    timeline.note("fault", fault="web killed")
    timeline.note("answer", latency_s=1.5)
    timeline.note("sample", memory={"web": 100.0}, connections={"connections": 4})
    timeline.note("fault_over", fault="web killed")
    timeline.note("fault", fault="disk full")
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [line["kind"] for line in lines] == ["fault", "answer", "sample", "fault_over", "fault"]
    draw(timeline.entries, tmp_path / "picture.svg")
    assert set(re.findall("<title>(.*?)</title>", _picture(tmp_path))) == {"web killed", "disk full"}


def test_each_kind_of_fault_has_one_lane_and_each_answer_a_dot(tmp_path: Path) -> None:
    """However often it comes, within two hours; and a line ends where a process was not there."""
    kinds = ("web killed", "replica late", "Slack <500>")
    entries: list[dict[str, Any]] = [{"t": -90.0, "kind": "question"}, {"t": 0.0, "kind": "begun", "minutes": 120}]
    for number in range(300):
        at = number * 24.0
        entries += [{"t": at, "kind": "fault", "fault": kinds[number % 3]}]
        entries += [{"t": at + 9, "kind": "fault_over", "fault": kinds[number % 3]}]
        entries += [{"t": at, "kind": "question"}, {"t": at + 2, "kind": "answer", "latency_s": 2.0}]
        there = {"web": 170.0} if number < 100 or number > 120 else {}
        entries += [{"t": at, "kind": "sample", "memory": there, "connections": {"primary": 9}}]
    draw(entries, tmp_path / "picture.svg")
    picture = _picture(tmp_path)
    assert 'width="1200"' in picture
    assert "A soak of 120 minutes: 300 questions, 300 events answered, 300 faults" in picture
    assert picture.count("<title>") == 300
    assert [picture.count(f">{name}</text>") for name in ("web killed", "replica late", "Slack &lt;500&gt;")] == [1] * 3
    assert len(re.findall(r"M[\d.]+,[\d.]+h0", picture)) == 300
    lines = [line.count(",") for line in re.findall('<polyline points="(.*?)"', picture)]
    assert sorted(lines)[-3:] == [100, 179, 300]


def test_a_picture_of_nothing_can_be_drawn(tmp_path: Path) -> None:
    """A soak that was broken off at once."""
    draw([], tmp_path / "picture.svg")
    assert _picture(tmp_path)


def test_each_fault_comes_once_before_any_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the seed, and each is over before the next one."""
    under_way: list[str] = []

    def fail(name: str) -> Any:
        def happen(_: Stage) -> None:
            assert not under_way
            under_way.append(name)
            under_way.clear()

        return happen

    names = ["a", "b", "c", "d"]
    monkeypatch.setattr(faults, "FAULTS", {name: fail(name) for name in names})
    clock = iter(range(1, 1000))
    monkeypatch.setattr("benchmarks.soak.faults.time.monotonic", lambda: float(next(clock)))

    def run(seed: int) -> list[str]:
        nonlocal clock
        clock = iter(range(1, 1000))
        stage: Any = type(
            "Stage", (), {"processes": {}, "disk": None, "only": "", "wait": staticmethod(lambda _: None)}
        )
        return run_schedule(stage, random.Random(seed), Timeline(None), until=9.0, pause_s=(0, 0))

    done = run(1)
    assert sorted(done[:4]) == sorted(done[4:8]) == names
    assert run(1) == done
    assert any(run(seed) != done for seed in range(2, 6))


def test_no_two_documents_share_a_word() -> None:
    """Otherwise nobody could see which one was shown."""
    world = World.of(3)
    for _ in range(200):
        world.new_text()
    words = [word for text in world.texts for word in (text.word, text.mark)]
    assert len(set(words)) == len(words) == len(world.canaries())
    assert not any(one != other and one in other for one in words for other in words)


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that sends back what it gets."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=_echo, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield server.getsockname()[1]
    server.shutdown(socket.SHUT_RDWR)
    server.close()


def _echo(connection: socket.socket) -> None:
    with connection, suppress(OSError):
        while piece := connection.recv(100):
            connection.sendall(piece)


def read(end: socket.socket, size: int) -> bytes:
    """Read bytes up to a size, until the end."""
    got = b""
    with suppress(OSError):
        while len(got) < size and (piece := end.recv(size - len(got))):
            got += piece
    return got


def test_the_door_passes_on_cuts_and_shuts(echo: int) -> None:
    """All of it, half of it, and nothing when nobody is behind it."""
    with Proxy(lambda: echo, random.Random(1)) as door:
        with socket.create_connection(("127.0.0.1", door.port), timeout=5) as end:
            end.sendall(b"x" * 1000)
            assert read(end, 1000) == b"x" * 1000
            assert door.cut_all() == 2
            assert read(end, 1) == b""
        door.cut_after = 500
        with socket.create_connection(("127.0.0.1", door.port), timeout=5) as end:
            end.sendall(b"x" * 1000)
            assert len(read(end, 1000)) < 1000
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with (
            Proxy(lambda: free.getsockname()[1], random.Random(1)) as door,
            suppress(BrokenPipeError, ConnectionResetError),  # it may shut while one still comes in
            socket.create_connection(("127.0.0.1", door.port), timeout=5) as end,
        ):
            assert read(end, 1) == b""
