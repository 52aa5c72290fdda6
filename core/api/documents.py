"""List, open and quote the documents and passages that an audience may read. Re-exported by `core.api`."""

import datetime as dt
from uuid import UUID

from core.api.audiences import require_audience
from core.asking.history import listing
from core.infrastructure.database_errors import translate_database_errors
from core.infrastructure.public_address import PlaceInChunk
from core.types import Audience, Filters, PassageInPlace, ReadableCollection
from core.values.document_views import OpenedDocument, OriginalFile
from core.values.lists import DocumentList, NewDocument


@translate_database_errors()
def readable_collections(audience: Audience) -> tuple[ReadableCollection, ...]:
    """List the collections of which the whole audience may read something, by name, with no count of anything else."""
    require_audience(audience)
    return listing.collections(audience, Filters())


@translate_database_errors()
def readable_documents(audience: Audience, *, filters: Filters | None = None, limit: int = 20) -> DocumentList:
    """List the documents that the whole audience may read, the newest of each collection first, and how many there are.

    filters: only those parts that speak of documents narrow the list.
    """
    require_audience(audience)
    return listing.documents(audience, filters or Filters(), limit=limit)


@translate_database_errors()
def new_documents(audience: Audience, *, since: dt.datetime, limit: int = 5) -> tuple[NewDocument, ...]:
    """List the documents that the whole audience may read and whose text was ingested since then, newest first."""
    require_audience(audience)
    return listing.new_documents(audience, since=since, limit=limit)


@translate_database_errors()
def passage(chunk_id: UUID, *, audience: Audience) -> PassageInPlace:
    """Return a passage in its document. NotFoundError unless it exists and the whole audience may read it."""
    require_audience(audience)
    from core.library.retrieval import chunk_lookup

    return chunk_lookup.passage_in_place(chunk_id, audience=audience)


@translate_database_errors()
def open_document(document_id: UUID, *, audience: Audience, at: PlaceInChunk | None = None) -> OpenedDocument:
    """Return a document with its whole text. NotFoundError unless it is there and the whole audience may read it.

    at: a place in it, which is then its citation; left out where the document has no such place now.
    """
    require_audience(audience)
    from core.asking.history import opening

    return opening.open_document(document_id, audience=audience, at=at)


@translate_database_errors()
def open_citation(citation_id: UUID, *, audience: Audience, viewer: UUID | None = None) -> OpenedDocument:
    """Return the document that a citation of an earlier answer quotes, as it is now, with the quote in its place.

    NotFoundError unless the audience may read the document now and see the citation. viewer: as for stored_result.
    """
    require_audience(audience)
    from core.asking.history import opening

    return opening.open_citation(citation_id, audience=audience, viewer=viewer)


@translate_database_errors()
def find_original(document_id: UUID, *, audience: Audience) -> OriginalFile:
    """Return the file that a document came as. NotFoundError unless it is kept and the whole audience may read it.

    Its bytes are in the storage of core.library.originals, for whoever has just been given this.
    """
    require_audience(audience)
    from core.asking.history import opening

    return opening.find_original(document_id, audience=audience)
