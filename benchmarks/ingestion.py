"""Measure ingestion against the bare embedding model.

    python -m benchmarks.ingestion FOLDER [--rounds 8] [--json]

Ingests the documents of a folder into a scratch database, a part in each round, and after each round embeds the same
texts with the embedding model alone: what else the machine does then weighs on both alike. The ratio is the rate of
the whole way (read, parse, split, embed, store) over the rate of the model alone; 1 would mean that all else is free.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.scratch import scratch_database, set_up

if TYPE_CHECKING:
    from core.embedding import EmbeddingProvider


class Recording:
    """An embedding provider that passes all on to another and keeps the texts."""

    def __init__(self, inner: "EmbeddingProvider") -> None:
        self.inner = inner
        self.texts: list[str] = []
        self.seconds = 0.0  # that the model took within ingestion
        self.name, self.dimension, self.max_tokens = inner.name, inner.dimension, inner.max_tokens
        self.tokenizer = inner.tokenizer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts; see core.embedding.EmbeddingProvider."""
        self.texts += texts
        started = time.perf_counter()
        vectors = self.inner.embed(texts)
        self.seconds += time.perf_counter() - started
        return vectors


@dataclass(slots=True)
class Figures:
    """What was measured."""

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
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    set_up()
    with scratch_database():
        figures = measure(arguments.folder, arguments.rounds)
    shown = asdict(figures) | {
        "chunks_per_second": figures.chunks / figures.ingestion_seconds,
        "bare_chunks_per_second": figures.chunks / figures.bare_seconds,
        "ratio": figures.ratio,
    }
    shown = {name: round(value, 3) for name, value in shown.items()}
    print(json.dumps(shown) if arguments.json else "\n".join(f"{name:24}{value:>12}" for name, value in shown.items()))


def measure(folder: Path, rounds: int) -> Figures:
    """Ingest a folder in rounds, and embed what came of each with the model alone."""
    from core import embedding
    from core.ingestion.pipeline import SourceOutcome, ingest
    from core.ingestion.sandbox.process import Sandbox
    from core.ingestion.sources import Source
    from core.ingestion.sources.files import find
    from core.ingestion.target import IngestTarget
    from core.models import Collection

    bare = embedding.provider()
    bare.embed(["The model is loaded before anything is measured."])
    figures = Figures()

    def count(outcome: SourceOutcome) -> None:
        figures.documents += outcome.documents
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
