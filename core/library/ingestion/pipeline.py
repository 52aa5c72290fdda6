"""From sources to the library: load, parse, split, embed, store, in windows of many documents."""

import contextvars
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Self
from uuid import UUID

from django.conf import settings

from core.errors import IngestionError, NoTextError, NotTriedError
from core.infrastructure.measures.families import ingested_documents, ingestion_step_seconds, timed
from core.infrastructure.tracing.spans import span
from core.library import embedding
from core.library.embedding import EmbeddingProvider
from core.library.embedding.local import in_bulk
from core.library.embedding.provider import knows_only_english
from core.library.ingestion.checked import compute_digest
from core.library.ingestion.detection import find_media_type
from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.errors import NoDocumentError
from core.library.ingestion.formats import BY_SUFFIX, FileKind
from core.library.ingestion.languages import ENGLISH, name_language_of
from core.library.ingestion.naming import clean_uploaded_name, date_in_words, suffix
from core.library.ingestion.question_priority import Room
from core.library.ingestion.sandbox.process import Sandbox
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.sources.addresses import same_address
from core.library.ingestion.stated_dates import date_in_beginning
from core.library.ingestion.store import DocumentDraft, draft, embed, hash_of, write
from core.library.ingestion.target import IngestTarget
from core.library.originals.keeping import Original
from core.models import Document
from core.values.sizes import MEGABYTE

_WINDOW_CHUNKS = 256  # embedded in one call; more would gain nothing and show less progress
_FEWEST_CHUNKS = 64  # embedded in one call while the model has nothing else to do; fewer would be padded more
_WINDOW_DOCUMENTS = 200
_WINDOW_BYTES = 64 * MEGABYTE  # of originals, which are in memory until they are written
_MOST_MESSAGES = 20  # of one source


@dataclass(slots=True)
class SourceOutcome:
    """The result of ingesting one source."""

    source: Source
    documents: list[UUID] = field(default_factory=list)  # that hold its text now
    chunks: int = 0  # new ones
    replaced: list[Document] = field(default_factory=list)  # documents of before that have another text now
    unchanged: int = 0
    errors: list[IngestionError] = field(default_factory=list)  # empty when all of it is in the library
    left_out: str = ""  # why it was passed over without being an error
    languages: Counter[str] = field(default_factory=Counter)  # the number of its documents in each
    unknown_languages: set[str] = field(default_factory=set)  # those that the embedding model does not know


@dataclass(slots=True)
class _Work:
    """A source of which documents are still to be written."""

    outcome: SourceOutcome
    unwritten: int = 0
    all_drafted: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedSource:
    """Holds the documents of a source, embedded and not written."""

    source: Source
    drafts: list[DocumentDraft]
    digest: str  # of all that was read; "" where nothing could be
    errors: list[IngestionError]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """Holds a source that was loaded and parsed."""

    source: Source
    loaded: LoadedFile
    documents: tuple[ParsedDocument, ...]


def ingest(
    sources: Iterable[Source], target: IngestTarget, sandbox: Sandbox, report: Callable[[SourceOutcome], None]
) -> None:
    """Ingest sources one after the other and report each as soon as all of its documents are in the library.

    A source's errors are in its outcome, and the others go on.
    """

    def count_and_report(outcome: SourceOutcome) -> None:
        ingested_documents.labels("stored").inc(len(outcome.documents) - outcome.unchanged)
        ingested_documents.labels("unchanged").inc(outcome.unchanged)
        ingested_documents.labels("failed").inc(len(outcome.errors))
        report(outcome)

    with Room() as room, _Line(target, count_and_report, room) as line:
        for source in sources:
            work = _Work(SourceOutcome(source=source))
            for drafted in _make_drafts(source, target, sandbox, work.outcome):
                work.unwritten += 1
                line.add(work, drafted)
            work.all_drafted = True
            if not work.unwritten:
                count_and_report(work.outcome)


@contextmanager
def _time_step(name: str) -> Iterator[None]:
    """A step that is timed, and a part of the job's trace."""
    with timed(ingestion_step_seconds, name), span(f"ingestion.{name}"):
        yield


def _embed_window(drafts: list[DocumentDraft], model: EmbeddingProvider, room: Room) -> None:
    with _time_step("embed"), in_bulk(room.give_way) if room.is_given else nullcontext():
        embed(drafts, model)


