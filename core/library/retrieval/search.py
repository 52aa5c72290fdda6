"""Hybrid search of the corpus: candidates by meaning and by words, fused, re-ranked, the best of them read."""

import logging
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db import DataError

from core.errors import EmbeddingError
from core.infrastructure.measures.families import retrievals, short_retrievals
from core.language.nlp.headings import FRONT_MATTER
from core.language.nlp.scripts import is_beyond_latin
from core.language.query_understanding.asking import asks_of_origin
from core.library.embedding.provider import knows_only_english
from core.library.retrieval import dense
from core.library.retrieval.access_filter import candidate_chunks, count_permitted, select_permitted_chunks
from core.library.retrieval.catalogue import describe_document
from core.library.retrieval.comparing import nearest_of
from core.library.retrieval.finding import find_candidates
from core.library.retrieval.fusion import merge_weighted
from core.library.retrieval.lexical import by_words
from core.library.retrieval.planner import Strategy
from core.library.retrieval.reranking import rerank
from core.models import LATER_PAGES, RECOGNISED, Chunk
from core.models.querysets import ChunkQuerySet
from core.models.row_security import as_audience
from core.types import Audience, Filters, Passage, RetrievalResult

logger = logging.getLogger(__name__)

# The weight of similarity against words in the fusion of both kinds of candidates. Measured: docs/decisions/0013.
MEANING_WEIGHT = 0.5
# A question in the documents' own words has nearly all of its weight in one chunk; one in other words has a quarter of
# it there by chance, and words then count by the square of that.
TRUST = 2.0
WORDS = "words"  # the strategy of a search by words alone, as it is logged
_READ_FOR_ONE = 2  # candidates: of each document that is found one chunk may be left out


def search_corpus(
    query: str,
    vector: np.ndarray,
    *,
    model: str,
    audience: Audience,
    filters: Filters,
    limit: int,
    also: Collection[str] = (),
) -> RetrievalResult:
    """Return the passages that fit the query best among those every reader of the audience may read, best first.

    vector: the query's embedding, shape (dimension,), unit length. model: the name of the embedding model that made it.
    also: stems that mean about the same as words of the query.
    EmbeddingError when the library's vectors have another dimension.
    """
    started = time.perf_counter()
    if audience.reads_nothing:
        return RetrievalResult(passages=(), strategy=Strategy.NONE, reason="the audience may read nothing", took_ms=0.0)
    wanted = settings.RETRIEVAL_CANDIDATES  # of each kind
    with one_dimension(vector), as_audience(audience) as versions:
        permitted = select_permitted_chunks(audience, filters)
        asked = dense.Search(
            vector=vector, model=model, audience=audience, filters=filters, versions=versions, limit=wanted
        )
        found = find_candidates(asked, query, also)
        nearest, worded = found.nearest, found.worded
        # What a model of English says of Chinese is chance.
        weight = 0.0 if is_beyond_latin(query) and knows_only_english(model) else MEANING_WEIGHT
        fused = merge_weighted(nearest.similarities, worded.scores, weight=weight, trust=worded.held**TRUST)
        readable = _leave_out_front_matter(permitted, query, filters)
        candidates = _read_best(
            readable, fused, max(limit, settings.RERANKER_CANDIDATES if settings.RERANKER_MODEL else 0)
        )
        similarities = _find_similarities(permitted, [chunk.pk for chunk, _ in candidates], nearest, vector)
        # A document may have been revoked or replaced since its chunks were read.
        candidates = [(chunk, score) for chunk, score in candidates if chunk.pk in similarities]
        is_short = len(candidates) < limit and len(candidates) < readable.count()
    scored = _rank_candidates(query, candidates)[:limit]
    result = RetrievalResult(
        passages=tuple(
            passage_of(chunk, similarities[chunk.pk], score, rank, rerank_score=rerank_score)
            for rank, (chunk, score, rerank_score) in enumerate(scored, 1)
        ),
        strategy=nearest.plan.strategy,
        reason=nearest.plan.reason,
        took_ms=(time.perf_counter() - started) * 1000,
        is_short=is_short,
    )
    _log_result(result, by_meaning=len(nearest.similarities), by_words=len(worded.scores))
    return result


def search_by_words(
    query: str, *, audience: Audience, filters: Filters, limit: int, also: Collection[str] = ()
) -> RetrievalResult:
    """Return the passages that share the most of the query's words, best first, for a query that cannot be embedded.

    As search_corpus otherwise. How near they are in meaning is not known: their similarity is 0.
    """
    started = time.perf_counter()
    with as_audience(audience) as versions:
        chunks = candidate_chunks(audience, filters, versions)
        permitted = count_permitted(audience, filters, versions)
        worded = by_words(chunks, query, permitted=permitted, limit=settings.RETRIEVAL_CANDIDATES, also=also)
        readable = _leave_out_front_matter(select_permitted_chunks(audience, filters), query, filters)
        found = _read_best(readable, worded.scores, limit)
    result = RetrievalResult(
        passages=tuple(passage_of(chunk, 0.0, score, rank) for rank, (chunk, score) in enumerate(found, 1)),
        strategy=WORDS,
        reason="the query cannot be embedded",
        took_ms=(time.perf_counter() - started) * 1000,
    )
    _log_result(result, by_meaning=0, by_words=len(worded.scores))
    return result


