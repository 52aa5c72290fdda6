"""Find the documents that can be changed for a gap or a contradiction, and in which way.

Only documents that the viewer may read are named, and only a viewer who may read a whole file gets it to change.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from uuid import UUID

from core.access.audiences import audience_of
from core.errors import NotFoundError
from core.infrastructure import mail
from core.library.ingestion.formats import FileKind
from core.library.originals.storage import build_name, get_storage, list_failures
from core.library.owners import find_owner
from core.library.sync.connecting import find_way
from core.library.sync.proposing import EDITS_FILES
from core.models import DataSource, Document, User
from core.quality.gaps.documents import find_near_documents
from core.quality.proposals.rights import Reason
from core.types import Audience
from core.values.proposals import LONGEST_TEXT, ChangeTarget, ChangeWay

WRITTEN_ENDINGS = (*FileKind.MARKDOWN.value.endings, *FileKind.TEXT.value.endings)  # of new files
_TEXT_ENDINGS = (*WRITTEN_ENDINGS, *FileKind.HTML.value.endings, *FileKind.CSV.value.endings)
_PAGE = "page:"  # keys of pages; what else a source with pages holds are files attached to them
_MOST = 20


def list_targets(reason: Reason, viewer: User, audience: Audience, *, search: str = "") -> tuple[ChangeTarget, ...]:
    """List the documents that can be changed, the nearest first, and the sources that take new ones.

    search: words of titles, for other documents than the near ones.
    """
    near = _list_near(reason, audience)
    targets = [describe_target(document, viewer, audience, is_near=True) for document in near]
    if words := search.split():
        found = Document.objects.visible_to(audience).whole().exclude(pk__in=[document.pk for document in near])
        for word in words[:10]:
            found = found.filter(title__icontains=word)
        targets += [describe_target(one, viewer, audience) for one in _with_relations(found.order_by("title")[:_MOST])]
    return (*targets, *(describe_source(source, way) for source, way in list_sources(viewer, audience)))


def find_document(document_id: UUID, audience: Audience) -> Document:
    """Find a document that an audience may read, with what a target is described by. NotFoundError without one."""
    found = _with_relations(Document.objects.visible_to(audience).whole().filter(pk=document_id))
    if not found:
        raise NotFoundError
    return found[0]


def find_source(source_id: UUID, viewer: User, audience: Audience) -> tuple[DataSource, ChangeWay]:
    """Find a source that takes new documents from this viewer. NotFoundError without one."""
    for source, way in list_sources(viewer, audience):
        if source.pk == source_id:
            return source, way
    raise NotFoundError


def list_sources(viewer: User, audience: Audience) -> list[tuple[DataSource, ChangeWay]]:
    """List the sources that take new documents: those that the viewer may see, or reads a document of."""
    sources = DataSource.objects.order_by("name")
    if not viewer.has_perm("core.view_datasource"):
        read = Document.objects.visible_to(audience).exclude(data_source=None)
        sources = sources.filter(pk__in=read.values("data_source"))
    return [(source, way) for source in sources if (way := find_way(source))]


def describe_source(source: DataSource, way: ChangeWay) -> ChangeTarget:
    """Describe a source as a place for a new document."""
    return ChangeTarget(way=way, why_not="", source_id=source.pk, source_name=source.name)


def describe_target(document: Document, viewer: User, audience: Audience, *, is_near: bool = False) -> ChangeTarget:
    """Describe how a document can be changed; by mail to its owner where its source takes no changes of it."""
    item, source = document.sync_item, document.data_source
    way = find_way(source) if source and item else None
    why_not = ""
    if way in EDITS_FILES:
        why_not = _explain_no_edit(document, audience)
    elif way and not (item and item.key.startswith(_PAGE)):
        why_not = "It is a file that is attached to a page."
    recipient = ""
    if way is None or why_not:
        owner = find_recipient(document)
        if owner is None:
            way = None
            why_not = f"{why_not or 'Its source takes no changes.'} And it has no owner to whom a mail could go."
        elif owner == viewer:
            way, why_not = None, f"{why_not or 'Its source takes no changes.'} You look after it yourself."
        else:
            way, why_not, recipient = ChangeWay.MAIL, "", owner.name_without_address
    return ChangeTarget(
        way=way,
        why_not=why_not,
        document_id=document.pk,
        document_name=document.title,
        source_id=source.pk if source else None,
        source_name=source.name if source else "",
        place=item.name if item else "",
        recipient=recipient,
        is_near=is_near,
    )


def find_recipient(document: Document) -> User | None:
    """Find the owner of a document who may read it and to whom mail can go; None without one."""
    owner = find_owner(document) if mail.is_configured() else None
    return owner if owner and "@" in owner.email else None


def read_file_text(document: Document, audience: Audience) -> str:
    """Read the text of a document's file, with "\\n" at the ends of lines. NotFoundError unless it can be changed."""
    if _explain_no_edit(document, audience):
        raise NotFoundError
    return _read_text(document) or ""


def _explain_no_edit(document: Document, audience: Audience) -> str:
    """Say why a file cannot be written anew from here; empty where it can.

    The answer is the same for a file that is not kept as for one of which the audience may not read every section, so
    that nobody learns from it that there are such sections.
    """
    item = document.sync_item
    if item is None or item.is_gone or item.is_stale or not item.fingerprint:
        return "Its source is being read just now."
    if item.documents.count() > 1:
        return "Its file holds several documents."
    if PurePosixPath(item.key).suffix.casefold() not in _TEXT_ENDINGS:
        return "It is no text file."
    is_readable = Document.objects.readable_in_full_by(audience).filter(pk=document.pk).exists()
    if not document.original_hash or not is_readable:
        return "Its file is not kept, or you may not read all of it."
    if (document.original_size or 0) > LONGEST_TEXT:
        return "It is too long to be changed here."
    return "" if _read_text(document) is not None else "It is not written in UTF-8."


def _read_text(document: Document) -> str | None:
    try:
        with get_storage().open(build_name(document.original_hash)) as stream:
            text: str = stream.read().decode("utf-8-sig")
    except list_failures():
        return None
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def _list_near(reason: Reason, audience: Audience) -> list[Document]:
    """List the documents near to a gap, or both sides of a contradiction, as far as the audience may read them."""
    if reason.gap is not None:
        ids = [document.pk for document in find_near_documents(reason.gap, viewer=audience).readable]
    elif reason.pair is not None:
        ids = [reason.pair.newer_id, reason.pair.older_id]
    else:
        ids = []
    rows = {row.pk: row for row in _with_relations(Document.objects.visible_to(audience).filter(pk__in=ids))}
    wholes = [rows[pk].part_of_id or pk for pk in ids if pk in rows]
    missing = [pk for pk in wholes if pk not in rows]
    rows |= {row.pk: row for row in _with_relations(Document.objects.visible_to(audience).filter(pk__in=missing))}
    return [rows[pk] for pk in dict.fromkeys(wholes) if pk in rows]


def _with_relations(documents: Iterable[Document]) -> list[Document]:
    related = ("sync_item", "data_source", "owner", "collection__owner")
    return list(documents.select_related(*related))  # type: ignore[attr-defined]


def readers_include(recipient: User, documents: Iterable[UUID]) -> bool:
    """Return True if a person may read all of some documents now."""
    wanted = set(documents)
    readable = Document.objects.visible_to(audience_of([recipient.pk])).filter(pk__in=wanted)
    return readable.count() == len(wanted)
