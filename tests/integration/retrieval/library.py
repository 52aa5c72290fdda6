"""Libraries of some hundred chunks for tests of retrieval, written with few statements."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.utils import timezone

from core.access.grants import grant
from core.library import embedding
from core.library.ingestion.store import build_searched_context
from core.models import Chunk, Collection, Document, Role
from core.models.row_security import bypass_row_security


@dataclass(frozen=True, kw_only=True)
class Work:
    """A document to be written."""

    title: str
    texts: Sequence[str]  # a chunk for each
    vectors: np.ndarray | None = None  # of the chunks; the texts' own unless given
    roles: Sequence[Role] = ()
    collection: str = "Test library"
    document_type: str = Document.Type.PAGE
    document_date: dt.date | None = None
    arxiv_id: str | None = None
    citation: str = ""
    chapter: str = ""
    section: str = ""


def fill(works: Iterable[Work]) -> list[Document]:
    """Write documents with their chunks and grants, in the order of the works."""
    works = list(works)
    names = dict.fromkeys(work.collection for work in works)
    collections = {name: Collection.objects.get_or_create(name=name)[0] for name in names}
    documents = Document.objects.bulk_create(
        Document(
            collection=collections[work.collection],
            source=work.title,
            source_url=f"https://library.example/{work.title.casefold().replace(' ', '-')}",
            title=work.title,
            document_type=work.document_type,
            document_date=work.document_date,
            arxiv_id=work.arxiv_id,
            full_citation=work.citation,
            content_hash=hashlib.sha256(work.title.encode()).hexdigest(),
            chunk_count=len(work.texts),
            ingested_at=timezone.now(),
        )
        for work in works
    )
    readable: dict[Role, list[Document]] = {}
    chunks: list[Chunk] = []
    for work, document in zip(works, documents, strict=True):
        vectors = _embedded(work.texts) if work.vectors is None else work.vectors
        chunks += _chunks(document, work.texts, vectors, chapter=work.chapter, section=work.section)
        for role in work.roles:
            readable.setdefault(role, []).append(document)
    with bypass_row_security():
        embedding.claim(embedding.provider())
        Chunk.objects.bulk_create(chunks)
    for role, granted in readable.items():
        grant(role, granted, by=None)
    return documents


def add_chunks(
    document: Document,
    texts: Sequence[str],
    *,
    vectors: np.ndarray | None = None,
    chapter: str = "",
    section: str = "",
) -> None:
    """Write a document's chunks, in place of those that it has. Vectors are the texts' own unless given."""
    embedded = _embedded(texts) if vectors is None else vectors
    with bypass_row_security():
        embedding.claim(embedding.provider())
        document.chunks.all().delete()
        Chunk.objects.bulk_create(_chunks(document, texts, embedded, chapter=chapter, section=section))
    Document.objects.filter(pk=document.pk).update(chunk_count=len(texts))


def _embedded(texts: Sequence[str]) -> np.ndarray:
    return embedding.provider().embed(texts) if texts else np.zeros((0, 0))


def _chunks(
    document: Document, texts: Sequence[str], vectors: np.ndarray, *, chapter: str, section: str
) -> list[Chunk]:
    return [
        Chunk(
            document=document,
            chunk_index=index,
            content=text,
            token_count=len(text.split()),
            embedding=vector,
            embedding_model=embedding.provider().name,
            chapter_name=chapter,
            section_title=section,
            context=build_searched_context(document, chapter, section),
            start_offset=index,
            end_offset=index + len(text),
        )
        for index, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]


def chunk_ids(*documents: Document) -> set[UUID]:
    """The chunks of documents, whoever may read them."""
    with bypass_row_security():
        return set(Chunk.objects.filter(document__in=documents).values_list("pk", flat=True))
