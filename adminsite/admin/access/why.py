"""Explain access: everybody who may read a document, everything that a person may read, and why one person may or not.

The first two as a list, as a picture of the paths and as CSV.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from unfold.widgets import UnfoldAdminEmailInputWidget

from adminsite.admin.access.picture import draw
from adminsite.admin.base import record
from core.access import reasons
from core.infrastructure.csv_lines import write_lines
from core.models import AuditEvent, Document, User

PER_PAGE = 100
_PLACE_READERS = {"channel": "everybody in the channel", "workspace": "everybody in the workspace", "guests": "guests"}


def may_see_why(request: HttpRequest) -> bool:
    """Return True for who may look at the lists of people, roles and documents: the page shows what these three do."""
    return all(request.user.has_perm(f"core.view_{model}") for model in ("user", "role", "document"))


def readers_page(model_admin: Any, request: HttpRequest, document: Document | None) -> HttpResponseBase:
    """Show everybody who may read a document. Http404 without one."""
    if not may_see_why(request):
        raise PermissionDenied
    if document is None:
        raise Http404
    headers = ("Person or place", "Address", "Reads it by")
    places = reasons.find_places(document)
    if "csv" in request.GET:
        record(request, AuditEvent.Action.EXPORT, document, format="csv", of="readers")
        return _download_csv(f"readers-{document.pk}.csv", headers, _list_all_readers(document, places))
    readers = Paginator(reasons.list_readers(document), PER_PAGE).get_page(request.GET.get("page"))
    streams = [
        ((s.way.through, f"role {s.way.role}", document.title), s.count) for s in reasons.count_readers(document)
    ]
    context = {
        "title": "Who may read",
        "subtitle": document.title,
        "total": f"{readers.paginator.count:,} active {'person' if readers.paginator.count == 1 else 'people'}",
        "page": readers,
        "table": {
            "headers": headers,
            "rows": [
                *([_place_row(place) for place in places] if readers.number == 1 else []),
                *_reader_rows(list(readers), document),
            ],
        },
        "picture": draw(streams),
        "pictured": "From how people hold a role, to the role, to the document. Who has two of the roles counts on "
        "both ways.",
        "back": reverse("admin:core_document_change", args=[document.pk]),
        "when_empty": "No active person may read it.",
    }
    return _render_page(model_admin, request, context)


def readable_page(model_admin: Any, request: HttpRequest, person: User | None) -> HttpResponseBase:
    """Show everything that a person may read. Http404 without one."""
    if not may_see_why(request):
        raise PermissionDenied
    if person is None:
        raise Http404
    headers = ("Document", "Collection", "Reads it by")
    if "csv" in request.GET:
        record(request, AuditEvent.Action.EXPORT, person, format="csv", of="documents")
        return _download_csv(f"documents-{person.pk}.csv", headers, _list_all_readable(person))
    documents = Paginator(reasons.list_readable(person).select_related("collection"), PER_PAGE)
    page = documents.get_page(request.GET.get("page"))
    streams = [
        ((stream.way.through, f"role {stream.way.role}", stream.target), stream.count)
        for stream in reasons.count_readable(person)
    ]
    context = {
        "title": "What they may read",
        "subtitle": str(person),
        "total": f"{documents.count:,} document{'' if documents.count == 1 else 's'}",
        "page": page,
        "table": {"headers": headers, "rows": _readable_rows(list(page), person, linked=True)},
        "picture": draw(streams),
        "pictured": "From how they hold a role, to the role, to the collection. A document that two roles may read "
        "counts on both ways.",
        "back": reverse("admin:core_user_change", args=[person.pk]),
        "when_empty": "They may read nothing: they have no role that is granted a document, or their account is "
        "inactive.",
    }
    return _render_page(model_admin, request, context)


class PersonForm(forms.Form):
    """A form for the person whose access is explained."""

    email = forms.EmailField(label="The person's e-mail address", widget=UnfoldAdminEmailInputWidget)

    def clean_email(self) -> User:
        """Return the person with that address."""
        try:
            return User.objects.get_by_natural_key(self.cleaned_data["email"])
        except User.DoesNotExist as error:
            raise forms.ValidationError("Nobody has this e-mail address.") from error


def explain_page(model_admin: Any, request: HttpRequest, document: Document | None) -> HttpResponse:
    """Show a form for a person and, once one is given, the explanation. Http404 without a document.

    The form is posted so that no e-mail address is in a URL, and so in no log.
    """
    if document is None:
        raise Http404
    form = PersonForm(request.POST or None)
    explanation = reasons.explain(form.cleaned_data["email"], document) if form.is_bound and form.is_valid() else None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": "Explain access",
        "subtitle": document.title,
        "opts": model_admin.opts,
        "document": document,
        "form": form,
        "explanation": explanation,
    }
    return TemplateResponse(request, "adminsite/explain.html", context)


def _render_page(model_admin: Any, request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    shared = {**model_admin.admin_site.each_context(request), "opts": model_admin.opts}
    return TemplateResponse(request, "adminsite/access_why.html", {**shared, **context})


def _place_row(place: reasons.Place) -> tuple[Any, ...]:
    return place.name, _PLACE_READERS[place.kind], ", ".join(place.roles)


def _reader_rows(people: Sequence[User], document: Document) -> Iterator[tuple[Any, ...]]:
    ways = reasons.find_ways(people, document)
    for person in people:
        page = reverse("admin:core_user_change", args=[person.pk])
        link = format_html('<a href="{}" class="text-link">{}</a>', page, person)
        yield link, person.email, _name_ways(ways.get(person.pk, ()))


def _name_ways(ways: Iterable[reasons.Way]) -> str:
    return ", ".join(f"{way.role} ({way.through})" for way in ways)


def _readable_rows(documents: Sequence[Document], person: User, *, linked: bool) -> list[tuple[Any, ...]]:
    roles = reasons.find_roles_to(person, documents)
    rows = []
    for document in documents:
        page = reverse("admin:core_document_change", args=[document.pk])
        title = format_html('<a href="{}" class="text-link">{}</a>', page, document.title) if linked else document.title
        rows.append((title, document.collection, ", ".join(roles.get(document.pk, ()))))
    return rows


def _list_all_readers(document: Document, places: Iterable[reasons.Place]) -> Iterator[tuple[Any, ...]]:
    yield from (_place_row(place) for place in places)
    for page in Paginator(reasons.list_readers(document), 1_000):
        people = list(page)
        ways = reasons.find_ways(people, document)
        yield from ((str(person), person.email, _name_ways(ways.get(person.pk, ()))) for person in people)


def _list_all_readable(person: User) -> Iterator[tuple[Any, ...]]:
    for page in Paginator(reasons.list_readable(person).select_related("collection"), 1_000):
        yield from _readable_rows(list(page), person, linked=False)


def _download_csv(name: str, headers: Sequence[str], rows: Iterable[Iterable[Any]]) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        write_lines(chain([headers], rows)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
