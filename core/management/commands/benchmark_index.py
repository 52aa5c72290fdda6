"""`manage.py benchmark_index`: how right and how fast search by meaning is, by share of the corpus permitted."""

import json
import signal
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from django.utils import timezone
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from core.errors import FootnoteError
from core.management.base import FootnoteCommand
from core.management.progress import progress
from core.management.scratch import scratch_database
from core.quality.benchmarks import fed_engine
from core.quality.benchmarks.drawing import CHUNKS_PER_DOCUMENT
from core.quality.benchmarks.live import MOST_ROLES, measure_live
from core.quality.benchmarks.measuring import MOST_SECONDS, MOST_SECONDS_OF_ONE, Measurement, as_json, run_name, store
from core.quality.benchmarks.synthetic import Request, measure_synthetic
from core.quality.benchmarks.ways import ENGINE, LIVE_STRATEGIES, MEMORY, PLAIN, QUANTISED, STRATEGIES

LEAST_CHUNKS = 1000
DEFAULT_QUESTIONS, DEFAULT_K, MOST_K, DEFAULT_SEED = 100, 20, 50, 7
DEFAULT_SHARES = "100,50,10,1,0.1"
WRONG_USAGE, INTERRUPTED = 2, 130  # exit codes

_FIGURES = ("Share %", "Recall", "least", "p50 ms", "p95 ms", "Faults")
_TABLE_WIDTH = 100
_NO_READERS = "no role is granted a document"
_NO_INDEX = "the library has no HNSW index (manage.py vector_index), or no role is granted a document"
_REASONS = {
    ENGINE: (
        "VECTOR_ENGINE_URL names no engine, or the library's collection in it is not built (manage.py index_sync "
        "--rebuild), or no role is granted a document"
    ),
    MEMORY: "faiss is not installed or cannot be used here",
    PLAIN: _NO_INDEX,
    QUANTISED: "the copy would be larger than VECTOR_MEMORY_MB, or no role is granted a document",
}


