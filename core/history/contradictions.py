"""Documents that say otherwise than a cited one: kept as ids and places, and told to those who may read them now."""

import datetime as dt
from typing import Any
from uuid import UUID

from core.retrieval.chunk_lookup import passages_again
from core.types import Audience, Citation, Contradiction, Edition, Passage


def tell_contradiction(
    passage: Passage, cited: Edition | None, cited_date: dt.date | None, start: int, end: int
) -> Contradiction | None:
    """Return what a passage says between two offsets otherwise than a cited document; None where there is none."""
    if passage.edition is None or passage.chunk_id is None or cited is None:
        return None
    dates = (passage.document_date, cited_date)
    return Contradiction(
        cited=cited,
        other=passage.edition,
        chunk_id=passage.chunk_id,
        start=start,
        end=end,
        says=" ".join(passage.content[start:end].split()),
        document_name=passage.document_name,
        document_date=passage.document_date,
        is_newer=dates[0] > dates[1] if dates[0] and dates[1] and dates[0] != dates[1] else None,
    )


def write_contradiction(found: Contradiction) -> dict[str, Any]:
    """Return what is kept of a contradiction: no word of either document."""
    return {
        "cited": [str(found.cited.document_id), found.cited.version],
        "other": [str(found.other.document_id), found.other.version],
        "chunk": str(found.chunk_id),
        "start": found.start,
        "end": found.end,
    }


def read_contradiction(
    kept: dict[str, Any] | None, citations: list[Citation], audience: Audience
) -> Contradiction | None:
    """Return a kept contradiction of one of these citations, where the audience may read the other document now.

    Of a document that has another edition by now, nothing is told: it may say the same as the cited one.
    """
    if not kept:
        return None
    document_id, version = kept["cited"]
    cited = next((one for one in citations if one.edition == Edition(UUID(document_id), version)), None)
    found = passages_again([(UUID(kept["chunk"]), 0.0)], audience=audience) if cited else ()
    other_id, other_version = kept["other"]
    if not cited or not found or found[0].edition != Edition(UUID(other_id), other_version):
        return None
    return tell_contradiction(found[0], cited.edition, cited.document_date, kept["start"], kept["end"])
