"""What an audience may read, narrowed by filters: as querysets, and as counts for the planner."""

from functools import lru_cache

from django.db.models import Q, Sum

from core.models import Chunk, Document
from core.models.querysets import ChunkQuerySet, DocumentQuerySet
from core.retrieval.versions import Versions
from core.types import Audience, Filters


def permitted_chunks(audience: Audience, filters: Filters) -> ChunkQuerySet:
    """The chunks that the audience may read, narrowed by the filters inside the same query."""
    of_documents = _on_documents(filters, "document__")
    return Chunk.objects.visible_to(audience).filter(of_documents & _on_chunks(filters))


def permitted_documents(audience: Audience, filters: Filters) -> DocumentQuerySet:
    """The documents that the audience may read, narrowed by those filters that speak of documents."""
    return Document.objects.visible_to(audience).filter(_on_documents(filters, ""))


def narrows_documents(filters: Filters) -> bool:
    """Whether some documents are left out."""
    return bool(_on_documents(filters, ""))


def narrows_chunks(filters: Filters) -> bool:
    """Whether some chunks of a document are left out, and not the whole document."""
    return bool(_on_chunks(filters))


def count_permitted(audience: Audience, filters: Filters, versions: Versions) -> int:
    """How many chunks permitted_documents have; under a filter of chunks, how many at most.

    Without filters it is kept by audience for as long as neither grants nor chunks change.
    """
    if narrows_documents(filters):
        return _chunks_of(permitted_documents(audience, filters))
    return _count_readable(audience, versions)


@lru_cache(maxsize=8)
def count_all(versions: Versions) -> int:
    """How many chunks the library has. It tells the planner, and goes no further."""
    return _chunks_of(Document.objects.all())


@lru_cache(maxsize=1024)
def _count_readable(audience: Audience, versions: Versions) -> int:
    return _chunks_of(Document.objects.visible_to(audience))


def _chunks_of(documents: DocumentQuerySet) -> int:
    return documents.aggregate(chunks=Sum("chunk_count", default=0))["chunks"] or 0


def _on_documents(filters: Filters, prefix: str) -> Q:
    narrowed = Q()
    if filters.source:
        narrowed &= (
            Q(**{f"{prefix}title__icontains": filters.source})
            | Q(**{f"{prefix}source_url__icontains": filters.source})
            | Q(**{f"{prefix}source_key__icontains": filters.source})
            | Q(**{f"{prefix}arxiv_id__iexact": filters.source})
        )
    if filters.document_type:
        narrowed &= Q(**{f"{prefix}document_type": filters.document_type})
    if filters.collection:
        narrowed &= Q(**{f"{prefix}collection__name__iexact": filters.collection})
    if filters.date_from:
        narrowed &= Q(**{f"{prefix}document_date__gte": filters.date_from})
    if filters.date_to:
        narrowed &= Q(**{f"{prefix}document_date__lte": filters.date_to})
    return narrowed


def _on_chunks(filters: Filters) -> Q:
    narrowed = Q()
    if filters.chapter:
        narrowed &= Q(chapter_name__icontains=filters.chapter)
    if filters.section:
        narrowed &= Q(section_title__icontains=filters.section)
    return narrowed