class Command(FootnoteCommand):
    """Search the same questions in several ways, for readers of different shares of the corpus."""

    help = (
        "Measures search by meaning: the product's planner, each of its strategies alone, the plain way (join, order "
        "by distance, limit), IVFFlat, and an exact scan in memory. --synthetic N makes a random library of N chunks "
        "in a separate database, which is removed afterwards, with grants at random and by topic. It asks for one "
        "person and for a channel of 200 people with 12 distinct role sets, by share of the documents permitted. "
        "Without --synthetic, the library is measured as it is, and nothing in it is changed: for each role (the "
        f"largest, the smallest and some in between, {MOST_ROLES} at most), with the share that it may read, and "
        "exactly and by the indexes alone over the whole library, read as by maintenance. The vector engine is asked "
        "where VECTOR_ENGINE_URL names one: on the live library for its collection there, with --synthetic for one of "
        "its own, which is removed afterwards. IVFFlat, and HNSW where the "
        "library has no such index, are built on a scratch copy of its vectors. Each way is asked for as many "
        "candidates as the product asks for, and the first k are judged. Ways that keep a copy of the "
        "vectors in memory stay within VECTOR_MEMORY_MB. A way so slow that its questions would take more than "
        f"{MOST_SECONDS:g} s for one audience gets fewer questions, and a question that takes more than "
        f"{MOST_SECONDS_OF_ONE:g} s is given up. Results are stored for the admin and REST. Exit code 0: measured; 1: "
        "the measurement failed; 2: wrong usage; 130: interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--synthetic",
            type=int,
            metavar="N",
            help=f"A random library of N chunks, at least {LEAST_CHUNKS}, a multiple of {CHUNKS_PER_DOCUMENT}.",
        )
        parser.add_argument(
            "--questions",
            type=int,
            default=DEFAULT_QUESTIONS,
            metavar="N",
            help=f"Number of questions ({DEFAULT_QUESTIONS}).",
        )
        parser.add_argument("--k", type=int, default=DEFAULT_K, help=f"Results wanted, 1 to {MOST_K} ({DEFAULT_K}).")
        parser.add_argument(
            "--candidates",
            type=int,
            metavar="N",
            help="Candidates that the product's ways are asked for, at least k; default: RETRIEVAL_CANDIDATES.",
        )
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help=f"Random seed ({DEFAULT_SEED}).")
        parser.add_argument(
            "--shares",
            metavar="PERCENT,...",
            help=f"Shares of the documents permitted, only with --synthetic ({DEFAULT_SHARES}).",
        )
        parser.add_argument(
            "--strategies",
            metavar="NAME,...",
            help=f"Any of {', '.join(STRATEGIES)}; on the live library {', '.join(LIVE_STRATEGIES)}. Default: all.",
        )
        parser.add_argument("--json", action="store_true", help="Print one line of JSON for each measurement.")
        parser.add_argument("--no-store", action="store_true", help="Do not store the results.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, print, and store."""
        request = _request(options)
        is_synthetic = options["synthetic"] is not None
        if not _has_pgvector():
            raise CommandError("The database server has no pgvector: install the extension, version 0.8.3 or newer.")
        self._tell_which_engine(request)
        started = timezone.now()
        measured: list[Measurement] = []

        def report(measurement: Measurement) -> None:
            measured.append(measurement)
            if options["json"]:
                self.stdout.write(json.dumps(as_json(measurement)))
                self.stdout.flush()

        try:
            with _end_by_signal():
                if is_synthetic:
                    with scratch_database():
                        measure_synthetic(request, bar=progress, report=report)
                else:
                    measure_live(request, bar=progress, report=report)
        except FootnoteError as error:
            raise CommandError(error.message) from error
        except KeyboardInterrupt as error:
            raise CommandError("Interrupted. Nothing was stored.", returncode=INTERRUPTED) from error
        self._tell_what_is_missing(request, measured)
        if not measured:
            raise CommandError("Nothing could be measured in these ways.")
        if not options["no_store"]:
            library = "synthetic" if is_synthetic else "live"
            store(measured, run=run_name(started), measured_at=started, library=library)
        if not options["json"]:
            console = Console(file=self.stdout)  # type: ignore[arg-type]  # Django's wrapper writes like a file
            console.width = max(console.width, _TABLE_WIDTH)
            console.print(_table(measured))
            console.print(_table_of_costs(measured))

    def _tell_which_engine(self, request: Request) -> None:
        """Print the engine's own description of itself."""
        if ENGINE not in request.strategies:
            return
        try:
            said = fed_engine.describe()
        except FootnoteError as error:
            raise CommandError(error.message) from error
        if said is not None:
            self.stderr.write(f"The vector engine says that it is: {said}.")

    def _tell_what_is_missing(self, request: Request, measured: Sequence[Measurement]) -> None:
        """Print the strategies that were left out, and why."""
        there = {measurement.strategy for measurement in measured}
        for strategy in request.strategies:
            if strategy not in there:
                self.stderr.write(f"Left out: {strategy}, because {_REASONS.get(strategy, _NO_READERS)}.")


def _request(options: dict[str, Any]) -> Request:
    synthetic = options["synthetic"]
    if synthetic is not None and (synthetic < LEAST_CHUNKS or synthetic % CHUNKS_PER_DOCUMENT):
        raise _wrong(f"--synthetic must be at least {LEAST_CHUNKS} and a multiple of {CHUNKS_PER_DOCUMENT}.")
    if synthetic is None and options["shares"] is not None:
        raise _wrong("--shares is only for --synthetic. In the live library the shares are those of its roles.")
    if not 1 <= options["k"] <= MOST_K:
        raise _wrong(f"--k must be a whole number from 1 to {MOST_K}.")
    candidates = settings.RETRIEVAL_CANDIDATES if options["candidates"] is None else options["candidates"]
    if candidates < options["k"]:
        raise _wrong("--candidates must be at least --k.")
    if options["questions"] < 1:
        raise _wrong("--questions must be at least 1.")
    if options["seed"] < 0:
        raise _wrong("--seed must not be negative.")
    return Request(
        strategies=_strategies(options["strategies"], STRATEGIES if synthetic is not None else LIVE_STRATEGIES),
        questions=options["questions"],
        k=options["k"],
        candidates=candidates,
        seed=options["seed"],
        shares=_shares(options["shares"] or DEFAULT_SHARES),
        chunks=synthetic or 0,
    )


def _strategies(given: str | None, possible: Sequence[str]) -> tuple[str, ...]:
    if given is None:
        return tuple(possible)
    named = [name.strip() for name in given.split(",")]
    unknown = [name for name in named if name not in possible]
    if unknown:
        raise _wrong(f"--strategies has {unknown[0]!r}; here you can use {', '.join(possible)}.")
    return tuple(dict.fromkeys(named))


def _shares(given: str) -> tuple[float, ...]:
    try:
        shares = [float(share) for share in given.split(",")]
    except ValueError as error:
        raise _wrong(f"--shares must be a list of percentages like {DEFAULT_SHARES}.") from error
    if not all(0 < share <= 100 for share in shares):
        raise _wrong("--shares must be percentages above 0 and up to 100.")
    return tuple(dict.fromkeys(shares))


def _wrong(message: str) -> CommandError:
    return CommandError(message, returncode=WRONG_USAGE)


def _has_pgvector() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')")
        return bool(cursor.fetchone()[0])


@contextmanager
def _end_by_signal() -> Iterator[None]:
    """Treat the signal to end like Ctrl-C within the block: rows made for the measurement are removed."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _table(measured: Sequence[Measurement]) -> Table:
    table = Table("Strategy", "Index", "Grants", "Readers", *_FIGURES, box=SIMPLE)
    table.caption = "Faults: questions with too few results, duplicate results, forbidden results, questions given up."
    for column in table.columns[-len(_FIGURES) :]:
        column.justify = "right"
    for row in measured:
        table.add_row(
            row.strategy,
            row.index_type,
            row.grants,
            row.audience,
            f"{row.share:g}",
            f"{row.recall_at_k:.3f}",
            f"{row.recall_min:.2f}",
            f"{row.latency_p50_ms:.1f}",
            f"{row.latency_p95_ms:.1f}",
            f"{row.short_results}/{row.duplicates}/{row.forbidden}/{row.given_up}",
        )
    return table


def _table_of_costs(measured: Sequence[Measurement]) -> Table:
    table = Table("Strategy", "MB", "Build s", box=SIMPLE)
    for row in {row.strategy: row for row in measured}.values():
        table.add_row(row.strategy, f"{row.memory_usage_mb:.1f}", f"{row.build_s:.1f}")
    return table
