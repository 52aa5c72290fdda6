"""The JSON forms of the values of core.types: the same for the command line, REST and MCP."""

import math
from typing import Any
from uuid import UUID

from core.filters import filters_as_json
from core.types import (
    Answer,
    Citation,
    Guidance,
    PassageInPlace,
    Refusal,
    Replay,
    RetrievalResult,
    Run,
)

_TOLD_MS = 50  # outside, times are told in steps of so many milliseconds


def told_ms(spent: float) -> int:
    """A time as it is told outside, rounded up: finer, it would tell of documents that were searched in vain."""
    return math.ceil(spent / _TOLD_MS) * _TOLD_MS


def as_json(result: Answer | Refusal, *, guidance: Guidance | None = None) -> dict[str, Any]:
    """The JSON form of a result, the same for the command line, REST and MCP. guidance: what helps beside it."""
    answer = result if isinstance(result, Answer) else None
    return {
        "request_id": result.request_id,
        "question": result.asked,
        "filters": filters_as_json(result.filters),
        "answer": answer.text if answer else None,
        "message": result.message or None,
        "confidence": round(result.confidence, 4),
        "confidence_level": result.confidence_level.value,
        "citations": [citation_as_json(c) for c in answer.citations] if answer else [],
        "closest": [citation_as_json(c) for c in result.closest] if isinstance(result, Refusal) else [],
        "guidance": guidance_as_json(guidance) if guidance else None,
        "retrieved": [
            {
                "chunk_id": str(r.chunk_id),
                "document_id": str(r.document_id),
                "rank": r.rank,
                "similarity": round(r.similarity, 4),
            }
            for r in result.retrieved
        ],
        "state": result.state.value,
        "agent_steps": result.agent_steps,
        "model_provider": result.model_provider,
        "processing_time_ms": told_ms(result.processing_time_ms),
        "conversation_id": str(result.conversation_id) if result.conversation_id else None,
        "trace_id": result.trace_id,
        "timings_ms": {step: told_ms(ms) for step, ms in result.timings_ms.items()},
    }


def guidance_as_json(guidance: Guidance) -> dict[str, Any]:
    """The JSON form of what helps beside a refusal."""
    return {
        "collections": [
            {
                "name": shelf.name,
                "documents": shelf.documents,
                "newest": shelf.newest.isoformat() if shelf.newest else None,
            }
            for shelf in guidance.collections
        ],
        "questions": list(guidance.questions),
    }


def citation_as_json(citation: Citation) -> dict[str, Any]:
    """The JSON form of a citation."""
    return {
        "number": citation.number,
        "document_id": str(citation.document_id) if citation.document_id else None,
        "document_name": citation.document_name,
        "document_date": citation.document_date.isoformat() if citation.document_date else None,
        "page_number": citation.page_number,
        "section": citation.section or None,
        "chunk_id": str(citation.chunk_id) if citation.chunk_id else None,
        "excerpt": citation.excerpt,
        "quoted_excerpt": citation.quoted_excerpt,
        "relevance_score": round(citation.relevance_score, 4),
        "source_url": citation.source_url or None,
    }


def search_as_json(query: str, result: RetrievalResult) -> dict[str, Any]:
    """The JSON form of a search, the same for the command line, REST and MCP."""
    return {
        "query": query,
        "results": [
            {
                "chunk_id": str(passage.chunk_id),
                "document_id": str(passage.document_id),
                "document_name": passage.document_name,
                "source_url": passage.source_url or None,
                "page_number": passage.page_number,
                "section": passage.section or None,
                "content": passage.content,
                "similarity": round(passage.similarity, 4),
                "score": round(passage.score, 6),
                "rank": passage.rank,
            }
            for passage in result.passages
        ],
        "strategy": result.strategy,
        "took_ms": told_ms(result.took_ms),
    }


def passage_as_json(passage: PassageInPlace) -> dict[str, Any]:
    """The JSON form of a passage as it stands in its document."""
    return {
        "chunk_id": str(passage.chunk_id),
        "document_id": str(passage.document_id),
        "document_name": passage.document_name,
        "document_type": passage.document_type,
        "document_date": passage.document_date.isoformat() if passage.document_date else None,
        "source_url": passage.source_url or None,
        "page_number": passage.page_number,
        "chapter": passage.chapter or None,
        "section": passage.section or None,
        "content": passage.content,
        "position": passage.position,
        "chunk_count": passage.chunk_count,
        "previous_chunk_id": str(passage.previous_chunk_id) if passage.previous_chunk_id else None,
        "next_chunk_id": str(passage.next_chunk_id) if passage.next_chunk_id else None,
    }


def cited(citation: Citation) -> tuple[UUID | None, str]:
    """What makes two citations the same: the document and the words. Its chunks change when it is ingested again."""
    return citation.document_id, citation.quoted_excerpt


def replay_as_json(replay: Replay) -> dict[str, Any]:
    """The JSON form of a replay."""
    return {
        "request_id": replay.request_id,
        "same": not replay.differing,
        "differing": list(replay.differing),
        "passages": replay.passages,
        "gone": replay.gone,
        "forbidden": replay.forbidden,
        "hidden": replay.is_hidden,
        "settings": [{"name": name, "then": then, "now": now} for name, then, now in replay.settings],
        "retrieval": {"then": replay.retrieval[0], "now": replay.retrieval[1], "found_again": replay.found_again},
        "then": _run_as_json(replay.then),
        "now": _run_as_json(replay.now),
    }


def _run_as_json(run: Run) -> dict[str, Any]:
    return {
        "answer": run.text,
        "refusal": run.refusal or None,
        "confidence": round(run.confidence, 4),
        "citations": [citation_as_json(citation) for citation in run.citations],
        "closest": [citation_as_json(citation) for citation in run.closest],
        "steps": list(run.steps),
        "dropped": run.dropped,
    }
