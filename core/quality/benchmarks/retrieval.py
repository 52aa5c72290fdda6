"""Measure retrieval on a benchmark: fill the library, ask every question in each way, and judge the rankings.

The library has to be empty: see core.management.scratch.
"""

import json
import math
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import connection

from core.access.audiences import audience_of
from core.api import MOST_SEARCH_RESULTS, search
from core.asking.answering.requests import check_question
from core.errors import InvalidQuestionError
from core.library import embedding
from core.library.ingestion.parsers.json_files import parse_json
from core.library.ingestion.store import DocumentDraft, draft, embed, hash_of, write
from core.library.ingestion.target import IngestTarget
from core.library.retrieval import dense
from core.library.retrieval.access_filter import count_permitted, select_permitted_chunks
from core.library.retrieval.lexical import by_words
from core.library.retrieval.reranking import switch_off_reranking, tally_calls
from core.models import Collection, Role, User, UserRole
from core.models.row_security import as_audience
from core.quality.benchmarks.beir import CorpusDocument, Question
from core.types import Audience, Filters

DENSE, FULL_TEXT, HYBRID, RERANKED = "dense", "full text", "hybrid", "hybrid + re-rank"
RECALL_AT = (20, 50)
_WINDOW = 200  # documents embedded in one call and written in one transaction

Step = Callable[[int], None]  # called with how many more are done


@dataclass(frozen=True, kw_only=True, slots=True)
class BenchmarkLibrary:
    """A corpus in the database."""

    audience: Audience  # one person who may read all of it
    documents: int
    document_of: Mapping[UUID, str]  # the benchmark's document id by chunk id


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """One way's figures over all questions: means, and times of one search."""

    variant: str
    questions: int
    ndcg: float  # at the k that was asked for
    recall: dict[int, float]  # by the number of documents looked at
    latency_p50_ms: float
    latency_p95_ms: float
    fallbacks: int  # questions that the re-ranker gave no scores for


Search = Callable[[str, Audience], list[UUID]]  # the chunks found for a question, best first


def fill(corpus: Iterable[CorpusDocument], step: Step) -> BenchmarkLibrary:
    """Ingest a corpus as the product does, and let one role read it, which one person holds."""
    role = Role.objects.create(name="benchmark")
    person = User.objects.create_user("benchmark@example.com", display_name="Benchmark")
    UserRole.objects.create(user=person, role=role)
    target = IngestTarget(collection=Collection.objects.create(name="Benchmark"), roles=(role,))
    names: dict[UUID, str] = {}
    model = embedding.provider()
    remaining = iter(corpus)
    while window := list(islice(remaining, _WINDOW)):
        drafts = [_draft_document(document, model, target.collection) for document in window]
        embed(drafts, model)
        write(drafts, target)
        names |= {
            drafted.document.pk: document.identifier
            for drafted, document in zip(drafts, window, strict=True)
            if drafted.document is not None
        }
        step(len(window))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as autovacuum would have done by the time that people ask
    audience = audience_of([person.pk])
    with as_audience(audience):
        chunks = select_permitted_chunks(audience, Filters()).values_list("pk", "document_id")
        document_of = {chunk: names[document] for chunk, document in chunks.iterator()}
    return BenchmarkLibrary(audience=audience, documents=len(names), document_of=document_of)


def usable(questions: Sequence[Question]) -> list[Question]:
    """Return those that the product lets people ask: not too short and not too long."""
    found = []
    for question in questions:
        try:
            check_question(question.text)
        except InvalidQuestionError:
            continue
        found.append(question)
    return found


def sample(questions: Sequence[Question], count: int, seed: int) -> list[Question]:
    """Return so many of the questions, chosen by chance but the same for the same seed; all when there are fewer."""
    chance = random.Random(seed)  # noqa: S311 - chooses questions and guards nothing
    return chance.sample(list(questions), min(count, len(questions)))


def variants() -> dict[str, Search]:
    """Return the ways to search that can be compared with these settings, by name."""
    found: dict[str, Search] = {DENSE: _search_dense, FULL_TEXT: _full_text, HYBRID: _search_hybrid}
    if settings.RERANKER_MODEL:
        found[RERANKED] = _as_searched
    return found


