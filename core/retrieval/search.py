"""Hybrid search of the corpus: candidates by meaning and by words, fused, the best of them read."""

import time

import numpy as np

from core import embedding
from core.models import Chunk
from core.retrieval.candidates import by_meaning, by_words, permitted, similarity_of
from core.retrieval.fusion import reciprocal_rank_fusion
from core.types import Audience, Filters, Passage, RetrievalResult

CANDIDATES = 100  # of each kind, before fusion: the depth at which retrieval was measured on SciFact


def search_corpus(
    query: str, vector: np.ndarray, *, audience: Audience, filters: Filters, limit: int
) -> RetrievalResult:
    """The passages that fit the query best among those every reader of the audience may read, best first.

    vector: the query's embedding, shape (dimension,), unit length, from the provider in use.
    """
    started = time.perf_counter()
    if audience.reads_nothing:
        return RetrievalResult(passages=(), strategy="none", reason="the audience may read nothing", took_ms=0.0)
    chunks = permitted(audience, filters)
    nearest = by_meaning(chunks, vector, model=embedding.provider().name, limit=CANDIDATES)
    worded = by_words(chunks, query, limit=CANDIDATES)
    fused = reciprocal_rank_fusion([[pk for pk, _ in nearest], worded])[:limit]
    similarity = dict(nearest)
    similarity |= similarity_of([pk for pk, _ in fused if pk not in similarity], vector)
    # Read under the rule once more: a grant may have been revoked since the candidates were found.
    rows = permitted(audience, filters).for_reading().in_bulk([pk for pk, _ in fused])
    found = [(rows[pk], score) for pk, score in fused if pk in rows]
    return RetrievalResult(
        passages=tuple(_passage(row, similarity[row.pk], score, rank) for rank, (row, score) in enumerate(found, 1)),
        strategy="exact",
        reason="every permitted chunk was compared",
        took_ms=(time.perf_counter() - started) * 1000,
    )


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
