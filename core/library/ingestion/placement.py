"""Find the place of an incoming text: in a new document, or of an earlier text of the same source.

A document is identified by its collection and its source, or by the data source that looks after it and the item's key
there. A file's own statements decide nothing here. A text replaces an earlier one only where its readers are those it
was meant for; docs/decisions/0022 has the cases.
"""

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from core.errors import IngestionError, ReadersDifferError
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.sources.addresses import HASHED, is_address
from core.library.ingestion.target import IngestTarget
from core.models import Document, Role
from core.models.querysets import DocumentQuerySet

LONGEST_SOURCE = 1000  # characters, the column's length
_OF_A_PART = re.compile(r"#section-[0-9a-f]{32}\Z")  # the source of a part of a document, as the database gives it
_SHOWN = 80  # characters of a title or a source in a message


@dataclass(frozen=True, kw_only=True, slots=True)
class IncomingDocument:
    """A text's details before its place is known."""

    source: str
    content_hash: str
    title: str  # as it is stored
    document_date: dt.date | None
    is_upload: bool  # handed in as a file, of which only the name is known
    item_id: UUID | None = None  # of the data source that looks after it


@dataclass(frozen=True, kw_only=True, slots=True)
class Placement:
    """The source and the document that a text belongs to."""

    source: str
    document: Document | None = None  # in that place
    is_closed: bool = False  # the document has this text and these readers, and is left as it is, without a word


def place_of(rows: DocumentQuerySet, incoming: IncomingDocument, target: IngestTarget) -> Placement:
    """Find the place of a text among these documents. A data source's documents are apart from all others.

    ReadersDifferError where it would be read by others than it is meant for, IngestionError where another item of the
    data source has the same key. A person who may neither read the document in that place nor decide who does does not
    learn of it: their text becomes a document of its own.
    """
    if _OF_A_PART.search(incoming.source):
        raise IngestionError(f"{one_line(incoming.source, _SHOWN)} was not ingested: nothing can have such a name.")
    rows = rows.whole()  # a part of a document comes and goes with it
    if target.data_source is not None:
        document = rows.filter(data_source=target.data_source, source=incoming.source).first()
        if document is not None and document.sync_item_id not in (None, incoming.item_id):
            raise IngestionError(
                f"{one_line(incoming.source, _SHOWN)} was not ingested: something else at the source has this name."
            )
        return Placement(source=incoming.source, document=document)
    rows = rows.filter(collection=target.collection, data_source=None)
    there = rows.filter(source=incoming.source).first()
    if there is None:
        return _find_moved(rows, incoming, target) or Placement(source=incoming.source)
    if target.may_touch(there):
        _check_readers(there, incoming, target)
        return Placement(source=there.source, document=there)
    if there.content_hash == incoming.content_hash and set(there.roles.all()) == target.readers():
        return Placement(source=there.source, document=there, is_closed=True)
    # Somebody's own file, beside one of that name which is not theirs to replace.
    apart = shorten_source(f"{incoming.source} (of {target.by.pk.hex[:8] if target.by else 'nobody'})")
    own = rows.filter(source=apart).first()
    if own is not None:
        _check_readers(own, incoming, target)
    return Placement(source=apart, document=own)


def shorten_source(source: str) -> str:
    """Return a source as it fits into its column: a longer one by its hash, as is what looks like such a hash."""
    if len(source) <= LONGEST_SOURCE and not source.startswith(HASHED):
        return source
    return f"{HASHED}{hashlib.sha256(source.encode()).hexdigest()}"


def _find_moved(rows: DocumentQuerySet, incoming: IncomingDocument, target: IngestTarget) -> Placement | None:
    """Return the very same document under another source: its file was moved, or is named from another folder.

    Only one that the same roles may read, or later changes of either file would reach readers of the other. What
    came from an address stays known by it.
    """
    same = rows.filter(
        content_hash=incoming.content_hash,
        title=incoming.title,
        document_date=incoming.document_date,
    ).order_by("pk")
    for document in same:
        if set(document.roles.all()) == target.readers() and target.may_touch(document):
            stays = is_address(document.source) and not is_address(incoming.source)
            return Placement(source=document.source if stays else incoming.source, document=document)
    return None


def _check_readers(there: Document, incoming: IncomingDocument, target: IngestTarget) -> None:
    """Raise ReadersDifferError if another text in this document would be read by anybody for whom it is not meant.

    A path or an address is the same source as before, so the readers that somebody gave the document stay; only
    roles for which an earlier text came have to be among those of the new one, where any are named. Of an uploaded
    file nothing but the name is known: its readers have to be exactly those of the document.
    """
    if there.content_hash == incoming.content_hash:
        return
    held, readers = set(there.roles.all()), target.readers()
    if held == readers:
        return
    if not incoming.is_upload:
        came_with_a_text = Role.objects.filter(document_access__document=there, document_access__by_ingestion=True)
        if not target.roles or set(came_with_a_text) <= readers:
            return
    raise _make_refusal(there, incoming, target, held, readers)


def _make_refusal(
    there: Document, incoming: IncomingDocument, target: IngestTarget, held: set[Role], readers: set[Role]
) -> ReadersDifferError:
    name = one_line(incoming.source, _SHOWN)
    if not target.may_name(there):
        return ReadersDifferError(
            f"{name} was not ingested: another document with different readers has the same name. Give the file "
            "another name."
        )
    title = one_line(there.title, _SHOWN)
    return ReadersDifferError(
        f"{name} was not ingested: it would replace “{title}”, which is for {_join_names(held)}, but it is for "
        f"{_join_names(readers)}. Choose the same roles, change who may read “{title}”, or give the file another name.",
        named=there.pk,
    )


def _join_names(roles: set[Role]) -> str:
    return one_line(", ".join(sorted(role.name for role in roles)), _SHOWN) or "nobody"


def list_shared_addresses(most: int) -> list[tuple[str, int, str]]:
    """The addresses that several documents of a collection state: each with how many, and the collection's name."""
    stated = (
        Document.objects.whole().exclude(source_url="").filter(withdrawn_at=None).values("collection", "source_url")
    )
    shared = stated.annotate(count=Count("pk")).filter(count__gt=1).order_by("-count", "source_url")
    return list(shared.values_list("source_url", "count", "collection__name")[:most])
