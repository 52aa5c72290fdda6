"""Make faults, one at a time: each fault has a function that does it and undoes it again.

To add one, write a function that takes the Stage and lasts as long as the fault, and add it to FAULTS.
"""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.installation.processes import Process
from benchmarks.soak.embedded import Server
from benchmarks.soak.played import Mood, PlayedModel, PlayedSlack
from benchmarks.soak.proxy import Proxy
from benchmarks.soak.timeline import Timeline

DOWN_S = 4.0  # how long something that was killed stays away
MOOD_S = 15.0  # how long Slack or the model is not well
CUTTING_S = 10.0
FULL_S = 15.0
LATE_S = 15.0  # longer than the installation's REPLICA_MAX_LAG_S
NOTICED_S = 3.0  # after which commits wait no more for a standby that has died
_CUT_AFTER = 2000  # bytes of an answer
_PIECE = b"\0" * 65536


@dataclass(frozen=True, kw_only=True)
class Stage:
    """The parts of the installation that may be made to fail."""

    processes: dict[str, Process]
    database: Server
    database_door: Proxy  # to the primary
    replica_door: Proxy  # to the standby
    web_door: Proxy
    slack: PlayedSlack
    model: PlayedModel
    disk: Path | None  # of the worker's temporary files and of the originals; None where none could be made
    only: str  # what the names of the faults hold; empty for all
    wait: Callable[[float], object]  # waits for so many seconds, or until the soak is broken off


Fault = Callable[[Stage], None]


def kill_process(name: str, stage: Stage) -> None:
    """SIGKILL, and a start some seconds later."""
    process = stage.processes[name]
    process.kill()
    stage.wait(DOWN_S)
    process.start()


def kill_database(number: signal.Signals, stage: Stage) -> None:
    """The server is gone without a word to anybody, and recovers when it starts again."""
    stage.database.kill(number)
    try:
        stage.wait(DOWN_S)
    finally:
        stage.database.start()


def kill_standby(stage: Stage) -> None:
    """It has died: nothing can be committed until somebody notices, and searches go on without it."""
    stage.database.kill_standby()
    try:
        stage.wait(NOTICED_S)
        stage.database.leave_standby()
        stage.wait(DOWN_S)
    finally:
        stage.database.start_standby()


def stop_standby(stage: Stage) -> None:
    """It is taken out and stopped as one does for its maintenance."""
    stage.database.stop_standby()
    try:
        stage.wait(2 * DOWN_S)
    finally:
        stage.database.start_standby()


def delay_standby(stage: Stage) -> None:
    """It has everything, and shows nothing of it: first late, then too late."""
    stage.database.pause_standby()
    try:
        stage.wait(LATE_S)
    finally:
        stage.database.resume_standby()


def move_to_front(stage: Stage) -> None:
    """The primary dies, its door leads to the standby, which is promoted; then a new standby is made.

    The door leads there before the standby takes what is written, and who searched on it still does afterwards.
    """
    stage.database.wait_until_in_step()
    stage.database.kill(signal.SIGKILL)
    try:
        stage.wait(DOWN_S)
        stage.database.turn_to_standby()
        stage.wait(DOWN_S / 2)
    finally:
        stage.database.promote()
    stage.wait(DOWN_S)
    stage.database.add_standby()
    stage.replica_door.cut_all()


def fill_disk(stage: Stage) -> None:
    """Nothing can be written where the sandbox has its folder and originals are kept."""
    assert stage.disk is not None
    filled = stage.disk / "filled"
    with suppress(OSError), filled.open("wb", buffering=0) as file:
        while True:
            file.write(_PIECE)
    try:
        stage.wait(FULL_S)
    finally:
        filled.unlink()


def cut_connections(door: str, stage: Stage) -> None:
    """Connections are cut in the middle of what they carry: those that are open, and new ones after some bytes."""
    proxy: Proxy = getattr(stage, door)
    with _set(proxy, "cut_after", _CUT_AFTER, back=0):
        deadline = time.monotonic() + CUTTING_S
        while time.monotonic() < deadline:
            proxy.cut_all()
            stage.wait(1.5)


def slow_connections(door: str, stage: Stage) -> None:
    """Everything takes a second longer each time."""
    with _set(getattr(stage, door), "slow", True, back=False):
        stage.wait(CUTTING_S)


def spoil(who: str, mood: Mood, stage: Stage) -> None:
    """Slack or the model is slow, wrong or silent."""
    with _set(getattr(stage, who), "mood", mood, back=Mood.WELL):
        stage.wait(MOOD_S)


@contextmanager
def _set(what: object, name: str, value: object, *, back: object) -> Iterator[None]:
    setattr(what, name, value)
    try:
        yield
    finally:
        setattr(what, name, back)


FAULTS: dict[str, Fault] = {
    "worker killed": partial(kill_process, "worker"),
    "web killed": partial(kill_process, "web"),
    "bot killed": partial(kill_process, "bot"),
    "PostgreSQL killed": partial(kill_database, signal.SIGKILL),
    "PostgreSQL stopped at once": partial(kill_database, signal.SIGQUIT),
    "replica moved to the front": move_to_front,
    "replica killed": kill_standby,
    "replica stopped": stop_standby,
    "replica late": delay_standby,
    "replica's connections cut": partial(cut_connections, "replica_door"),
    "replica slow": partial(slow_connections, "replica_door"),
    "disk full": fill_disk,
    "database's connections cut": partial(cut_connections, "database_door"),
    "web's connections cut": partial(cut_connections, "web_door"),
    "database slow": partial(slow_connections, "database_door"),
    **{
        f"Slack {mood}": partial(spoil, "slack", mood)
        for mood in (Mood.SLOW, Mood.FAILING, Mood.LIMITING, Mood.MALFORMED, Mood.SILENT, Mood.LOST)
    },
    **{
        f"model {mood}": partial(spoil, "model", mood)
        for mood in (Mood.SLOW, Mood.FAILING, Mood.LIMITING, Mood.MALFORMED, Mood.SILENT)
    },
}


def applicable(stage: Stage) -> dict[str, Fault]:
    """The faults that are wanted, and for which there is what they need."""
    left_out = {f"{name} killed" for name in ("worker", "web", "bot") if name not in stage.processes}
    if stage.disk is None:
        left_out.add("disk full")
    return {name: fault for name, fault in FAULTS.items() if name not in left_out and stage.only in name}


def run_schedule(
    stage: Stage, chance: random.Random, timeline: Timeline, *, until: float, pause_s: tuple[float, float]
) -> list[str]:
    """One fault after the other, each once before any comes again, until a time on the monotonic clock.

    pause_s: the shortest and the longest pause between two. Returns those that were done, in their order.
    """
    faults, order, done = applicable(stage), list[str](), list[str]()
    while True:
        stage.wait(chance.uniform(*pause_s))
        if time.monotonic() >= until:
            return done
        if not order:
            order = sorted(faults)
            chance.shuffle(order)
        name = order.pop()
        timeline.note("fault", fault=name)
        faults[name](stage)
        timeline.note("fault_over", fault=name)
        done.append(name)
