"""One soak from its first row to its verdicts. Django is set up, on the database of the soak."""

import io
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from benchmarks.burst.figures import percentile
from benchmarks.installation.environment import chat_model_settings, installation_settings
from benchmarks.installation.processes import Process, ending, free_port
from benchmarks.installation.requests import Endpoint
from benchmarks.soak import database_state, history, judging
from benchmarks.soak.disk import on_disk, small_disk, temporary_files
from benchmarks.soak.embedded import Server
from benchmarks.soak.errors import CouldNotBeginError
from benchmarks.soak.faults import FAULTS, Stage, applicable, run_schedule
from benchmarks.soak.load import Load, Rest
from benchmarks.soak.played import PlayedModel, PlayedSlack
from benchmarks.soak.proxy import Proxy
from benchmarks.soak.reading import Audiences, is_apology, is_final, read_causes, read_replies
from benchmarks.soak.timeline import Entry, Timeline
from benchmarks.soak.watching import Watch
from benchmarks.soak.world import Folder, World, seed_library
from tests.integration.bot.slack_server import TEAM
from tests.integration.bot.socket_server import socket_server

START_S = 300.0  # for the processes, and the first answer, which loads the models
CALM_S = 300.0  # in which, without faults, everything must come to its end
_PAUSE_S = (6.0, 14.0)  # between two faults; so each kind comes once within ten minutes
_LOOK_S = 2.0
_APP_TOKEN = "xapp-of-the-soak"  # noqa: S105 - of a workspace that is not there


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """The duration of the soak, and the choices that are drawn."""

    minutes: float
    seed: int
    every_s: float  # between two things that are done, on average
    only: str  # what the names of the faults hold; empty for all


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The findings of the soak."""

    figures: dict[str, Any]
    verdicts: dict[str, list[str]]  # what was wrong, by what it was about
    entries: list[Entry] = field(default_factory=list)


@dataclass(kw_only=True)
class Installation:
    """Everything that runs."""

    world: World
    ids: dict[str, str]  # the database's ids of people, by Slack user
    stage: Stage
    load: Load
    watch: Watch
    originals: Path


def run(plan: Plan, home: Path, server: Server, timeline: Timeline, log: IO[bytes]) -> Found:
    """Run, wait until all is calm, and judge. CouldNotBeginError when there is no first answer."""
    if not any(plan.only in name for name in FAULTS):
        raise CouldNotBeginError(f"No fault has {plan.only} in its name. There are: {', '.join(FAULTS)}.")
    call_command("migrate", verbosity=0)
    history.install(server.superuser_url)
    world = World.of(plan.seed)
    folder = Folder(home / "source", world)
    ids, token = seed_library(world, home / "source")
    server.add_standby()
    broken_off = threading.Event()
    with (
        history.Listener(lambda: server.superuser_url) as listener,
        _installed(plan, home, server, timeline, log, world, folder, ids, token, broken_off) as running,
    ):
        _answer_first(running, server)
        with running.watch:
            done = _soak(plan, running, timeline, broken_off)
            calm_s = _calm_down(server, running)
            timeline.note("calm", after_s=round(calm_s, 1))
        told = history.read(server.superuser_url, listener)
        timeline.note("history", losses_heard=len(listener.heard), listened_again=len(listener.since) - 1)
        causes = read_causes(os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0))  # others go on writing it
        return _judge(running, server, timeline, told, causes, done, calm_s)


@contextmanager
def _installed(
    plan: Plan,
    home: Path,
    server: Server,
    timeline: Timeline,
    log: IO[bytes],
    world: World,
    folder: Folder,
    ids: dict[str, str],
    token: str,
    broken_off: threading.Event,
) -> Iterator[Installation]:
    chance = random.Random(plan.seed)
    port = free_port()
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk(home / "disk"))
        slack = stack.enter_context(PlayedSlack(world, random.Random(chance.random())))
        model = stack.enter_context(PlayedModel(random.Random(chance.random())).served())
        database_door = stack.enter_context(Proxy(lambda: server.port, random.Random(chance.random())))
        replica_door = stack.enter_context(Proxy(lambda: server.standby_port, random.Random(chance.random())))
        web_door = stack.enter_context(Proxy(lambda: port, random.Random(chance.random())))
        environment = {
            **_environment(home, slack.url, model.address, port, server.url_through(database_door.port)),
            "DATABASE_REPLICA_URLS": server.url_through(replica_door.port),
            "REPLICA_MAX_LAG_S": "5",
        }
        sockets = stack.enter_context(socket_server(True))
        slack.socket_url, slack.tokens[_APP_TOKEN] = sockets.url, TEAM
        processes = {
            "bot": Process("bot", environment | {"SLACK_APP_TOKEN": _APP_TOKEN}, log),
            "web": Process("web", environment, log),
            "worker": Process("worker", environment, log, within=on_disk(disk) if disk else ""),
        }
        stack.enter_context(ending(*processes.values()))
        stack.callback(broken_off.set)
        for process in processes.values():
            process.start()
        yield Installation(
            world=world,
            ids=ids,
            stage=Stage(
                processes=processes,
                database=server,
                database_door=database_door,
                replica_door=replica_door,
                web_door=web_door,
                slack=slack,
                model=model,
                disk=disk,
                only=plan.only,
                wait=broken_off.wait,
            ),
            load=Load(
                world,
                folder,
                slack,
                Endpoint(web_door.port),
                sockets,
                Rest(web_door.port, token),
                timeline,
                broken_off,
            ),
            watch=Watch(processes, server, timeline),
            originals=home / "disk" / "originals",
        )


def _environment(home: Path, slack_url: str, model: str, port: int, database_url: str) -> dict[str, str]:
    return {
        **installation_settings(
            database_url=database_url, slack_url=slack_url, port=port, secret_key=settings.SECRET_KEY
        ),
        **chat_model_settings(model),
        "FOOTNOTE_HOME": str(home / "disk"),
        "SOURCE_FOLDERS": str(home / "source"),
        "LLM_TIMEOUT_S": "8",
        "WORKER_CONCURRENCY": "6",
        "VERIFY_WITH_MODEL": "never",
    }


def _answer_first(running: Installation, server: Server) -> None:
    """Wait for an answer, before anything fails: all models are loaded then."""
    deadline = time.monotonic() + START_S
    while not running.load.ask_first() and time.monotonic() < deadline:
        time.sleep(_LOOK_S)
    while time.monotonic() < deadline:
        if read_replies(server.superuser_url) and database_state.is_calm(server.superuser_url):
            return
        time.sleep(_LOOK_S)
    raise CouldNotBeginError("The processes did not answer a first question.")


def _soak(plan: Plan, running: Installation, timeline: Timeline, broken_off: threading.Event) -> list[str]:
    """Do things, and let things fail, for as long as planned. The faults that there were."""
    timeline.note("begun", minutes=plan.minutes, seed=plan.seed, every_s=plan.every_s)
    until = time.monotonic() + plan.minutes * 60
    done: list[str] = []
    errors: list[BaseException] = []

    def fail() -> None:
        try:
            done.extend(
                run_schedule(running.stage, random.Random(plan.seed + 1), timeline, until=until, pause_s=_PAUSE_S)
            )
        except BaseException as error:  # noqa: BLE001 - it is raised where the soak waits
            errors.append(error)

    faults = threading.Thread(target=fail, name="faults")
    faults.start()
    try:
        running.load.run(until, plan.every_s)
    finally:
        if time.monotonic() < until:
            broken_off.set()
        faults.join()
    if errors:
        raise errors[0]
    return done


def _calm_down(server: Server, running: Installation) -> float:
    """Wait until nothing is under way. For how many seconds; CALM_S when it does not come to that."""
    began = time.monotonic()
    quiet = 0
    while time.monotonic() - began < CALM_S:
        with suppress(psycopg.Error):
            quiet = quiet + 1 if database_state.is_calm(server.superuser_url) else 0
            if quiet >= 5:
                break
        time.sleep(_LOOK_S)
    return time.monotonic() - began


def _judge(
    running: Installation,
    server: Server,
    timeline: Timeline,
    told: history.History,
    causes: dict[int, str],
    done: list[str],
    calm_s: float,
) -> Found:
    load, slack, url = running.load, running.stage.slack, server.superuser_url
    shown = list(
        Audiences(
            asked=load.asked,
            replies=read_replies(url),
            clicks=load.clicks,
            channels=running.world.channels,
            ids=running.ids,
        ).of(slack.shown)
    )
    canaries = running.world.canaries()
    failed = database_state.list_failed_jobs(url)
    disk = running.stage.disk
    verdicts = {
        "each event answered once": judging.answered_once(load.asked, slack.messages, is_final=is_final),
        "each shared file answered once": judging.offered_once(load.shared, slack.messages),
        "no forbidden word shown": judging.forbidden_shown(shown, canaries, told),
        "no job stuck": database_state.find_stuck(url),
        "no job failed unexpectedly": judging.unexpected_failures(failed, causes),
        "no row orphaned": database_state.find_orphans(url, running.originals, temporary_files(disk) if disk else None),
        "audit chain whole": _check_audit(),
        "memory flat": judging.memory_grows(running.watch.memory),
        "connections flat": judging.connections_grow(running.watch.connections),
        "no process ended by itself": running.watch.ended,
        "all calm in time": [f"not after {CALM_S:.0f} s"] if calm_s >= CALM_S else [],
    }
    latencies = _note_answers(url, timeline)
    said = [message for messages in slack.messages.values() for message in messages if judging.is_reply(message)]
    figures = {
        "asked": len(load.asked),
        "accepted": sum(one.accepted for one in load.asked),
        "replies": len(said),
        "shared": len(load.shared),
        "apologies": sum(is_apology(message) for message in said),
        "shown": len(shown),
        "shown_with_canaries": sum(any(word in one.text for word in canaries) for one in shown),
        "faults": len(done),
        "faults_by_kind": {name: done.count(name) for name in sorted(set(done))},
        "faults_left_out": sorted(set(FAULTS) - set(applicable(running.stage))),
        "latency_p50_s": percentile(latencies, 0.5),
        "latency_p95_s": percentile(latencies, 0.95),
        "calm_after_s": round(calm_s, 1),
        "memory_mb": {name: max(sample.mb for sample in seen) for name, seen in running.watch.memory.items() if seen},
        "connections_most": {name: max(counts) for name, counts in running.watch.connections.items()},
        "scans_on_standby": running.watch.scans_on_standby,
        "did": dict(sorted(load.did.items())),
        "jobs_failed": dict(Counter(f"{task}: {causes.get(pk, '')}" for pk, task in failed)),
        "given_up": database_state.list_failures(url),
    }
    return Found(figures=figures, verdicts=verdicts, entries=timeline.entries)


def _note_answers(superuser_url: str, timeline: Timeline) -> list[float]:
    """The seconds from each event to its reply, noted for the picture as well."""
    query = (
        "SELECT extract(epoch FROM finished_at), extract(epoch FROM finished_at - received_at) FROM bot_slackevent"
        " WHERE finished_at IS NOT NULL ORDER BY finished_at"
    )
    with psycopg.connect(superuser_url) as connection:
        rows = [(float(at), float(took_s)) for at, took_s in connection.execute(query).fetchall()]
    for at, took_s in rows:
        timeline.note("answer", at=at, latency_s=round(took_s, 2))
    return [round(took_s, 2) for _, took_s in rows]


def _check_audit() -> list[str]:
    """Return the faults that verify_audit finds."""
    said = io.StringIO()
    connection.close()  # it may be one to a server that was killed
    try:
        call_command("verify_audit", "--json", stdout=said)
    except SystemExit:
        found = json.loads(said.getvalue())
        return [f"breaks at {found['broken_at']}: {found['why']}"]
    return []
