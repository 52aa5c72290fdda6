"""The page of a conversation: the questions before and after one, and all of each."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path

from adminsite.admin.base import ReadOnlyAdmin, record
from adminsite.admin.conversation.asking import (
    ask_as,
    may_ask_again,
    may_ask_as_another,
    may_see_as_asker,
    replay,
    see_as_asker,
)
from adminsite.admin.conversation.links import name_places, name_way, read_id, url_of
from adminsite.admin.conversation.question_view import QuestionView, view_question
from adminsite.admin.conversation.reading import Rights, read_rows, select_questions
from adminsite.admin.old_lists import lead_to_questions
from adminsite.admin.quality import acknowledge_alerts, may_acknowledge
from adminsite.admin.question_texts import may_read_questions
from core.asking.verified_answers.editing import may_manage
from core.models import Alert, AuditEvent, Conversation, Query

QUESTIONS_PER_PAGE = 10


def acknowledge(request: HttpRequest, query: Query) -> HttpResponseRedirect:
    """Acknowledge an alert about a question, and come back to the question."""
    if not may_acknowledge(request):
        raise PermissionDenied
    pk = read_id(request.POST.get("alert", ""))
    alerts = Alert.objects.filter(evaluation__query_log__query=query)
    if pk and acknowledge_alerts(request, alerts.filter(pk=pk)):
        messages.success(request, "The alert is acknowledged.")
    else:
        messages.warning(request, "The alert was acknowledged before.")
    return HttpResponseRedirect(url_of(query))


ACTS: dict[str, Callable[[HttpRequest, Query], HttpResponse]] = {
    "acknowledge": acknowledge,
    "replay": replay,
    "ask_as": ask_as,
    "see_as_asker": see_as_asker,
}


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """The pages of conversations. Who may look at questions may look at them where they were asked."""

    change_form_template = "adminsite/conversation.html"
    fields = ("created_at",)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may look at questions."""
        return may_read_questions(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Return True as for the list."""
        return self.has_view_permission(request)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Lead to the list of questions, each of which leads to its conversation."""
        return lead_to_questions(self, request)

    def get_urls(self) -> list[Any]:
        """Return the pages of conversations, with what their buttons do."""
        act = path("<uuid:pk>/act/", self.admin_site.admin_view(self.act_view), name="core_conversation_act")
        return [act, *super().get_urls()]

    def act_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what a button at a question says."""
        act = ACTS.get(request.POST.get("act", ""))
        if request.method != "POST" or act is None or not self.has_view_permission(request):
            raise PermissionDenied
        return act(request, _find_question(pk, request.POST.get("question", "")))

    def render_change_form(self, request: HttpRequest, *args: Any, obj: Any = None, **options: Any) -> HttpResponse:
        """Show a conversation. Each look at what others wrote is recorded, with the questions that it showed."""
        context, *others = args
        page, told = _read_page(request, obj)
        shown = [one.query.request_id for one in told if one.shows_another]
        with transaction.atomic():
            if shown:
                record(request, AuditEvent.Action.READ_TEXT, obj, questions=shown)
        described = {
            **context,
            "title": str(obj),
            "subtitle": None,  # Django's is the same
            "conversation": obj,
            "way": name_way(obj, name_places([obj]).get(obj.pk, "")),
            "page": page,
            "questions": told,
            "rights": Rights.of(request),
            "may_take_over": may_manage(request.user),
            "may_ask_again": may_ask_again(request),
            "may_see_as_asker": may_see_as_asker(request),
            "may_ask_as_another": may_ask_as_another(request),
        }
        return super().render_change_form(request, described, *others, obj=obj, **options)


def _read_page(request: HttpRequest, conversation: Conversation) -> tuple[Page[Query], list[QuestionView]]:
    """Return the questions of one page: the one that the address names, or the one with the question that it names."""
    rights = Rights.of(request)
    asked = Query.objects.filter(conversation=conversation)
    paginator = Paginator(select_questions(asked), QUESTIONS_PER_PAGE)
    number = _page_of(asked, request.GET.get("question", "")) or request.GET.get("page", "1")
    page = paginator.get_page(number)
    queries = list(page.object_list)
    rows = read_rows(request, queries, rights)
    return page, [view_question(request, query, rows, rights) for query in queries]


def _find_question(conversation: UUID, question: str) -> Query:
    """Return a question of a conversation; Http404 where there is none."""
    pk = read_id(question)
    query = Query.objects.filter(conversation=conversation, pk=pk).first() if pk else None
    if query is None:
        raise Http404
    return query


def _page_of(asked: QuerySet[Query], question: str) -> int | None:
    """Return the page of a question; None for one that is not of this conversation."""
    pk = read_id(question)
    query = asked.filter(pk=pk).first() if pk else None
    if query is None:
        return None
    before = Q(created_at__lt=query.created_at) | Q(created_at=query.created_at, pk__lt=query.pk)
    return asked.filter(before).count() // QUESTIONS_PER_PAGE + 1
