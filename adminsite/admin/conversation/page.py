"""The list of conversations, and the page of one."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin, record
from adminsite.admin.conversation.acts import acknowledge
from adminsite.admin.conversation.asking import (
    ask_as,
    may_ask_again,
    may_ask_as_another,
    may_see_as_asker,
    replay,
    see_as_asker,
)
from adminsite.admin.conversation.links import read_id
from adminsite.admin.conversation.question_view import QuestionView, view_question
from adminsite.admin.conversation.reading import Rights, read_rows, select_questions
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.admin.question_texts import may_read_questions
from core.models import AuditEvent, ChannelSetting, Conversation, Query

QUESTIONS_PER_PAGE = 10
ACTS: dict[str, Callable[[HttpRequest, Query], HttpResponse]] = {
    "acknowledge": acknowledge,
    "replay": replay,
    "ask_as": ask_as,
    "see_as_asker": see_as_asker,
}


@admin.register(Conversation)
class ConversationAdmin(ShowsQuestions, ReadOnlyAdmin):
    """Conversations, the last asked first. Who may look at questions may look at them where they were asked."""

    when_empty = "Nobody has asked anything yet. The questions of a Slack thread or of a client stand together here."
    change_form_template = "adminsite/conversation.html"
    list_display = ("show_question", "show_asked", "show_origin", "user", "updated_at")
    list_filter = (("origin", ChoicesDropdownFilter), "is_active", ("updated_at", RangeDateTimeFilter))
    list_filter_submit = True
    list_select_related = ("user",)
    search_fields = ("user__email",)
    ordering = ("-updated_at",)
    fields = ("created_at",)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may look at questions."""
        return may_read_questions(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As the list."""
        return self.has_view_permission(request)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, with how many questions its conversations have: counted for those on the page alone."""
        changelist = super().get_changelist_instance(request)
        asked = Query.objects.filter(conversation__in=[row.pk for row in changelist.result_list]).order_by()
        counts = dict(asked.values_list("conversation").annotate(Count("pk")))
        for row in changelist.result_list:
            row.asked = counts.get(row.pk, 0)
        return changelist

    def about(self, questions: QuerySet[Query]) -> Q:
        """Filter for the conversations that have one of these questions."""
        return Q(pk__in=questions.values("conversation"))

    def get_urls(self) -> list[Any]:
        """The pages of conversations, with what their buttons do."""
        act = path("<uuid:pk>/act/", self.admin_site.admin_view(self.act_view), name="core_conversation_act")
        return [act, *super().get_urls()]

    def act_view(self, request: HttpRequest, pk: UUID) -> HttpResponse:
        """Do what a button at a question says."""
        act = ACTS.get(request.POST.get("act", ""))
        if request.method != "POST" or act is None or not self.has_view_permission(request):
            raise PermissionDenied
        return act(request, _find_question(pk, request.POST.get("question", "")))

    def find_questions(self, rows: Iterable[Any]) -> dict[Any, Query | None]:
        """The first question of each conversation."""
        asked = Query.objects.filter(conversation__in=[row.pk for row in rows])
        first = asked.order_by("conversation", "created_at", "pk").distinct("conversation")
        return {query.conversation_id: query for query in first}

    @display(description="Questions")
    def show_asked(self, conversation: Any) -> int:
        """Return the number of questions asked."""
        return int(conversation.asked)

    @display(description="Asked through", ordering="origin")
    def show_origin(self, conversation: Conversation) -> str:
        """Slack, REST, MCP or the command line."""
        return conversation.get_origin_display()

    def render_change_form(self, request: HttpRequest, *args: Any, obj: Any = None, **options: Any) -> HttpResponse:
        """The page of a conversation. Each look at what others wrote is recorded, with the questions that it showed."""
        context, *others = args
        page, told = _read_page(request, obj)
        shown = [one.query.request_id for one in told if one.shows_another]
        with transaction.atomic():
            if shown:
                record(request, AuditEvent.Action.READ_TEXT, obj, questions=shown)
        described = {
            **context,
            "title": str(obj).capitalize(),
            "origin": obj.get_origin_display(),
            "conversation": obj,
            "place": _name_place(obj),
            "page": page,
            "questions": told,
            "rights": Rights.of(request),
            "may_ask_again": may_ask_again(request),
            "may_see_as_asker": may_see_as_asker(request),
            "may_ask_as_another": may_ask_as_another(request),
        }
        return super().render_change_form(request, described, *others, obj=obj, **options)


def _read_page(request: HttpRequest, conversation: Conversation) -> tuple[Page[Query], list[QuestionView]]:
    """The questions of one page: the one that the address names, or the one with the question that it names."""
    rights = Rights.of(request)
    asked = Query.objects.filter(conversation=conversation)
    paginator = Paginator(select_questions(asked), QUESTIONS_PER_PAGE)
    number = _page_of(asked, request.GET.get("question", "")) or request.GET.get("page", "1")
    page = paginator.get_page(number)
    queries = list(page.object_list)
    rows = read_rows(request, queries, rights)
    return page, [view_question(request, query, rows, rights) for query in queries]


def _find_question(conversation: UUID, question: str) -> Query:
    """A question of a conversation; Http404 where there is none."""
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


def _name_place(conversation: Conversation) -> str:
    """Return the Slack channel of a conversation, by its name where that is known."""
    if not conversation.slack_channel:
        return ""
    named = ChannelSetting.objects.filter(team_id=conversation.slack_team, channel_id=conversation.slack_channel)
    name = named.values_list("name", flat=True).first()
    return f"#{name}" if name else conversation.slack_channel
