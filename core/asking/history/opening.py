"""Open documents, also at what an answer cites or at a given place.

Access is asked at every look, and "not yours" is "not there".
"""

from uuid import UUID

from core.asking.history.visibility import Visibility
from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.quote_normalisation import find_quote
from core.asking.verification.statements import cite
from core.errors import NotFoundError
from core.infrastructure.public_address import PlaceInChunk
from core.library.retrieval.catalogue import describe_document
from core.library.retrieval.chunk_lookup import passages_of_document
from core.models import Answer, Document
from core.models import Citation as CitationRow
from core.types import Audience, Citation, Passage
from core.values.document_views import OpenedDocument, OpenedPart, OriginalFile
from core.values.secrets import is_same_but_masked

Place = tuple[int, int, int]  # of a quote: the index of its passage, and its offsets there


def open_citation(citation_id: UUID, *, audience: Audience, viewer: UUID | None) -> OpenedDocument:
    """Open the document of a citation, at the quote's place now; see core.api.open_citation."""
    # One query says no, to whoever may not read the edition as to whoever guessed: both wait as long.
    readable = CitationRow.objects.visible_to(audience).filter(pk=citation_id)
    row = readable.select_related("document__collection").first()
    if row is None or row.document is None:
        raise NotFoundError
    answer = Answer.objects.select_related("query").prefetch_related("citations").get(pk=row.answer_id)
    visible = Visibility.of([answer], audience=audience, viewer=viewer).list_visible(answer)
    opened = next((one for one in visible if one.citation_id == row.pk), None)
    if answer.query.erased_at is not None or opened is None:
        raise NotFoundError
    return _open_at(row.document, audience, opened)


def open_document(document_id: UUID, *, audience: Audience, at: PlaceInChunk | None = None) -> OpenedDocument:
    """Return a document from its beginning, or at a place in it; see core.api.open_document."""
    return _open_at(_find_document(document_id, audience), audience, at)


def find_original(document_id: UUID, *, audience: Audience) -> OriginalFile:
    """Return the file that a document came as; see core.api.find_original."""
    original = _describe_original(_find_document(document_id, audience), audience)
    if original is None:
        raise NotFoundError
    return original


def _find_document(document_id: UUID, audience: Audience) -> Document:
    document = Document.objects.visible_to(audience).select_related("collection").filter(pk=document_id).first()
    if document is None:
        raise NotFoundError
    return document


def _open_at(document: Document, audience: Audience, at: Citation | PlaceInChunk | None) -> OpenedDocument:
    passages = passages_of_document(document.pk, audience=audience)
    citation = _quote_place(at, passages) if isinstance(at, PlaceInChunk) else at
    place = _find_place(citation, passages) if citation else None
    described = describe_document(document)
    return OpenedDocument(
        document_id=document.pk,
        name=document.title,
        document_date=document.document_date,
        authors=described["authors"],
        full_citation=described["full_citation"],
        source_url=document.source_url,
        collection=document.collection.name,
        original=_describe_original(document, audience),
        parts=tuple(
            OpenedPart(
                chapter=passage.chapter,
                section=passage.section,
                page_number=passage.page_number,
                text=passage.content,
                mark=place[1:] if place and place[0] == index else None,
            )
            for index, passage in enumerate(passages)
        ),
        citation=citation,
        page_number=passages[place[0]].page_at(place[1]) if place else None,
    )


def _quote_place(place: PlaceInChunk, passages: tuple[Passage, ...]) -> Citation | None:
    """Return a place of this document as a quote of it; None where it has no such place, or has another text by now."""
    for passage in passages:
        if passage.chunk_id == place.chunk_id and place.start < place.end <= len(passage.content):
            return cite(FoundQuote(passage=passage, start=place.start, end=place.end), number=0)
    return None


def _describe_original(document: Document, audience: Audience) -> OriginalFile | None:
    """Describe the file, for those who may read all of it: to all others it is as if none were kept."""
    if not document.original_hash or document.original_size is None:
        return None
    if not Document.objects.readable_in_full_by(audience).filter(pk=document.pk).exists():
        return None
    return OriginalFile(
        sha256=document.original_hash,
        name=document.original_name,
        media_type=document.original_type,
        size=document.original_size,
    )


def _find_place(citation: Citation, passages: tuple[Passage, ...]) -> Place | None:
    """Find a quote's place: in the cited passage, else in the first that has it; None when it no longer occurs."""
    for index, passage in enumerate(passages):
        is_cited = passage.chunk_id == citation.chunk_id
        words = passage.content[citation.start : citation.end]
        if is_cited and is_same_but_masked(words, citation.quoted_excerpt):
            return index, citation.start, citation.end
    for index, passage in enumerate(passages):
        if span := find_quote(citation.quoted_excerpt, passage.content):
            return index, *span
    return None
