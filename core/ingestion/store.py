"""Writing parsed documents into the library.

Three steps, so that the slow one holds no lock: `draft` splits a document into chunks, `embed` gives the chunks of
many documents their embeddings at once, and `write` stores them in one transaction. `store` does all for one.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import DataError, transaction
from django.utils import timezone

from core import embedding
from core.access import grant
from core.embedding import EmbeddingProvider
from core.errors import CorpusModelError, IngestionError
from core.ingestion.chunking import MOST_TOKENS, TextChunk, chunks
from core.ingestion.cleaning import one_line
from core.ingestion.document import MAX_TITLE, MAX_URL, ParsedDocument
from core.models import LATER_PAGES, AuditEvent, Chunk, Collection, Document, Role, User
from core.models.querysets import DocumentQuerySet
from core.models.row_security import maintenance

_ROWS = 500  # chunks in one INSERT
_MAX_KEY = 1000  # the column's length


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelf:
    """Where documents go, and who may read them there."""

    collection: Collection
    roles: tuple[Role, ...] = ()  # besides those that receive what comes into the collection
    by: User | None = None
    document_type: str = ""  # a value of Document.Type that goes before what a document says of itself

    def readers(self) -> set[Role]:
        """The roles that documents are granted to."""
        return {*self.collection.default_roles.all(), *self.roles}


@dataclass(slots=True)
class Draft:
    """A document on its way into the library."""

    parsed: ParsedDocument
    source_key: str
    content_hash: str
    is_unchanged: bool = False  # its text and chunks stand in the library already
    chunks: list[TextChunk] = field(default_factory=list)
    model: EmbeddingProvider | None = None  # that embedded it
    embeddings: np.ndarray | None = None
    document: Document | None = None  # once written
    was_replaced: bool = False


def store(
    parsed: ParsedDocument,
    *,
    collection: Collection,
    source_key: str,
    content_hash: str,
    roles: Iterable[Role] = (),
    by: User | None = None,
) -> Document:
    """Put one document into the library, or in the place of what came from the same source before.

    Replacing keeps the row and its grants; the same content embedded by the same model is left as it is.
    """
    shelf = Shelf(collection=collection, roles=tuple(roles), by=by)
    model = embedding.provider()
    drafted = draft(parsed, model, shelf=shelf, source_key=source_key, content_hash=content_hash)
    embed([drafted], model)
    write([drafted], shelf)
    if drafted.document is None:
        raise IngestionError(f"{parsed.title} could not be stored.")
    return drafted.document


def draft(
    parsed: ParsedDocument, model: EmbeddingProvider, *, shelf: Shelf, source_key: str, content_hash: str
) -> Draft:
    """Split a document into chunks, unless the library has it so already."""
    key = source_key if len(source_key) <= _MAX_KEY else f"sha256:{hashlib.sha256(source_key.encode()).hexdigest()}"
    drafted = Draft(parsed=parsed, source_key=key, content_hash=content_hash)
    drafted.is_unchanged = _is_stored(drafted, shelf, model)
    if not drafted.is_unchanged:
        drafted.chunks = chunks(parsed, model.tokenizer, most_tokens=min(MOST_TOKENS, model.max_tokens))
    return drafted


def embed(drafts: Sequence[Draft], model: EmbeddingProvider) -> None:
    """Embed the chunks of many documents in one call: the model sorts them by length and pads little."""
    texts = [chunk.embedded_text for drafted in drafts for chunk in drafted.chunks]
    vectors = model.embed(texts) if texts else np.empty((0, 0))
    start = 0
    for drafted in drafts:
        drafted.model = model
        drafted.embeddings = vectors[start : start + len(drafted.chunks)]
        start += len(drafted.chunks)


def write(drafts: Sequence[Draft], shelf: Shelf) -> dict[str, IngestionError]:
    """Store documents and their grants in one transaction. Returns the errors of those that could not be, by key.

    When the corpus got another model since they were embedded, they are embedded again by that one.
    """
    try:
        return _write(drafts, shelf)
    except CorpusModelError:
        embed(drafts, embedding.provider())
        return _write(drafts, shelf)


def _write(drafts: Sequence[Draft], shelf: Shelf) -> dict[str, IngestionError]:
    failed: dict[str, IngestionError] = {}
    with maintenance():
        for model in {drafted.model for drafted in drafts if drafted.model and drafted.chunks}:
            embedding.claim(model)
        for drafted in drafts:
            try:
                with transaction.atomic():
                    _write_one(drafted, shelf)
            except DataError:
                drafted.document = None
                failed[drafted.source_key] = IngestionError(f"{drafted.parsed.title} holds what cannot be stored.")
        documents = [drafted.document for drafted in drafts if drafted.document is not None]
        for role in shelf.readers():
            grant(role, documents, by=shelf.by)
    return failed


def _is_stored(drafted: Draft, shelf: Shelf, model: EmbeddingProvider) -> bool:
    stored = _from_same_source(Document.objects.all(), drafted, shelf)
    if stored is None or stored.content_hash != drafted.content_hash or not stored.chunk_count:
        return False
    with maintenance():
        return not stored.chunks.exclude(embedding_model=model.name).exists()


def _from_same_source(rows: DocumentQuerySet, drafted: Draft, shelf: Shelf) -> Document | None:
    """The document that this one takes the place of: by its key, else its arXiv id, else one that was moved."""
    arxiv_id = drafted.parsed.arxiv_id
    known = rows.filter(source_key=drafted.source_key).first()
    if known is None and arxiv_id:
        known = rows.filter(arxiv_id=arxiv_id).first()
    return known or _moved(rows, drafted, shelf)


def _moved(rows: DocumentQuerySet, drafted: Draft, shelf: Shelf) -> Document | None:
    """The very same document under another key: its file was moved, or is named from another folder.

    Only one that the same roles may read, or later changes of either file would reach readers of the other.
    """
    fields = _fields(drafted.parsed, shelf)
    same = {name: fields[name] for name in ("collection", "title", "document_date", "arxiv_id")}
    found = rows.filter(content_hash=drafted.content_hash, **same).order_by("pk")
    return next((document for document in found if set(document.roles.all()) == shelf.readers()), None)


def _write_one(drafted: Draft, shelf: Shelf) -> None:
    fields = _fields(drafted.parsed, shelf)
    document = _from_same_source(Document.objects.select_for_update(), drafted, shelf)
    if document is None:
        # Two workers may hold the same new source: whoever comes second waits here and then replaces.
        document, is_new = Document.objects.select_for_update().get_or_create(
            source_key=drafted.source_key,
            defaults={**fields, "content_hash": drafted.content_hash, "ingested_at": timezone.now()},
        )
    else:
        is_new = False
    drafted.was_replaced = not is_new and not drafted.is_unchanged
    for name, value in fields.items():
        setattr(document, name, value)
    document.source_key = drafted.source_key
    if not drafted.is_unchanged:
        document.version += 0 if is_new else 1
        document.content_hash = drafted.content_hash
        document.chunk_count = len(drafted.chunks)
        document.ingested_at = timezone.now()
        _replace_chunks(document, drafted)
        _audit(document, shelf, "ingest" if is_new else "replace")
    document.save()
    drafted.document = document


def _fields(parsed: ParsedDocument, shelf: Shelf) -> dict[str, Any]:
    return {
        "collection": shelf.collection,
        "title": one_line(parsed.title, MAX_TITLE) or "Untitled",
        "document_type": shelf.document_type or parsed.document_type or Document.Type.PAGE,
        "document_date": parsed.document_date,
        "source_url": parsed.source_url if len(parsed.source_url) <= MAX_URL else "",
        "full_citation": parsed.full_citation,
        "arxiv_id": parsed.arxiv_id or None,
        "metadata": parsed.metadata,
    }


def _replace_chunks(document: Document, drafted: Draft) -> None:
    if drafted.model is None or drafted.embeddings is None:
        raise ValueError("a draft is embedded before it is written")
    Chunk.objects.filter(document=document).delete()
    Chunk.objects.bulk_create(
        (
            Chunk(
                document=document,
                chunk_index=index,
                content=chunk.content,
                token_count=chunk.token_count,
                embedding=vector,
                embedding_model=drafted.model.name,
                page_number=chunk.page_number,
                chapter_name=chunk.chapter,
                section_title=chunk.section,
                context=searched_context(document, chunk.chapter, chunk.section),
                start_offset=chunk.start,
                end_offset=chunk.end,
                metadata={LATER_PAGES: chunk.later_pages} if chunk.later_pages else {},
            )
            for index, (chunk, vector) in enumerate(zip(drafted.chunks, drafted.embeddings, strict=True))
        ),
        batch_size=_ROWS,
    )


def describe_anew(document: Document) -> None:
    """Let full text find the chunks of a document by what it is called now."""
    with maintenance():
        chunks = list(document.chunks.only("chapter_name", "section_title"))
        for chunk in chunks:
            chunk.context = searched_context(document, chunk.chapter_name, chunk.section_title)
        Chunk.objects.bulk_update(chunks, ["context"], batch_size=_ROWS)


def searched_context(document: Document, chapter: str, section: str) -> str:
    """What full text finds a chunk by besides its content: names, identifiers and headings, a line each."""
    lines = (document.title, document.arxiv_id, chapter, section, document.full_citation)
    return "\n".join(line for line in lines if line)


def _audit(document: Document, shelf: Shelf, action: str) -> None:
    AuditEvent.objects.create(
        actor=shelf.by,
        action=action,
        object_type="document",
        object_id=str(document.pk),
        details={
            "collection": str(shelf.collection.pk),
            "version": document.version,
            "chunks": document.chunk_count,
        },
    )


def hash_of(content: bytes | ParsedDocument) -> str:
    """What tells one content from another: the SHA-256 of a file's bytes, or of a document among several in a file."""
    if isinstance(content, ParsedDocument):
        content = json.dumps(content.as_json(), sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()
