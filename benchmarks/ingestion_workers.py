"""One ingestion job worked off by several workers at once: what limits, what a killed one costs, what people notice.

The workers are those of the Procfile, on the scratch database of the measurement. They share the machine's
processors: each gets its part of the threads that embed, unless told otherwise.
"""

import os
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import psutil

from benchmarks.burst.figures import percentile
from benchmarks.installation.processes import Process, ending, free_port

if TYPE_CHECKING:
    from core.models import IngestionJob

File = tuple[str, bytes]

STEPS = ("fetch", "parse", "cut", "embed", "store")
_START_S, _DEADLINE_S = 180.0, 600.0
_LOOK_S = 0.2
_QUESTIONS = 20  # that are asked again and again
_READER = "reader@example.com"
_ALIVE = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'"
_WAITING = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class MeasurementError(Exception):
    """The workers did not do what they were to do in time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One job, from when it was handed in to its end."""

    workers: int
    seconds: float
    documents: int
    chunks: int
    failed: int
    took_part: int  # workers that embedded something
    cores: float  # that the workers had on average, their parsers included
    idle_cores: float  # of the machine, meanwhile
    lock_waits: float  # sessions that waited for a lock, on average
    steps: dict[str, float]  # the share of the workers' time, together 1 where each has one step at a time

    @property
    def chunks_per_s(self) -> float:
        """The rate."""
        return self.chunks / self.seconds

    @property
    def chunks_per_cpu_s(self) -> float:
        """The rate that a processor would give which has nothing else to do."""
        return self.chunks / (self.cores * self.seconds)


@dataclass(slots=True)
class Asked:
    """The durations of questions, and the chunks ingested meanwhile."""

    took_s: list[float] = field(default_factory=list)
    chunks: int = 0
    seconds: float = 0.0

    def as_json(self) -> dict[str, float]:
        """The figures."""
        return {
            "questions": len(self.took_s),
            "p50_s": round(percentile(self.took_s, 0.5), 3),
            "p95_s": round(percentile(self.took_s, 0.95), 3),
            "chunks_per_s": round(self.chunks / self.seconds, 2) if self.seconds else 0.0,
        }


