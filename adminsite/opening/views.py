"""The pages of documents: at a citation, from the beginning, as text, and the original as a download.

Access is asked at the very moment of each request. Whatever somebody may not open looks to them as what is not there.
"""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from adminsite.opening.downloads import send_original
from adminsite.opening.shown_text import show_quote, show_text
from adminsite.sign_in.readers import for_readers
from core import api
from core.access.audiences import audience_of
from core.infrastructure.public_address import read_place, write_place
from core.library.ingestion.formats import FileKind
from core.models import User
from core.values.document_views import OpenedDocument
from core.values.secrets import MASK

PDF = FileKind.PDF.value.media_type
_MASKED = MASK * 3  # the shortest secret has more characters; one alone is the sign of a list's item


@require_safe
@for_readers
def open_citation(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Show the document at the cited quote: its pages where it is a PDF, else its text."""
    opened = api.open_citation(pk, audience=audience_of([reader.pk]), viewer=reader.pk)
    return _show_document(request, reader, opened, text_at=reverse("citation-text", args=[pk]))


@require_safe
@for_readers
def read_citation(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Show the whole text, with the cited quote marked."""
    opened = api.open_citation(pk, audience=audience_of([reader.pk]), viewer=reader.pk)
    return _show_document(request, reader, opened, pages_at=reverse("citation", args=[pk]))


@require_safe
@for_readers
def open_document(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Show the document from its beginning, or at the place that the address names."""
    opened = _open_at_place(request, reader, pk)
    return _show_document(request, reader, opened, text_at=_keep_place(request, reverse("document-text", args=[pk])))


@require_safe
@for_readers
def read_document(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Show the whole text, with the words marked that the address names."""
    opened = _open_at_place(request, reader, pk)
    return _show_document(request, reader, opened, pages_at=_keep_place(request, reverse("document", args=[pk])))


@require_safe
@for_readers
def download(request: HttpRequest, reader: User, pk: UUID) -> HttpResponseBase:
    """Return the file that the document came as."""
    return send_original(request, api.find_original(pk, audience=audience_of([reader.pk])))


def _open_at_place(request: HttpRequest, reader: User, pk: UUID) -> OpenedDocument:
    return api.open_document(pk, audience=audience_of([reader.pk]), at=read_place(request.GET.get("at", "")))


def _keep_place(request: HttpRequest, address: str) -> str:
    """Return the address with the place at which the document is opened, if there is one."""
    place = read_place(request.GET.get("at", ""))
    return f"{address}?at={write_place(place)}" if place else address


def _show_document(
    request: HttpRequest, reader: User, opened: OpenedDocument, *, text_at: str = "", pages_at: str = ""
) -> HttpResponse:
    """Show a document. text_at: the address of the text, where it has pages; pages_at: that of its pages."""
    has_pages = opened.original is not None and opened.original.media_type == PDF
    shows_pages = has_pages and bool(text_at)
    context: dict[str, Any] = {
        "reader": reader,
        "opened": opened,
        "citation": opened.citation,
        "quote": show_quote(opened.citation.quoted_excerpt) if opened.citation else (),
        "source_url": opened.source_url if opened.source_url.startswith(("https://", "http://")) else "",
        "shows_pages": shows_pages,
        "text_at": text_at if has_pages else "",
        "pages_at": pages_at if has_pages else "",
        "has_masked": opened.original is not None and _has_masked(opened, shows_pages=shows_pages),
        "parts": [] if shows_pages else show_text(opened.parts),
    }
    return render(request, "adminsite/opening/document.html", context)


def _has_masked(opened: OpenedDocument, *, shows_pages: bool) -> bool:
    """Return True if passwords or keys are masked in what is shown: the quote, and the text unless pages are."""
    texts = [opened.citation.quoted_excerpt] if opened.citation else []
    texts += [] if shows_pages else [part.text for part in opened.parts]
    return any(_MASKED in text for text in texts)
