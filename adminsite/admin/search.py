"""The search in the sidebar: pages, people, documents and questions, each by the rights to its list.

It replaces the theme's search, which keeps its results for five minutes: revoked rights would still find. Questions are
found by the one rule of who may read their words, and that they were shown is recorded.
"""

from collections.abc import Iterator

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import Truncator
from unfold.dataclasses import SearchResult

from adminsite.admin.base import viewer
from adminsite.admin.conversation.links import url_of
from adminsite.admin.navigation import list_pages
from adminsite.admin.question_lists import search_questions
from adminsite.admin.question_texts import is_of_another, may_read_questions
from core.models import AuditEvent, Document, Query, User

SHORTEST = 2  # characters that are searched for
LONGEST = 200
MOST = 5  # of each kind
_LONGEST_TITLE = 70


def search(request: HttpRequest) -> HttpResponse:
    """Return the results for the words in the address; nothing for a single character."""
    words = request.GET.get("s", "").replace("\0", "").strip()[:LONGEST]
    if len(words) < SHORTEST:
        return HttpResponse()
    found = [*_find_pages(request, words), *_find_people(request, words), *_find_documents(request, words)]
    found += _find_questions(request, words)
    is_palette = "extended" in request.GET
    paginator = Paginator(found, max(len(found), 1))
    context = {"results": paginator.page(1), "page_obj": paginator, "page_counter": 0, "execution_time": 0}
    name = "command_results" if is_palette else "search_results"
    return TemplateResponse(request, f"unfold/helpers/{name}.html", context, headers={"HX-Trigger": "search"})


def _find_pages(request: HttpRequest, words: str) -> Iterator[SearchResult]:
    """Yield the pages that the viewer may open, those below Advanced among them."""
    for entry, link in list_pages(request, words):
        yield SearchResult(title=link.title, description=entry.title, link=link.address, icon=entry.icon or "tune")


def _find_people(request: HttpRequest, words: str) -> Iterator[SearchResult]:
    if not request.user.has_perm("core.view_user"):
        return
    named = User.objects.filter(Q(display_name__icontains=words) | Q(email__icontains=words))
    for person in named.order_by("display_name", "email")[:MOST]:
        link = reverse("admin:core_user_change", args=[person.pk])
        yield SearchResult(title=str(person), description=person.email, link=link, icon="person")


def _find_documents(request: HttpRequest, words: str) -> Iterator[SearchResult]:
    """Find documents by title: who may see the list of documents sees all of their titles there."""
    if not request.user.has_perm("core.view_document"):
        return
    titled = Document.objects.whole().filter(title__icontains=words).order_by("title", "pk")
    for pk, title in titled.values_list("pk", "title")[:MOST]:
        link = reverse("admin:core_document_change", args=[pk])
        yield SearchResult(title=_shorten_title(title), description="Document", link=link, icon="description")


def _find_questions(request: HttpRequest, words: str) -> list[SearchResult]:
    """Find the newest questions that have all of the words, for viewers who may open their pages."""
    if not may_read_questions(request):
        return []
    said = list(search_questions(request, words).select_related("user").order_by("-created_at")[:MOST])
    shown = sum(is_of_another(request, query) for query in said)
    if shown:
        AuditEvent.objects.create(
            actor=viewer(request),
            action=AuditEvent.Action.READ_TEXT,
            object_type=Query._meta.model_name or "",
            details={"questions": shown},
        )
    return [_result_of(query) for query in said]


def _result_of(query: Query) -> SearchResult:
    who = query.user or "somebody unknown"
    told = f"Question of {who}, {query.created_at:%Y-%m-%d}"
    return SearchResult(title=_shorten_title(query.question_text), description=told, link=url_of(query), icon="help")


def _shorten_title(text: str) -> str:
    return Truncator(text).chars(_LONGEST_TITLE)
