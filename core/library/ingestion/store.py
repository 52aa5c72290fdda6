"""Writing parsed documents into the library.

Three steps, so that the slow one holds no lock: `draft` splits a document into chunks, `embed` gives the chunks of
many documents their embeddings at once, and `write` stores them in one transaction. `store` does all for one.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from django.db import DataError, OperationalError, connection, transaction
from django.utils import timezone
from psycopg.errors import DeadlockDetected

from core.access.grants import grant
from core.errors import ChangedMeanwhileError, CorpusModelError, IngestionError
from core.infrastructure import queue
from core.language.nlp.scripts import list_indexed
from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.library.ingestion.chunking import CUT, MOST_TOKENS, TextChunk, chunks
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import (
    MAX_TITLE,
    MAX_URL,
    RECOGNISED_PAGES,
    ParsedDocument,
    include_comments,
    measure_extent,
    pages_under,
)
from core.library.ingestion.extent import Extent
from core.library.ingestion.front_matter import add_front_matter
from core.library.ingestion.placement import IncomingDocument, Placement, place_of, shorten_source
from core.library.ingestion.target import IngestTarget
from core.library.originals.keeping import Original, drop, hash_content, keep
from core.library.sections.following import Parting, delete_passages, finish_edition, hold_rules, part_edition
from core.library.sections.parts import list_rows
from core.library.sections.splitting import split_document
from core.models import CUT_AS, LATER_PAGES, PAGE, RECOGNISED, AuditEvent, Chunk, Collection, Document, Role, User
from core.models.masking import unmask
from core.models.querysets import ChunkQuerySet
from core.models.row_security import bypass_row_security
from core.values.document_names import find_file_name

_ROWS = 500  # chunks in one INSERT
_TRIES = 4  # to write a window, when others lock in another order than ingestion does
_PAUSE_S = (0.2, 0.6)  # before that: who was let through must be faster
# What answers show of a document beside its text and its file's name: another description is another edition.
_DESCRIPTION = frozenset({"title", "document_date", "full_citation", "source_url", "arxiv_id", "metadata"})
_LOCK_PLACES = """
    SELECT pg_advisory_xact_lock(place) FROM (
        SELECT DISTINCT hashtextextended(key, 0) AS place FROM unnest(%s::text[]) key ORDER BY place
    ) places
