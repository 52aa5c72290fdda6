"""Measure ingestion against the bare embedding model, or by the number of workers.

    python -m benchmarks.ingestion FOLDER [--rounds 8] [--json]
    python -m benchmarks.ingestion FOLDER --workers 1,2,4 [--files 80] [--rounds 2] [--picture FILE.svg] [--json]
    python -m benchmarks.ingestion FOLDER --questions 40 [--files 80] [--rounds 2] [--json]
    python -m benchmarks.ingestion FOLDER --kill [--files 80] [--json]

The first ingests the documents of a folder into a scratch database, a part in each round, and after each round embeds
the same texts with the embedding model alone: what else the machine does then weighs on both alike. The ratio is the
rate of the whole way (read, parse, split, embed, store) over the rate of the model alone; 1 would mean that all else
is free.

The others run the Procfile's worker on one job of so many of the folder's files. --workers: once with each number of
processes in each round, there and back, so that what else the machine does weighs on all alike; each process embeds
with its part of the processors (--all-threads: with all). --questions: asks every two seconds, for so many seconds,
alone, while the same process ingests without giving way (INGEST_SHARE 1), and as configured. --kill: two workers, of
which one is killed.
"""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from benchmarks.ingestion_workers import File
    from core.library.embedding import EmbeddingProvider


class Recording:
    """An embedding provider that passes all on to another and keeps the texts."""

    def __init__(self, inner: "EmbeddingProvider") -> None:
        self.inner = inner
        self.texts: list[str] = []
        self.seconds = 0.0  # that the model took within ingestion
        self.name, self.dimension, self.max_tokens = inner.name, inner.dimension, inner.max_tokens
        self.tokenizer = inner.tokenizer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see core.library.embedding.EmbeddingProvider."""
        self.texts += texts
        started = time.perf_counter()
        vectors = self.inner.embed(texts)
        self.seconds += time.perf_counter() - started
        return vectors


@dataclass(slots=True)
class Figures:
    """The measured figures."""

    documents: int = 0
    chunks: int = 0
    failed: int = 0
    ingestion_seconds: float = 0.0
    embedding_seconds: float = 0.0  # within ingestion
    bare_seconds: float = 0.0

    @property
    def ratio(self) -> float:
        """The rate of ingestion over the model's alone."""
        return self.bare_seconds / self.ingestion_seconds


def main() -> None:
    """Run the measurement and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, help="Default: 8; with workers or questions 2.")
    parser.add_argument("--workers", type=_numbers, metavar="N,N,...", help="Numbers of worker processes.")
    parser.add_argument("--all-threads", action="store_true", help="Each worker embeds with all processors.")
    parser.add_argument("--questions", type=float, metavar="SECONDS", help="How long to ask in each round.")
    parser.add_argument("--kill", action="store_true", help="Kill one of two workers.")
    parser.add_argument("--files", type=int, default=80, help="Files of one job of the workers. Default: 80.")
    parser.add_argument("--picture", type=Path, metavar="FILE.svg", help="Draw the rate by workers.")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    set_up()
    with scratch_database():
        if arguments.workers or arguments.questions or arguments.kill:
            shown = _measure_workers(arguments)
        else:
            shown = _measure_alone(arguments)
    print(
        json.dumps(shown) if arguments.json else "\n".join(f"{name:24}{value!s:>12}" for name, value in shown.items())
    )


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _measure_alone(arguments: argparse.Namespace) -> dict[str, Any]:
    figures = measure(arguments.folder, arguments.rounds or 8)
    shown = asdict(figures) | {
        "chunks_per_second": figures.chunks / figures.ingestion_seconds,
        "bare_chunks_per_second": figures.chunks / figures.bare_seconds,
        "ratio": figures.ratio,
    }
    return {name: round(value, 3) for name, value in shown.items()}


def _measure_workers(arguments: argparse.Namespace) -> dict[str, Any]:
    from django.conf import settings

    from benchmarks import ingestion_workers as workers

    settings.INGEST_JOB_MAX_FILES = arguments.files
    files = workers.read_files(arguments.folder, arguments.files)
    rounds = arguments.rounds or 2
    shown: dict[str, Any] = {"files": len(files), "processors": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    with workers.log_of_workers() as log:
        if arguments.workers:
            shown["workers"] = _by_number(arguments, files, rounds, log)
            if arguments.picture:
                workers.draw(shown["workers"], arguments.picture)
        if arguments.questions:
            shown["questions"] = _beside_questions(arguments.questions, files, rounds, log)
        if arguments.kill:
            shown["kill"] = workers.measure_kill(files, log)
    return shown


def _by_number(arguments: argparse.Namespace, files: Sequence["File"], rounds: int, log: IO[bytes]) -> list[Any]:
    from benchmarks import ingestion_workers as workers

    runs = []
    for turn in range(rounds):
        for number in arguments.workers[:: -1 if turn % 2 else 1]:
            with workers.Workers(number, log, all_threads=arguments.all_threads) as several:
                runs.append(workers.measure_job(files, several))
    return workers.summarise(runs)


def _beside_questions(seconds: float, files: Sequence["File"], rounds: int, log: IO[bytes]) -> dict[str, Any]:
    from django.conf import settings

    from benchmarks import ingestion_workers as workers

    with workers.Workers(1, log) as one:
        workers.measure_job(files[::4], one)  # what the questions are about
    asked = {"alone": workers.Asked(), "without_room": workers.Asked(), "with_room": workers.Asked()}
    shares = {"alone": None, "without_room": 1.0, "with_room": settings.INGEST_SHARE}
    workers.ask_each_once()
    for turn in range(rounds):
        for way in list(asked)[:: -1 if turn % 2 else 1]:
            workers.measure_questions(seconds, asked[way], files, shares[way])
    return {way: figures.as_json() for way, figures in asked.items()}


def measure(folder: Path, rounds: int) -> Figures:
    """Ingest a folder in rounds, and embed what came of each with the model alone."""
    from core.library import embedding
    from core.library.ingestion.pipeline import SourceOutcome, ingest
    from core.library.ingestion.sandbox.process import Sandbox
    from core.library.ingestion.sources import Source
    from core.library.ingestion.sources.files import find
    from core.library.ingestion.target import IngestTarget
    from core.models import Collection

    bare = embedding.provider()
    bare.embed(["The model is loaded before anything is measured."])
    figures = Figures()

    def count(outcome: SourceOutcome) -> None:
        figures.documents += len(outcome.documents)
        figures.chunks += outcome.chunks
        figures.failed += len(outcome.errors)

    sources = [found for found in find(folder, max_mb=100) if isinstance(found, Source)]
    shelf = IngestTarget(collection=Collection.objects.create(name="Measured"))
    with Sandbox() as sandbox:
        for part in (sources[start::rounds] for start in range(rounds)):
            recording = Recording(bare)
            with embedding.use(recording):
                started = time.perf_counter()
                ingest(part, shelf, sandbox, count)
                figures.ingestion_seconds += time.perf_counter() - started
            figures.embedding_seconds += recording.seconds
            if recording.texts:
                started = time.perf_counter()
                bare.embed(recording.texts)
                figures.bare_seconds += time.perf_counter() - started
    return figures


if __name__ == "__main__":
    main()
