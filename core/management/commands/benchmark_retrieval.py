"""`manage.py benchmark_retrieval`: how well the right documents are found, on a benchmark in BEIR's layout."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table

from core.errors import FootnoteError
from core.library import embedding
from core.management.base import FootnoteCommand
from core.management.progress import progress
from core.management.scratch import scratch_database
from core.quality.benchmarks.beir import BeirError, Benchmark, Question, documents, read
from core.quality.benchmarks.retrieval import (
    RECALL_AT,
    RERANKED,
    BenchmarkLibrary,
    Figures,
    fill,
    measure,
    sample,
    usable,
    variants,
)

DEFAULT_K, MOST_K, DEFAULT_SEED = 10, 50, 7
WRONG_USAGE = 2  # exit code


class Command(FootnoteCommand):
    """Ingest a benchmark's corpus into a database of its own, ask its questions, and judge what is found."""

    help = (
        "Measures retrieval on a folder in the BEIR layout (corpus.jsonl, queries.jsonl, qrels.tsv or "
        "qrels/SPLIT.tsv). The corpus is ingested into a separate database, which is removed afterwards. Each judged "
        "question is asked by meaning alone, by words alone, in the product's way, and with the re-ranker if "
        "RERANKER_MODEL is set. Exit code 0: measured; 1: the measurement failed; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("folder", metavar="FOLDER", type=Path, help="A folder in the BEIR layout.")
        parser.add_argument("--split", help="The judgements to use: qrels/SPLIT.tsv. Default: qrels.tsv, else test.")
        parser.add_argument(
            "--questions", type=int, metavar="N", help="Number of questions, chosen at random. Default: all."
        )
        parser.add_argument("--k", type=int, default=DEFAULT_K, help=f"Depth of nDCG, 1 to {MOST_K} ({DEFAULT_K}).")
        parser.add_argument(
            "--seed", type=int, default=DEFAULT_SEED, help=f"Random seed for the choice of questions ({DEFAULT_SEED})."
        )
        parser.add_argument("--json", action="store_true", help="Print one line of JSON for each way to search.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, ingest, ask, and print."""
        if not 1 <= options["k"] <= MOST_K:
            raise CommandError(f"--k must be a whole number from 1 to {MOST_K}.", returncode=WRONG_USAGE)
        if options["questions"] is not None and options["questions"] < 1:
            raise CommandError("--questions must be at least 1.", returncode=WRONG_USAGE)
        try:
            benchmark = read(options["folder"], options["split"])
            questions = self._questions(benchmark, options["questions"], options["seed"])
            with scratch_database():
                self._measure(benchmark, questions, options)
        except BeirError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        except FootnoteError as error:
            raise CommandError(error.message) from error

    def _questions(self, benchmark: Benchmark, count: int | None, seed: int) -> list[Question]:
        self._say(benchmark.unknown_documents, "judgements of documents that are not in corpus.jsonl")
        self._say(benchmark.unknown_questions, "judgements of questions that are not in queries.jsonl")
        questions = usable(benchmark.questions)
        self._say(len(benchmark.questions) - len(questions), "questions that are too short or too long to be asked")
        if not questions:
            raise BeirError(f"{benchmark.folder} has no question that can be asked.")
        return questions if count is None else sample(questions, count, seed)

    def _measure(self, benchmark: Benchmark, questions: list[Question], options: dict[str, Any]) -> None:
        with progress("Ingesting", benchmark.document_count) as step:
            library = fill(documents(benchmark.folder), step)
        self._say(benchmark.document_count - library.documents, "documents that could not be stored")
        measured = []
        for figures in self._figures(questions, library, options["k"]):
            measured.append(figures)
            if options["json"]:
                self.stdout.write(json.dumps(_as_json(figures, benchmark, library, options), ensure_ascii=False))
        if not options["json"]:
            console = Console(file=self.stdout)  # type: ignore[arg-type]  # Django's wrapper writes like a file
            console.print(_table(measured, options["k"]))

    def _figures(self, questions: list[Question], library: BenchmarkLibrary, k: int) -> Iterator[Figures]:
        for variant in variants():
            with progress(f"Asking, {variant}", len(questions)) as step:
                figures = measure(variant, questions, library, k=k, step=step)
            if figures.fallbacks:
                self.stderr.write(f"The re-ranker gave no scores for {figures.fallbacks:,} questions; see the log.")
            yield figures

    def _say(self, count: int, what: str) -> None:
        if count:
            self.stderr.write(f"Left out: {what} ({count:,}).")


def _as_json(
    figures: Figures, benchmark: Benchmark, library: BenchmarkLibrary, options: dict[str, Any]
) -> dict[str, Any]:
    is_reranked = figures.variant == RERANKED
    return {
        "variant": figures.variant,
        f"ndcg_at_{options['k']}": round(figures.ndcg, 4),
        **{f"recall_at_{depth}": round(figures.recall[depth], 4) for depth in RECALL_AT},
        "latency_p50_ms": round(figures.latency_p50_ms, 2),
        "latency_p95_ms": round(figures.latency_p95_ms, 2),
        "questions": figures.questions,
        "documents": library.documents,
        "chunks": len(library.document_of),
        "unknown_ids": benchmark.unknown_documents + benchmark.unknown_questions,
        "fallbacks": figures.fallbacks,
        "embedding_model": embedding.provider().name,
        "reranker_model": settings.RERANKER_MODEL if is_reranked else None,
        "seed": options["seed"],
    }


def _table(measured: list[Figures], k: int) -> Table:
    table = Table("Search", f"nDCG@{k}", *(f"recall@{depth}" for depth in RECALL_AT), "p50 ms", "p95 ms")
    for column in table.columns[1:]:
        column.justify = "right"
    for figures in measured:
        table.add_row(
            figures.variant,
            f"{figures.ndcg:.3f}",
            *(f"{figures.recall[depth]:.3f}" for depth in RECALL_AT),
            f"{figures.latency_p50_ms:.1f}",
            f"{figures.latency_p95_ms:.1f}",
        )
    return table