"""


@dataclass(slots=True)
class DocumentDraft:
    """A document on its way into the library."""

    parsed: ParsedDocument
    source: str
    content_hash: str
    is_upload: bool = False  # a file that was handed in, of which only the name is known
    item_id: UUID | None = None  # of the data source that looks after it
    original: Original | None = None  # the file, where all of it is this document and originals are kept
    is_unchanged: bool = False  # its text and chunks are in the library already
    chunks: list[TextChunk] = field(default_factory=list)
    model: EmbeddingProvider | None = None  # that embedded it
    embeddings: np.ndarray | None = None
    document: Document | None = None  # once written
    is_new: bool = False
    new_chunks: int = 0
    was_replaced: bool = False


def store(
    parsed: ParsedDocument,
    *,
    collection: Collection,
    source: str,
    content_hash: str,
    roles: Iterable[Role] = (),
    by: User | None = None,
) -> Document:
    """Put one document into the library, or in the place of what came from the same source before.

    Replacing keeps the row and its grants; the same content, cut in today's way and embedded by the same model, is
    left as it is.
    ReadersDifferError when the text would be read by others than it is meant for.
    """
    target = IngestTarget(collection=collection, roles=tuple(roles), by=by)
    model = embedding.provider()
    drafted = draft(parsed, model, target=target, source=source, content_hash=content_hash)
    embed([drafted], model)
    failed = write([drafted], target)
    if drafted.document is None:
        raise failed[drafted.source]
    return drafted.document


def draft(
    parsed: ParsedDocument,
    model: EmbeddingProvider,
    *,
    target: IngestTarget,
    source: str,
    content_hash: str,
    is_upload: bool = False,
    item_id: UUID | None = None,
    original: Original | None = None,
) -> DocumentDraft:
    """Split a document into chunks, unless the library has it so already. ReadersDifferError when it has no place."""
    drafted = DocumentDraft(
        parsed=include_comments(parsed) if target.collection.reads_comments else parsed,
        source=shorten_source(source),
        content_hash=content_hash,
        is_upload=is_upload,
        item_id=item_id,
        original=original,
    )
    stored = place_of(Document.objects.all(), _build_incoming(drafted), target).document
    drafted.is_new = stored is None
    drafted.is_unchanged = stored is not None and _has_text(stored, drafted, model)
    if not drafted.is_unchanged:
        drafted.chunks = chunks(
            add_front_matter(drafted.parsed), model.tokenizer, most_tokens=min(MOST_TOKENS, model.max_tokens)
        )
    return drafted


def embed(drafts: Sequence[DocumentDraft], model: EmbeddingProvider) -> None:
    """Embed the chunks of many documents in one call: the model sorts them by length and pads little."""
    texts = [chunk.embedded_text for drafted in drafts for chunk in drafted.chunks]
    vectors = model.embed(texts) if texts else np.empty((0, 0))
    start = 0
    for drafted in drafts:
        drafted.model = model
        drafted.embeddings = vectors[start : start + len(drafted.chunks)]
        start += len(drafted.chunks)


def write(drafts: Sequence[DocumentDraft], target: IngestTarget) -> dict[str, IngestionError]:
    """Store documents and their grants in one transaction. Returns the errors of those that could not be, by source.

    When the corpus got another model since they were embedded, they are embedded again by that one. When somebody
    else holds what they need and wants what they hold, all is done once more.
    """
    for remaining in reversed(range(_TRIES)):
        try:
            return _write_window(drafts, target)
        except CorpusModelError:
            embed(drafts, embedding.provider())
            return _write_window(drafts, target)
        except OperationalError as error:
            is_whole = not connection.in_atomic_block  # else what was done before in the transaction is lost too
            if not (remaining and is_whole and isinstance(error.__cause__, DeadlockDetected)):
                raise
            time.sleep(random.uniform(*_PAUSE_S))  # noqa: S311 - no secret
    raise AssertionError("unreachable")


def _write_window(drafts: Sequence[DocumentDraft], target: IngestTarget) -> dict[str, IngestionError]:
    failed: dict[str, IngestionError] = {}
    with bypass_row_security():
        for model in {drafted.model for drafted in drafts if drafted.model and drafted.chunks}:
            embedding.claim(model)
        _keep_places(drafts, target)
        hold_rules(target.collection.pk)
        ungranted: list[DocumentDraft] = []
        for drafted in drafts:
            if any(drafted.source == one.source or drafted.content_hash == one.content_hash for one in ungranted):
                _grant_roles(
                    ungranted, target
                )  # what is judged beside another one of this window has to see who reads that
                ungranted = []
            try:
                with transaction.atomic():
                    _write_one(drafted, target)
                ungranted.append(drafted)
            except DataError:
                drafted.document = None
                failed[drafted.source] = IngestionError(
                    f"{drafted.parsed.title} contains something that cannot be stored."
                )
            except IngestionError as error:
                drafted.document = None
                failed[drafted.source] = error
        _grant_roles(ungranted, target)
    return failed


def _keep_places(drafts: Sequence[DocumentDraft], target: IngestTarget) -> None:
    """Wait for other workers that write documents of the same sources or contents, and keep off those that follow.

    Where a text belongs depends on both, and on documents that are not there yet, whose rows cannot be locked. All
    are locked at once and in one order, so that no two windows wait for each other.
    """
    shelf = (target.data_source or target.collection).pk
    keys = sorted({f"{shelf}/{known_by}" for one in drafts for known_by in (one.source, one.content_hash)})
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_PLACES, [keys])


def _grant_roles(drafts: Sequence[DocumentDraft], target: IngestTarget) -> None:
    """Grant what is new to those it is for. What was there keeps its grants, and gets those that are named now."""
    new = [drafted.document for drafted in drafts if drafted.document and drafted.is_new]
    old = [drafted.document for drafted in drafts if drafted.document and not drafted.is_new]
    for role in target.readers():
        grant(role, new, by=target.by, by_ingestion=True)
    if target.decides_readers:
        for role in target.roles:
            grant(role, old, by=target.by, by_ingestion=True)


def _has_text(stored: Document, drafted: DocumentDraft, model: EmbeddingProvider) -> bool:
    """Return True if a document has a draft's text, cut by today's rules and embedded by this model.

    A file whose comments were not wanted before, and are now, has another text.
    """
    if stored.content_hash != drafted.content_hash:
        return False
    if (Extent.from_json(stored.extent).comments_read if stored.extent else 0) != drafted.parsed.extent.comments_read:
        return False
    count = stored.chunk_count + sum(stored.parts.values_list("chunk_count", flat=True))
    with bypass_row_security():
        as_now = _chunks_of(stored).filter(embedding_model=model.name, **{f"metadata__{CUT_AS}": CUT})
        return bool(count) and as_now.count() == count


def _build_incoming(drafted: DocumentDraft) -> IncomingDocument:
    return IncomingDocument(
        source=drafted.source,
        content_hash=drafted.content_hash,
        title=_make_title(drafted.parsed),
        document_date=drafted.parsed.document_date,
        is_upload=drafted.is_upload,
        item_id=drafted.item_id,
    )


def _write_one(drafted: DocumentDraft, target: IngestTarget) -> None:
    fields = _collect_fields(drafted.parsed, target) | {"sync_item_id": drafted.item_id}
    place, document, is_new = _find_or_make(drafted, fields, target)
    drafted.document, drafted.is_new = document, is_new
    if place.is_closed:  # reported as new: whoever brings it may not learn of the earlier one
        drafted.is_unchanged, drafted.new_chunks = False, document.chunk_count
        return
    if drafted.is_unchanged and document.content_hash != drafted.content_hash:
        raise ChangedMeanwhileError
    if not is_new and drafted.model is not None and _has_text(document, drafted, drafted.model):
        drafted.is_unchanged = True  # another worker was faster
    drafted.was_replaced = not is_new and not drafted.is_unchanged
    described, shelf = _list_shown(document), document.collection_id
    parting: Parting | None = None
    for name, value in fields.items():
        setattr(document, name, value)
    document.source = place.source
    document.content_hash = drafted.content_hash
    _keep_original(document, drafted)
    if not drafted.is_unchanged:
        document.version += 0 if is_new else 1
        document.ingested_at = timezone.now()
        parting = _replace_chunks(document, drafted, is_new=is_new)
        _write_audit(document, target, AuditEvent.Action.INGEST if is_new else AuditEvent.Action.REPLACE)
    elif _list_shown(document) != described:
        document.version += 1
        _describe_chunks(document)
        _write_audit(document, target, AuditEvent.Action.CHANGE)
    document.save()
    parts = finish_edition(parting, by=target.by) if parting else []
    if drafted.is_unchanged and document.collection_id != shelf:
        split_document(document.pk, by=target.by)  # other rules hold there
    if drafted.was_replaced:
        for changed in (document.pk, *parts):
            queue.check_footnotes(changed)


def _list_shown(document: Document) -> list[Any]:
    """Return what answers show of a document beside its text."""
    name = find_file_name(document.source, document.original_name)
    return [name, *(unmask(getattr(document, field)) for field in sorted(_DESCRIPTION))]


def _keep_original(document: Document, drafted: DocumentDraft) -> None:
    """Keep the file beside its text. That of an earlier text goes with that text, whether or not this one's is kept."""
    if drafted.original is not None:
        keep(drafted.original, document)
    elif document.original_hash != drafted.content_hash:
        drop(document)


