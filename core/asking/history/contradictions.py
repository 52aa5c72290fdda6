"""Documents that say otherwise than a cited one: kept as ids and places, and told to those who may read them now."""

from typing import Any
from uuid import UUID

from core.library.retrieval.chunk_lookup import passages_again
from core.types import Audience, Citation, Contradiction, Edition


def write_contradiction(found: Contradiction) -> dict[str, Any]:
    """Return what is kept of a contradiction: no word of either document."""
    return {
        "cited": [str(found.cited.document_id), found.cited.version],
        "other": [str(found.by.document_id), found.by.document_version],
        "chunk": str(found.by.chunk_id),
        "says": list(found.says),
    }


def read_contradiction(
    kept: dict[str, Any] | None, citations: list[Citation], audience: Audience
) -> Contradiction | None:
    """Return a kept contradiction of one of these citations, where the audience may read the other document now.

    Of a document that has another edition by now, nothing is told: it may say the same as the cited one.
    """
    if not kept:
        return None
    edition, other = (Edition(UUID(document_id), version) for document_id, version in (kept["cited"], kept["other"]))
    if all(citation.edition != edition for citation in citations):
        return None
    found = passages_again([(UUID(kept["chunk"]), 0.0)], audience=audience)
    if not found or found[0].edition != other:
        return None
    start, end = kept["says"]
    return Contradiction(cited=edition, by=found[0], says=(start, end))