@contextmanager
def one_dimension(vector: np.ndarray) -> Iterator[None]:
    """EmbeddingError instead of PostgreSQL's when the library's vectors are of another length."""
    try:
        yield
    except DataError as error:
        raise EmbeddingError(
            f"The query's vector has {len(vector)} dimensions, but those of the library have a different number. "
            "Check EMBEDDING_MODEL, or run manage.py reembed."
        ) from error


def _leave_out_front_matter(permitted: ChunkQuerySet, query: str, filters: Filters) -> ChunkQuerySet:
    """Without who wrote the documents, unless that may be what is asked.

    Such a section has the title of its document in each line, and so seems near to any question that names it.
    """
    if filters.section or asks_of_origin(query):
        return permitted
    return permitted.exclude(section_title=FRONT_MATTER)


def _read_best(permitted: ChunkQuerySet, fused: dict[UUID, float], depth: int) -> list[tuple[Chunk, float]]:
    """Return the best candidates with their scores, best first.

    Read under the rule once more: a grant may have been revoked since the candidates were found.
    """
    best = list(fused)[: depth * _READ_FOR_ONE]
    chunks = permitted.for_reading().in_bulk(best)
    return [(chunks[pk], fused[pk]) for pk in best if pk in chunks][:depth]


def _find_similarities(
    permitted: ChunkQuerySet, candidates: list[UUID], nearest: dense.Nearest, vector: np.ndarray
) -> dict[UUID, float]:
    """Return the similarity of each candidate; of those that were found by words alone it is not known yet."""
    unknown = [pk for pk in candidates if pk not in nearest.similarities]
    found = nearest_of(permitted.filter(pk__in=unknown), vector, len(unknown)) if unknown else {}
    return nearest.similarities | found


def _log_result(result: RetrievalResult, **counts: int) -> None:
    retrievals.labels(result.strategy).inc()
    if result.is_short:
        short_retrievals.inc()
    logger.log(
        logging.WARNING if result.is_short else logging.INFO,
        "chunks_retrieved",
        extra={
            "strategy": result.strategy,
            "reason": result.reason,
            **counts,
            "passages": len(result.passages),
            "is_short": result.is_short,
            "took_ms": round(result.took_ms, 1),
        },
    )


def _rank_candidates(query: str, scored: list[tuple[Chunk, float]]) -> list[tuple[Chunk, float, float | None]]:
    """Return the candidates with the score that decides their rank and the re-ranker's.

    By the re-ranker's scores, those that it did not look at behind; as they were without one.
    """
    candidates, rest = scored[: settings.RERANKER_CANDIDATES], scored[settings.RERANKER_CANDIDATES :]
    scores = rerank(query, [chunk.content for chunk, _ in candidates])
    if scores is None:
        return [(chunk, score, None) for chunk, score in scored]
    rescored = [(chunk, score, score) for (chunk, _), score in zip(candidates, scores, strict=True)]
    return [*sorted(rescored, key=lambda each: -each[1]), *((chunk, score, None) for chunk, score in rest)]


def passage_of(
    chunk: Chunk, similarity: float, score: float, rank: int, *, rerank_score: float | None = None
) -> Passage:
    """Return a chunk, read with its document, as a passage."""
    collection = chunk.document.collection
    return Passage(
        **collect_placed_fields(chunk),
        similarity=min(max(similarity, 0.0), 1.0),
        score=score,
        rank=rank,
        rerank_score=rerank_score,
        chunk_index=chunk.chunk_index,
        token_count=chunk.token_count,
        later_pages=tuple((offset, page) for offset, page in chunk.metadata.get(LATER_PAGES, ())),
        is_recognised=bool(chunk.metadata.get(RECOGNISED)),
        document_version=chunk.document.version,
        asked_last=collection.name if collection.is_asked_last else "",
    )


def collect_placed_fields(chunk: Chunk) -> dict[str, Any]:
    """Return the fields of core.types.PlacedText for a chunk that was read with its document."""
    document = chunk.document
    return {
        "chunk_id": chunk.pk,
        "document_id": document.pk,
        "document_name": document.title,
        "document_type": document.document_type,
        "document_date": document.document_date,
        "source_url": document.source_url,
        "page_number": chunk.page_number,
        "chapter": chunk.chapter_name,
        "section": chunk.section_title,
        "content": chunk.content,
        **describe_document(document),
    }