def _find_or_make(
    drafted: DocumentDraft, fields: dict[str, Any], target: IngestTarget
) -> tuple[Placement, Document, bool]:
    """Return the place of a text, the row there, locked, and whether it was made just now."""
    rows = Document.objects.select_for_update()
    while True:
        place = place_of(rows, _build_incoming(drafted), target)
        if place.document is not None:
            return place, place.document, False
        if drafted.is_unchanged:
            raise ChangedMeanwhileError  # deleted since it was looked at: there are no chunks of it
        # Two workers may hold the same new source: whoever comes second waits here, and then is judged anew.
        document, is_new = rows.get_or_create(
            collection=target.collection,
            data_source=target.data_source,
            source=place.source,
            part_of=None,
            defaults={**fields, "content_hash": drafted.content_hash, "ingested_at": timezone.now()},
        )
        if is_new:
            return place, document, True


def _make_title(parsed: ParsedDocument) -> str:
    return one_line(parsed.title, MAX_TITLE) or "Untitled"


def _collect_fields(parsed: ParsedDocument, target: IngestTarget) -> dict[str, Any]:
    extent = measure_extent(parsed)
    return {
        "collection": target.collection,
        "title": _make_title(parsed),
        "document_type": target.document_type or parsed.document_type or Document.Type.PAGE,
        "document_date": parsed.document_date,
        "source_url": parsed.source_url if len(parsed.source_url) <= MAX_URL else "",
        "full_citation": parsed.full_citation,
        "arxiv_id": parsed.arxiv_id or None,
        "metadata": parsed.metadata,
        "extent": extent.as_json(),
        "left_out_count": extent.losses,
    }


