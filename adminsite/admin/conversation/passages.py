"""Read the passages found for questions that the viewer may read, once for a whole page."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from core.models import Chunk, RetrievedChunk
from core.models.row_security import as_audience
from core.types import Audience
from core.values.document_names import reference_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A passage that the viewer may read."""

    document_id: UUID
    title: str
    reference: str  # Chapter X, Section Y, Page Z
    text: str  # empty for who may not look at passages


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A passage as it was found. Without a place: the viewer may not read it, or it is gone."""

    rank: int
    similarity: float
    rerank_score: float | None
    place: Place | None

    @classmethod
    def of(cls, row: RetrievedChunk, places: dict[UUID, Place]) -> "Found":
        """A row, with the place of its passage where the viewer may read it."""
        return cls(
            rank=row.rank,
            similarity=row.similarity,
            rerank_score=row.rerank_score,
            place=places.get(row.chunk_id),
        )


def read_places(chunk_ids: Iterable[UUID], *, audience: Audience, with_text: bool) -> dict[UUID, Place]:
    """Those of the passages that the audience may read now, in as many queries for many as for one."""
    wanted = set(chunk_ids)
    if not wanted:
        return {}
    columns = ["pk", "document_id", "document__title", "chapter_name", "section_title", "page_number"]
    with as_audience(audience):
        rows = Chunk.objects.visible_to(audience).filter(pk__in=wanted)
        read = list(rows.values_list(*columns, *(["content"] if with_text else [])))
    return {
        pk: Place(
            document_id=document,
            title=title,
            reference=reference_of("" if chapter == title else chapter, section, page),
            text="".join(content),
        )
        for pk, document, title, chapter, section, page, *content in read
    }