class Workers:
    """So many worker processes, which have loaded their models."""

    def __init__(self, number: int, log: IO[bytes], *, all_threads: bool = False) -> None:
        self._ports = [free_port() for _ in range(number)]
        threads = {} if all_threads else {"OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // number))}
        several = {"INGEST_SHARE": "1", "WORKER_CONCURRENCY": "4", "EVALUATION_ENABLED": "false"}
        self.processes = [
            Process("worker", _database() | threads | several | {"METRICS_PORT": str(port - 1)}, log)
            for port in self._ports
        ]

    def __enter__(self) -> Self:
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM procrastinate_jobs")
            cursor.execute("DELETE FROM procrastinate_workers")
        for process in self.processes:
            process.start()
        try:
            wait_for(lambda: _count(_ALIVE) >= len(self.processes), _START_S)
            wait_for(lambda: all(process.rss_mb() > 400 for process in self.processes), _START_S)  # the models
            time.sleep(2)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with ending(*self.processes):
            pass

    def steps(self) -> list[Counter[str]]:
        """For each worker that runs, the seconds in each step of ingestion since it was started."""
        found = []
        for process, port in zip(self.processes, self._ports, strict=True):
            if process.end_code() is None and process.rss_mb():
                found.append(_read_steps(port))
        return found

    def cpu_s(self) -> float:
        """Processor seconds so far."""
        return sum(process.cpu_s() for process in self.processes)


class LockWaits:
    """Looks within its block again and again how many sessions wait for a lock."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._seen: list[int] = []
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def average(self) -> float:
        """Sessions that waited."""
        return sum(self._seen) / len(self._seen) if self._seen else 0.0

    def _look(self) -> None:
        from django.db import connection

        while not self._over.wait(_LOOK_S):
            self._seen.append(_count(_WAITING))
        connection.close()


def measure_job(files: Sequence[File], workers: Workers) -> Run:
    """One job of these files, into a collection of its own."""
    before, cpu_s, idle_s = workers.steps(), workers.cpu_s(), psutil.cpu_times().idle
    with LockWaits() as waits:
        started = time.monotonic()
        job = hand_in(files)
        wait_for(lambda: has_ended(job), _DEADLINE_S)
        seconds = time.monotonic() - started
    steps = [now - then for now, then in zip(workers.steps(), before, strict=True)]
    return Run(
        workers=len(workers.processes),
        seconds=seconds,
        cores=(workers.cpu_s() - cpu_s) / seconds,
        idle_cores=(psutil.cpu_times().idle - idle_s) / seconds,
        lock_waits=waits.average,
        took_part=sum(one["embed"] > 0 for one in steps),
        steps={step: sum(one[step] for one in steps) / seconds / len(steps) for step in STEPS},
        **_outcome(job),
    )


def measure_kill(files: Sequence[File], log: IO[bytes]) -> dict[str, Any]:
    """Two workers on one job, of which the one that has done more is killed when a third of the files is done."""
    from core.models import Document, IngestionFile

    with Workers(2, log) as workers:
        started = time.monotonic()
        job = hand_in(files)
        wait_for(lambda: 3 * job.files.filter(state=IngestionFile.State.DONE).count() >= len(files), _DEADLINE_S)
        busier = max(workers.processes, key=lambda process: process.cpu_s())
        busier.kill()
        killed_s = time.monotonic() - started
        wait_for(lambda: not job.files.filter(state__in=("queued", "running")).exists(), _DEADLINE_S)
        read_s = time.monotonic() - started
        wait_for(lambda: has_ended(job), _DEADLINE_S)
        there = Document.objects.filter(collection=job.collection)
        return {
            "killed_after_s": round(killed_s, 1),
            "all_read_after_s": round(read_s, 1),
            "ended_after_s": round(time.monotonic() - started, 1),
            "state": type(job).objects.get(pk=job.pk).state,
            "documents": there.count(),
            "of_version_1": there.filter(version=1).count(),
            "tried_twice": job.files.filter(attempts__gt=1).count(),
        } | _outcome(job)


def measure_questions(seconds: float, asked: Asked, files: Sequence[File], share: float | None) -> None:
    """Ask every two seconds, alone (share: None) or while this process ingests as a worker does, with an INGEST_SHARE.

    A worker answers what is asked in Slack in the process in which it ingests.
    """
    from django.conf import settings

    if share is None:
        _ask_for(seconds, asked)
        return
    settings.INGEST_SHARE = share
    job = hand_in(files)
    ingesting = threading.Thread(target=_ingest, args=(job,))
    ingesting.start()
    try:
        wait_for(lambda: job.files.filter(state="running").exists(), _START_S)
        before, began = _count_chunks(), time.monotonic()
        _ask_for(seconds, asked)
        asked.seconds += time.monotonic() - began
        asked.chunks += _count_chunks() - before
    finally:
        job.files.filter(state="queued").delete()
        ingesting.join()


def _ingest(job: "IngestionJob") -> None:
    from django.db import connection

    from core.library.ingestion.jobs import run_job

    run_job(job.pk)
    connection.close()


def ask_each_once() -> None:
    """Ask what is asked later, so that all models are loaded."""
    for number in range(_QUESTIONS):
        _ask(number)


def _ask_for(seconds: float, asked: Asked) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        started = time.monotonic()
        _ask(len(asked.took_s))
        asked.took_s.append(time.monotonic() - started)
        time.sleep(max(0.0, started + 2 - time.monotonic()))


def _ask(number: int) -> None:
    from core import api
    from core.access.audiences import audience_of
    from core.library.embedding import similarity
    from core.models import Document, User
    from core.types import Asker

    similarity._kept.clear()  # in a large library few passages were read a moment ago
    person = User.objects.get(email=_READER)
    titles = Document.objects.order_by("created_at", "source").values_list("title", flat=True)[:_QUESTIONS]
    question = f"What does {titles[number % len(titles)][:80]} say?"
    api.ask(question, asker=Asker(user_id=person.pk), audience=audience_of([person.pk]))


def hand_in(files: Sequence[File]) -> "IngestionJob":
    """Hand in a job, into a new collection that one person may read."""
    from core.library.ingestion.jobs import create_job
    from core.models import Collection, Role, User, UserRole

    role, is_new = Role.objects.get_or_create(name="readers")
    if is_new:
        UserRole.objects.create(user=User.objects.create_user(_READER, display_name="Reader"), role=role)
    shelf = Collection.objects.create(name=f"Measured {Collection.objects.count()}")
    return create_job(files=files, collection=shelf, roles=[role])


def has_ended(job: "IngestionJob") -> bool:
    """Return True if the end of the job is recorded."""
    return type(job).objects.filter(pk=job.pk, finished_at__isnull=False).exists()


def wait_for(is_so: Callable[[], bool], seconds: float) -> None:
    """MeasurementError when it is not so in time."""
    until = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > until:
            raise MeasurementError
        time.sleep(_LOOK_S)


def read_files(folder: Path, most: int) -> list[File]:
    """So many of a folder's files, from all parts of it."""
    from core.library.ingestion.sources import Source
    from core.library.ingestion.sources.files import find

    sources = [found for found in find(folder, max_mb=100) if isinstance(found, Source)]
    step = max(1, len(sources) // most)
    loaded = [source.load() for source in sources[::step][:most]]
    return [(file.name, file.content) for file in loaded]


def summarise(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """For each number of workers the middle run, with its rate beside that of the middle run of the smallest number."""
    middle = []
    for number in sorted({run.workers for run in runs}):
        some = sorted((run for run in runs if run.workers == number), key=lambda run: run.chunks_per_s)
        middle.append((some[len(some) // 2], some))
    one = middle[0][0].chunks_per_s
    return [
        {name: round(value, 2) if isinstance(value, float) else value for name, value in asdict(run).items()}
        | {
            "steps": {step: round(share, 3) for step, share in run.steps.items()},
            "chunks_per_s": round(run.chunks_per_s, 2),
            "chunks_per_cpu_s": round(run.chunks_per_cpu_s, 2),
            "documents_per_s": round(run.documents / run.seconds, 2),
            "times": round(run.chunks_per_s / one, 2),
            "rounds": [round(each.chunks_per_s, 2) for each in some],
        }
        for run, some in middle
    ]


def draw(lines: Sequence[dict[str, Any]], path: Path) -> None:
    """Chunks a second by workers, each round as a point; beside it what the workers spent their time on."""
    from benchmarks.reporting import prepare_drawing

    prepare_drawing()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.4), layout="constrained")
    rate, spent = figure.subplots(1, 2)
    numbers = [line["workers"] for line in lines]
    rate.plot(numbers, [line["chunks_per_s"] for line in lines], marker="o", markersize=4)
    for line in lines:
        rate.plot([line["workers"]] * len(line["rounds"]), line["rounds"], ".", color="0.6", markersize=4)
    rate.set(xlabel="worker processes", ylabel="chunks a second", xticks=numbers, ylim=(0, None))
    rate.grid(color="0.92")
    below = [0.0] * len(lines)
    places = [str(number) for number in numbers]
    for step in STEPS:
        shares = [100 * line["steps"][step] for line in lines]
        spent.bar(places, shares, bottom=below, label=step, width=0.6)
        below = [low + share for low, share in zip(below, shares, strict=True)]
    spent.set(xlabel="worker processes", ylabel="% of a worker's time, steps side by side")
    handles, labels = spent.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False)
    figure.savefig(path, metadata={"Date": None})


@contextmanager
def log_of_workers() -> Iterator[IO[bytes]]:
    """Open the workers' log; its end is added to the error when the measurement fails."""
    with tempfile.TemporaryFile() as log:
        try:
            yield log
        except MeasurementError as error:
            log.seek(0)
            error.add_note(log.read()[-4000:].decode(errors="replace"))
            raise


def _outcome(job: "IngestionJob") -> dict[str, int]:
    rows = list(job.files.values_list("state", "document_count", "chunk_count"))
    return {
        "documents": sum(documents for _, documents, _ in rows),
        "chunks": sum(chunks for _, _, chunks in rows),
        "failed": sum(state == "failed" for state, _, _ in rows),
    }


def _database() -> dict[str, str]:
    from django.conf import settings
    from django.db import connection

    database = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}")
    return {"DATABASE_URL": database.geturl(), "SECRET_KEY": settings.SECRET_KEY, "DEBUG": str(settings.DEBUG)}


def _count(statement: str) -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])


def _count_chunks() -> int:
    from core.models import Chunk
    from core.models.row_security import bypass_row_security

    with bypass_row_security():
        return Chunk.objects.count()


def _read_steps(port: int) -> Counter[str]:
    from prometheus_client.parser import text_string_to_metric_families

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
        families = text_string_to_metric_families(page.read().decode())
        return Counter(
            {
                sample.labels["step"]: sample.value
                for family in families
                for sample in family.samples
                if sample.name == "footnote_ingestion_step_seconds_sum"
            }
        )