def measure(variant: str, questions: Sequence[Question], library: BenchmarkLibrary, *, k: int, step: Step) -> Figures:
    """Ask every question in one way. A document ranks where its best chunk does.

    The first question is asked once before, unmeasured: it loads what is loaded at the first use.
    """
    find = variants()[variant]
    _time_search(find, questions[0].text, library)
    gains, shares, times = [], [], []
    with tally_calls() as tally:
        for question in questions:
            ranked, took_ms = _time_search(find, question.text, library)
            gains.append(ndcg(ranked, question.judged, k))
            shares.append([recall(ranked, question.judged, depth) for depth in RECALL_AT])
            times.append(took_ms)
            step(1)
    return Figures(
        variant=variant,
        questions=len(questions),
        ndcg=float(np.mean(gains)),
        recall=dict(zip(RECALL_AT, np.mean(shares, axis=0).tolist(), strict=True)),
        latency_p50_ms=float(np.percentile(times, 50)),
        latency_p95_ms=float(np.percentile(times, 95)),
        fallbacks=tally.unscored,
    )


def _draft_document(
    document: CorpusDocument, model: embedding.EmbeddingProvider, collection: Collection
) -> DocumentDraft:
    """Return the document as ingestion would read it from a file of JSON."""
    fields = {"id": document.identifier, "title": document.title, "text": document.text or document.title}
    text = json.dumps(fields)
    [parsed] = parse_json(text, document.identifier).documents
    key = f"beir/{document.identifier}"
    return draft(
        parsed, model, target=IngestTarget(collection=collection), source=key, content_hash=hash_of(text.encode())
    )


def _time_search(find: Search, question: str, library: BenchmarkLibrary) -> tuple[list[str], float]:
    """Return the ids of the documents found, best first and each once, and the milliseconds it took."""
    started = time.perf_counter()
    chunks = find(question, library.audience)
    took_ms = (time.perf_counter() - started) * 1000
    return list(dict.fromkeys(library.document_of[chunk] for chunk in chunks)), took_ms


def _search_dense(question: str, audience: Audience) -> list[UUID]:
    model = embedding.provider()
    vector = model.embed([question])[0]
    with as_audience(audience) as versions:
        by_meaning = dense.Search(
            vector=vector,
            model=model.name,
            audience=audience,
            filters=Filters(),
            versions=versions,
            limit=MOST_SEARCH_RESULTS,
        )
        return list(by_meaning.run().similarities)


def _full_text(question: str, audience: Audience) -> list[UUID]:
    with as_audience(audience) as versions:
        permitted = count_permitted(audience, Filters(), versions)
        chunks = select_permitted_chunks(audience, Filters())
        return list(by_words(chunks, question, permitted=permitted, limit=MOST_SEARCH_RESULTS).scores)


def _search_hybrid(question: str, audience: Audience) -> list[UUID]:
    with switch_off_reranking():
        return _as_searched(question, audience)


def _as_searched(question: str, audience: Audience) -> list[UUID]:
    """Search as the product does, re-ranked where a re-ranker is configured."""
    passages = search(question, audience=audience, k=MOST_SEARCH_RESULTS).passages
    return [passage.chunk_id for passage in passages if passage.chunk_id is not None]


def ndcg(ranked: Sequence[str], judged: Mapping[str, int], k: int) -> float:
    """Normalised discounted cumulative gain of the first k, 0..1; 0 when nothing is relevant.

    ranked: ids, best first, each once. judged: the gain of each judged id; others gain nothing.
    Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with the gain itself
    and the logarithm to base 2, as trec_eval's ndcg_cut computes it and BEIR reports it.
    """
    ideal = _discount_gains(sorted(judged.values(), reverse=True)[:k])
    return _discount_gains([judged.get(each, 0) for each in ranked[:k]]) / ideal if ideal else 0.0


def recall(ranked: Sequence[str], judged: Mapping[str, int], k: int) -> float:
    """The share of the relevant ids (gain over 0) that are among the first k, 0..1; 0 when nothing is relevant."""
    relevant = {each for each, gain in judged.items() if gain > 0}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def _discount_gains(gains: Sequence[int]) -> float:
    return sum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