class _Line:
    """Embeds one window of documents in a thread of its own while the next one is read, parsed and split.

    Only the model works in that thread: it leaves Python's lock alone most of the time, and needs no database.
    """

    def __init__(self, target: IngestTarget, report: Callable[[SourceOutcome], None], room: Room) -> None:
        self._target = target
        self._room = room
        self._report = report
        self._filling: list[tuple[_Work, DocumentDraft]] = []
        self._chunks = 0  # in the window that is being filled
        self._bytes = 0
        self._embedding: tuple[list[tuple[_Work, DocumentDraft]], Future[None]] | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish what is in the line, unless an error broke it off."""
        with self._thread:
            if kind is None:
                self._advance_window()
                self._advance_window()

    def add(self, work: _Work, drafted: DocumentDraft) -> None:
        """Put a document into the line."""
        self._filling.append((work, drafted))
        self._chunks += len(drafted.chunks)
        self._bytes += len(drafted.original.content) if drafted.original else 0
        full = self._chunks >= _WINDOW_CHUNKS or len(self._filling) >= _WINDOW_DOCUMENTS or self._bytes >= _WINDOW_BYTES
        if full or (self._chunks >= _FEWEST_CHUNKS and self._is_idle()):
            self._advance_window()

    def _is_idle(self) -> bool:
        return self._embedding is None or self._embedding[1].done()

    def _advance_window(self) -> None:
        """Write the window whose embedding is under way, and begin to embed the one that was filled."""
        done, self._embedding = self._embedding, None
        window, self._filling, self._chunks, self._bytes = self._filling, [], 0, 0
        if done is not None:
            done[1].result()
        if window:
            # The model is looked up here: the thread has no business with the database.
            model = embedding.provider()
            self._embedding = (
                window,
                self._thread.submit(
                    contextvars.copy_context().run, _embed_window, [drafted for _, drafted in window], model, self._room
                ),
            )
        if done is not None:
            self._store_window(done[0])

    def _store_window(self, window: list[tuple[_Work, DocumentDraft]]) -> None:
        with _time_step("store"):
            failed = write([drafted for _, drafted in window], self._target)
        for work, drafted in window:
            work.unwritten -= 1
            outcome = work.outcome
            if drafted.document is None:
                outcome.errors.append(failed[drafted.source])
                continue
            outcome.documents.append(drafted.document.pk)
            outcome.chunks += drafted.new_chunks
            if drafted.was_replaced:
                outcome.replaced.append(drafted.document)
            outcome.unchanged += drafted.is_unchanged
        for work in {id(each): each for each, _ in window}.values():
            if work.all_drafted and not work.unwritten:
                self._report(work.outcome)


def prepare_drafts(sources: Iterable[Source], target: IngestTarget, sandbox: Sandbox) -> Iterator[PreparedSource]:
    """Load, parse, split and embed sources, and write nothing. A source's errors are with it.

    Originals are not in the drafts: a file in the storage would outlive a transaction that is rolled back.
    """
    with Room() as room:
        window: list[PreparedSource] = []
        for source in sources:
            window.append(_prepare_source(source, target, sandbox))
            if sum(len(drafted.chunks) for one in window for drafted in one.drafts) >= _WINDOW_CHUNKS:
                _embed_window([drafted for one in window for drafted in one.drafts], embedding.provider(), room)
                yield from window
                window = []
        if window:
            _embed_window([drafted for one in window for drafted in one.drafts], embedding.provider(), room)
            yield from window


def _prepare_source(source: Source, target: IngestTarget, sandbox: Sandbox) -> PreparedSource:
    outcome = SourceOutcome(source=source)
    read = _read_source(source, sandbox, outcome)
    if read is None:
        return PreparedSource(source=source, drafts=[], digest="", errors=outcome.errors)
    drafts = list(_cut_documents(read, target, outcome))
    for drafted in drafts:
        drafted.original = None
    return PreparedSource(source=source, drafts=drafts, digest=compute_digest(read.documents), errors=outcome.errors)


def _make_drafts(
    source: Source, target: IngestTarget, sandbox: Sandbox, outcome: SourceOutcome
) -> Iterator[DocumentDraft]:
    """Yield the documents of a source. Its errors go into the outcome."""
    read = _read_source(source, sandbox, outcome)
    if read is None:
        return
    if source.expected is not None and source.expected != compute_digest(read.documents):
        outcome.errors[:] = [NotTriedError()]
        return
    yield from _cut_documents(read, target, outcome)


def _read_source(source: Source, sandbox: Sandbox, outcome: SourceOutcome) -> _Read | None:
    """Load and parse a source. None where there is no document; why not goes into the outcome."""
    try:
        with _time_step("fetch"):
            loaded = source.load()
        with _time_step("parse"):
            parsed = sandbox.parse(loaded.content, loaded.name)
            described = _describe_documents(loaded, parsed.documents, sandbox)
    except NoDocumentError as error:
        if source.was_found:
            outcome.left_out = "JSON without a document in it"
        else:
            outcome.errors.append(error)
        return None
    except NoTextError as error:
        kind = BY_SUFFIX.get(suffix(source.name))
        if source.was_found and kind and kind.value.needs_recognition:
            outcome.left_out = "a picture in which no text was recognised"
        else:
            outcome.errors.append(error)
        return None
    except IngestionError as error:
        outcome.errors.append(error)
        return None
    outcome.errors += [IngestionError(problem) for problem in parsed.problems[:_MOST_MESSAGES]]
    return _Read(source=source, loaded=loaded, documents=described)


def _cut_documents(read: _Read, target: IngestTarget, outcome: SourceOutcome) -> Iterator[DocumentDraft]:
    """Yield the documents of a source that was read, split into chunks."""
    source, loaded, described = read.source, read.loaded, read.documents
    alone = len(described) == 1 and not described[0].identifier
    itself = [document for document in described if source.is_address and same_address(document.source_url, source.key)]
    model = embedding.provider()
    sha256 = hash_of(loaded.content) if alone else ""
    original = _find_original(loaded, sha256) if alone else None
    for document in described:
        try:
            with _time_step("cut"):
                drafted = draft(
                    _with_hints(document, source),
                    model,
                    target=target,
                    source=source.key if alone or itself == [document] else _name_part(document, source),
                    content_hash=sha256 or hash_of(document),
                    is_upload=source.is_upload,
                    item_id=source.item_id,
                    original=original,
                )
        except IngestionError as error:
            outcome.errors.append(error)
            continue
        language = name_language_of(document)
        outcome.languages[language] += 1
        if language != ENGLISH and knows_only_english(model.name):
            outcome.unknown_languages.add(language)
        yield drafted


def _find_original(loaded: LoadedFile, sha256: str) -> Original | None:
    """Return the file of a single document, where it came as it is and originals are kept."""
    if not settings.KEEP_ORIGINALS or not loaded.is_original:
        return None
    return Original(
        content=loaded.content,
        sha256=sha256,
        name=clean_uploaded_name(loaded.name),
        media_type=find_media_type(loaded.content, loaded.name),
    )


def _describe_documents(
    loaded: LoadedFile, documents: tuple[ParsedDocument, ...], sandbox: Sandbox
) -> tuple[ParsedDocument, ...]:
    """Return the documents; a single one described by the page about it, where there is such a page."""
    if loaded.description is None or len(documents) != 1:
        return documents
    page = sandbox.parse(loaded.description, f"{loaded.name}{FileKind.HTML.value.ending}").documents[0]
    [file] = documents
    metadata = file.metadata | page.metadata
    return (replace(page, blocks=file.blocks, metadata=metadata, extent=file.extent, comments=file.comments),)


def _with_hints(document: ParsedDocument, source: Source) -> ParsedDocument:
    """Complete the document with its source's details where it has none, and with the day that it begins with."""
    return replace(
        document,
        document_type=document.document_type or source.document_type,
        document_date=document.document_date
        or source.document_date
        or date_in_words(document.title)
        or date_in_beginning(block.text for block in document.blocks),
        source_url=source.source_url or document.source_url,
        arxiv_id=source.arxiv_id or document.arxiv_id,
    )


def _name_part(document: ParsedDocument, source: Source) -> str:
    """Return the source of one of several documents in a file."""
    return f"{source.key}#{document.identifier or hash_of(document)[:16]}"
