"""Hybrid search of the corpus: candidates by meaning and by words, fused, re-ranked, the best of them read."""

import logging
import time
from uuid import UUID

import numpy as np
from django.conf import settings

from core.models import Chunk
from core.models.row_security import reading
from core.retrieval import dense
from core.retrieval.fusion import weighted_sum
from core.retrieval.lexical import by_words
from core.retrieval.permitted import permitted_chunks
from core.retrieval.planner import Strategy
from core.retrieval.reranking import rerank
from core.types import Audience, Filters, Passage, RetrievalResult

logger = logging.getLogger(__name__)

# Of each kind, before fusion, and the weight of similarity against words. Measured: docs/decisions/0013.
CANDIDATES = 400
MEANING_WEIGHT = 0.5


def search_corpus(
    query: str, vector: np.ndarray, *, model: str, audience: Audience, filters: Filters, limit: int
) -> RetrievalResult:
    """The passages that fit the query best among those every reader of the audience may read, best first.

    vector: the query's embedding, shape (dimension,), unit length. model: the name of the embedding model that made it.
    """
    started = time.perf_counter()
    if audience.reads_nothing:
        return RetrievalResult(passages=(), strategy=Strategy.NONE, reason="the audience may read nothing", took_ms=0.0)
    with reading(audience):
        nearest = dense.Search(
            vector=vector,
            model=model,
            audience=audience,
            filters=filters,
            limit=CANDIDATES,
        ).run()
        worded = by_words(permitted_chunks(audience, filters), query, permitted=nearest.permitted, limit=CANDIDATES)
        fused = weighted_sum(nearest.similarities, worded, weight=MEANING_WEIGHT)
        passages = _read(query, fused, nearest.similarities, vector, audience=audience, filters=filters, limit=limit)
        is_short = len(passages) < limit and len(passages) < permitted_chunks(audience, filters).count()
    took_ms = (time.perf_counter() - started) * 1000
    logger.log(
        logging.WARNING if is_short else logging.INFO,
        "chunks_retrieved",
        extra={
            "strategy": nearest.plan.strategy,
            "reason": nearest.plan.reason,
            "by_meaning": len(nearest.similarities),
            "by_words": len(worded),
            "passages": len(passages),
            "is_short": is_short,
            "took_ms": round(took_ms, 1),
        },
    )
    return RetrievalResult(
        passages=tuple(passages),
        strategy=nearest.plan.strategy,
        reason=nearest.plan.reason,
        took_ms=took_ms,
        is_short=is_short,
    )


def _read(
    query: str,
    fused: dict[UUID, float],
    similarities: dict[UUID, float],
    vector: np.ndarray,
    *,
    audience: Audience,
    filters: Filters,
    limit: int,
) -> list[Passage]:
    """The best of the candidates, read, in their order or the re-ranker's.

    Read under the rule once more: a grant may have been revoked since the candidates were found.
    """
    depth = max(limit, settings.RERANKER_CANDIDATES) if settings.RERANKER_MODEL else limit
    best = list(fused)[:depth]
    chunks = permitted_chunks(audience, filters).for_reading().in_bulk(best)
    found = [chunks[pk] for pk in best if pk in chunks]
    unknown = [chunk.pk for chunk in found if chunk.pk not in similarities]
    if unknown:
        of_unknown = permitted_chunks(audience, filters).filter(pk__in=unknown)
        similarities |= dense.nearest_of(of_unknown, vector, len(unknown))
    scored = _ranked(query, [(chunk, fused[chunk.pk]) for chunk in found])[:limit]
    return [_passage(chunk, similarities[chunk.pk], score, rank) for rank, (chunk, score) in enumerate(scored, 1)]


def _ranked(query: str, scored: list[tuple[Chunk, float]]) -> list[tuple[Chunk, float]]:
    """The candidates by the re-ranker's scores, those that it did not look at behind; as they were without one."""
    reranked, rest = scored[: settings.RERANKER_CANDIDATES], scored[settings.RERANKER_CANDIDATES :]
    scores = rerank(query, [chunk.content for chunk, _ in reranked])
    if scores is None:
        return scored
    rescored = [(chunk, score) for (chunk, _), score in zip(reranked, scores, strict=True)]
    return [*sorted(rescored, key=lambda pair: -pair[1]), *rest]


def _passage(chunk: Chunk, similarity: float, score: float, rank: int) -> Passage:
    document = chunk.document
    return Passage(
        chunk_id=chunk.pk,
        document_id=document.pk,
        document_name=document.title,
        document_type=document.document_type,
        document_date=document.document_date,
        source_url=document.source_url,
        page_number=chunk.page_number,
        chapter=chunk.chapter_name,
        section=chunk.section_title,
        content=chunk.content,
        similarity=min(max(similarity, 0.0), 1.0),
        score=score,
        rank=rank,
    )
