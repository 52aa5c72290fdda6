"""Measure how texts should be cut and embedded: the size of chunks, their overlap, and headings embedded with them.

    python -m benchmarks.chunking FOLDER [--documents 800] [--questions 300] [--seed 7] [--json]

FOLDER is a benchmark in BEIR's layout. Dense retrieval alone, compared exactly in memory; a document stands where its
best chunk stands. A part of the corpus is embedded anew for each way: the judged documents of the chosen questions,
and others by chance.
"""

import argparse
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.scratch import set_up

if TYPE_CHECKING:
    from core.library.embedding import EmbeddingProvider
    from core.library.ingestion.chunking import TextChunk
    from core.quality.benchmarks.beir import CorpusDocument, Question


@dataclass(frozen=True, slots=True)
class Way:
    """One way to cut and embed."""

    name: str
    most_tokens: int
    overlap: int = 0  # words of the chunk before that are embedded again with a chunk
    headings: bool = True


WAYS = (
    Way("220 tokens with headings", 220),
    Way("220 tokens, headings left out", 220, headings=False),
    Way("220 tokens with headings, overlap of 30 words", 190, overlap=30),
    Way("128 tokens with headings", 128),
    Way("180 tokens with headings", 180),
)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one way to cut chunks."""

    way: str
    chunks: int
    ndcg_at_10: float
    recall_at_20: float


def main() -> None:
    """Run the measurement and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=800)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    set_up()
    from core.library import embedding
    from core.quality.benchmarks.beir import read

    provider = embedding.load_provider("packaged")
    chance = random.Random(arguments.seed)
    questions = read(arguments.folder).questions
    questions = chance.sample(questions, min(arguments.questions, len(questions)))
    documents = _chosen(arguments.folder, questions, arguments.documents, chance)
    asked = provider.embed([question.text for question in questions])
    for way in WAYS:
        figures = measure(way, documents, questions, asked, provider)
        print(json.dumps(asdict(figures)) if arguments.json else figures, flush=True)


def measure(
    way: Way,
    documents: "Sequence[CorpusDocument]",
    questions: "Sequence[Question]",
    asked: np.ndarray,
    provider: "EmbeddingProvider",
) -> Figures:
    """Cut and embed the documents in one way, and find them by the questions (embeddings, (questions, dimension))."""
    from core.quality.benchmarks.retrieval import ndcg, recall

    owners: list[str] = []
    texts: list[str] = []
    for document in documents:
        cut = _cut(document, way, provider)
        texts += cut
        owners += [document.identifier] * len(cut)
    similarity = asked @ provider.embed(texts).T
    ranked = [list(dict.fromkeys(owners[i] for i in np.argsort(-row))) for row in similarity]
    judged = [question.judged for question in questions]
    return Figures(
        way=way.name,
        chunks=len(texts),
        ndcg_at_10=round(_mean(ndcg, ranked, judged, 10), 4),
        recall_at_20=round(_mean(recall, ranked, judged, 20), 4),
    )


def _mean(
    metric: Callable[[Sequence[str], dict[str, int], int], float],
    ranked: list[list[str]],
    judged: list[dict[str, int]],
    k: int,
) -> float:
    return float(np.mean([metric(found, wanted, k) for found, wanted in zip(ranked, judged, strict=True)]))


def _cut(document: "CorpusDocument", way: Way, provider: "EmbeddingProvider") -> list[str]:
    """The texts that are embedded for a document."""
    from core.library.ingestion.chunking import chunks
    from core.library.ingestion.parsers.json_files import parse_json

    fields = {"id": document.identifier, "title": document.title, "text": document.text or document.title}
    [parsed] = parse_json(json.dumps(fields), document.identifier).documents
    found = chunks(parsed, provider.tokenizer, most_tokens=way.most_tokens)
    return [_embedded(found, i, way) for i in range(len(found))]


def _embedded(found: "list[TextChunk]", i: int, way: Way) -> str:
    chunk = found[i]
    text = chunk.embedded_text if way.headings else chunk.content
    if not way.overlap or i == 0:
        return text
    before = " ".join(found[i - 1].content.split()[-way.overlap :])
    return text.removesuffix(chunk.content) + f"{before} {chunk.content}"


def _chosen(folder: Path, questions: "Sequence[Question]", count: int, chance: random.Random) -> "list[CorpusDocument]":
    from core.quality.benchmarks.beir import documents

    judged = {identifier for question in questions for identifier in question.judged}
    corpus = list(documents(folder))
    needed = [document for document in corpus if document.identifier in judged]
    others = [document for document in corpus if document.identifier not in judged]
    return needed + chance.sample(others, max(0, min(count - len(needed), len(others))))


if __name__ == "__main__":
    main()