def _replace_chunks(document: Document, drafted: DocumentDraft, *, is_new: bool) -> Parting | None:
    """Put new passages in the place of those of a document and its parts. Returns how they are parted, if they are."""
    if drafted.model is None or drafted.embeddings is None:
        raise ValueError("a draft is embedded before it is written")
    recognised = frozenset(pages_under(drafted.parsed.metadata, RECOGNISED_PAGES))
    passages = [(chunk.chapter, chunk.section, chunk.content) for chunk in drafted.chunks]
    parting = part_edition(document, passages, is_new=is_new)
    holders = parting.holders if parting else [document.pk] * len(drafted.chunks)
    counts: Counter[UUID] = Counter()
    positions = []
    for holder in holders:
        positions.append(counts[holder])
        counts[holder] += 1
    document.chunk_count, drafted.new_chunks = counts[document.pk], len(drafted.chunks)
    delete_passages(document)
    Chunk.objects.bulk_create(
        (
            Chunk(
                document_id=holder,
                chunk_index=index,
                content=chunk.content,
                token_count=chunk.token_count,
                embedding=vector,
                embedding_model=drafted.model.name,
                page_number=chunk.page_number,
                chapter_name=chunk.chapter,
                section_title=chunk.section,
                context=build_searched_context(document, chunk.chapter, chunk.section, chunk.content),
                start_offset=chunk.start,
                end_offset=chunk.end,
                metadata=_describe_chunk(chunk, recognised),
            )
            for holder, index, chunk, vector in zip(holders, positions, drafted.chunks, drafted.embeddings, strict=True)
        ),
        batch_size=_ROWS,
    )
    return parting


def _describe_chunk(chunk: TextChunk, recognised: frozenset[int]) -> dict[str, Any]:
    """Return the metadata of a chunk. recognised: the numbers of the pages that are pictures."""
    metadata: dict[str, Any] = {CUT_AS: CUT}
    if chunk.page_number is not None:
        metadata[PAGE] = chunk.page_number
    if chunk.later_pages:
        metadata[LATER_PAGES] = chunk.later_pages
    if recognised.intersection({chunk.page_number, *(page for _, page in chunk.later_pages)}):
        metadata[RECOGNISED] = True
    return metadata


def save_description(document: Document, changed: Iterable[str]) -> None:
    """Save changed fields of a document, as a new edition where its readers are shown them as its words.

    changed: the names of the fields. Full text finds the chunks by what the document is called from then on.
    """
    fields = [*changed]
    with transaction.atomic():
        if not _DESCRIPTION.isdisjoint(fields):
            locked = Document.objects.select_for_update().only("version").get(pk=document.pk)
            document.version = locked.version + 1
            fields.append("version")
        if fields:
            document.save(update_fields=fields)
        if not _DESCRIPTION.isdisjoint(fields):
            _describe_chunks(document)
        if "collection" in fields:
            split_document(document.pk)  # other rules hold there


def _chunks_of(document: Document) -> ChunkQuerySet:
    """Return the passages of a document, those in its parts among them."""
    return Chunk.objects.filter(document__in=list_rows(document))


def _describe_chunks(document: Document) -> None:
    """Let full text find the chunks of a document, and those in its parts, by what it is called now."""
    with bypass_row_security():
        chunks = list(_chunks_of(document).only("chapter_name", "section_title", "content"))
        for chunk in chunks:
            chunk.context = build_searched_context(document, chunk.chapter_name, chunk.section_title, chunk.content)
        Chunk.objects.bulk_update(chunks, ["context"], batch_size=_ROWS)


def build_searched_context(document: Document, chapter: str, section: str, content: str = "") -> str:
    """Build the text that full-text search reads besides a chunk's content: names, ids and headings, a line each.

    Of writing without spaces, of which PostgreSQL makes one word, the last line has the pairs of letters.
    """
    lines = [line for line in (document.title, document.arxiv_id, chapter, section, document.full_citation) if line]
    pairs = " ".join(list_indexed("\n".join([*lines, content])))
    return "\n".join([*lines, pairs] if pairs else lines)


def _write_audit(document: Document, target: IngestTarget, action: AuditEvent.Action) -> None:
    AuditEvent.objects.create(
        actor=target.by,
        action=action,
        object_type="document",
        object_id=str(document.pk),
        details={
            "collection": str(target.collection.pk),
            "version": document.version,
            "chunks": document.chunk_count,
        },
    )


def hash_of(content: bytes | ParsedDocument) -> str:
    """Hash a content: the SHA-256 of a file's bytes, or of a document among several in a file.

    What a parser counts is no content: a later version may count more. Comments are apart from the text.
    """
    if isinstance(content, ParsedDocument):
        fields = content.as_json()
        del fields["extent"], fields["comments"]
        content = json.dumps(fields, sort_keys=True).encode()
    return hash_content(content)
