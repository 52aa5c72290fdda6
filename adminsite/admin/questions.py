"""The list of questions, with its filters, and where each viewer of it sees one of them."""

import datetime as dt
from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, DropdownFilter, RangeDateTimeFilter
from unfold.decorators import display

from adminsite.admin.base import ReadOnlyAdmin
from adminsite.admin.conversation.links import name_places, name_way, url_of
from adminsite.admin.conversation.words import REFUSALS, outcome_of
from adminsite.admin.old_lists import lead_to_questions
from adminsite.admin.question_figures import FIGURES_ALONE
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.admin.question_texts import may_read_questions
from adminsite.figures import score_bar, time_in_words
from core.models import Answer, Query, QueryLog
from core.types import FINAL_STATES, NOBODY_ASKED, QueryState

_ANSWERED = Q(answer__refusal_reason="")
_ENDS = {
    "answered": ("Answered", _ANSWERED),
    "unanswered": ("No answer, for any reason", Q(answer__isnull=False) & ~_ANSWERED),
    **{reason.value: (words, Q(answer__refusal_reason=reason)) for reason, words in REFUSALS.items()},
}
_STATES = {
    "failed": ("Failed", Q(state=QueryState.FAILED)),
    "stopped": ("Stopped by the asker", Q(state=QueryState.STOPPED)),
    "open": ("No end yet", ~Q(state__in=FINAL_STATES)),
}
_BY_NOBODY = Q(conversation__origin__in=NOBODY_ASKED)
_KINDS = {kind: kind for kind in ("success", "info", "warning", "danger", "default")}
_RIGHTS = {"answer": "core.view_answer", "log": "core.view_querylog"}  # to the rows of a question


class AskedByFilter(DropdownFilter):
    """By whether a person asked. At first the list leaves out what only evaluations, rechecks and researches ask.

    An address that names such a question, by its origin or its request id, finds it all the same.
    """

    title = "who asked"
    parameter_name = "asked_by"
    all_option = ["", "People"]  # noqa: RUF012 - the base declares it so

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        """Note what else the address asks for."""
        super().__init__(request, params, model, model_admin)
        self._names_one = (
            request.GET.get("conversation__origin__exact") in NOBODY_ASKED
            or any(request.GET.get(name) for name in ("id", "id__exact", "id__in"))
            or request.GET.get("q", "").strip().startswith("req_")
        )

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Nobody, and both. That nobody asked says nothing of a person: every viewer of the list may know it."""
        return [("nobody", "Evaluations, checks of changed sources, pages about topics"), ("all", "All of these")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """Return the questions that people asked, those that nobody did, or all."""
        if self.value() == "nobody":
            return queryset.filter(_BY_NOBODY)
        if self.value() == "all" or self._names_one:
            return queryset
        return queryset.exclude(_BY_NOBODY)


class OutcomeFilter(DropdownFilter):
    """By how a question ended. What no answer says, the state, is for viewers of questions."""

    title = "outcome"
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return every outcome."""
        offered = {**_ENDS, **(_STATES if may_read_questions(request) else {})}
        return [(name, words) for name, (words, _) in offered.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """Return the questions that ended so; all of them for an outcome that is not offered."""
        offered = dict(self.lookup_choices)
        value = self.value() or ""
        return queryset.filter({**_ENDS, **_STATES}[value][1]) if value in offered else queryset


class ProviderFilter(DropdownFilter):
    """By who provides the model that answered."""

    title = "model provider"
    parameter_name = "model_provider"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return those that have answered."""
        named = Answer.objects.order_by("model_provider").values_list("model_provider", flat=True).distinct()
        return [(name, name) for name in named if name]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """Return the questions that were answered by its models."""
        return queryset.filter(answer__model_provider=self.value()) if self.value() else queryset


class ConversationFilter(DropdownFilter):
    """By whether the conversation of a question still takes further ones."""

    title = "conversation"
    parameter_name = "conversation"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Both."""
        return [("1", "Going on"), ("0", "Ended")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """Return the questions of such conversations."""
        if self.value() not in ("0", "1"):
            return queryset
        return queryset.filter(conversation__is_active=self.value() == "1")


def _figures_of(request: HttpRequest, query: Query) -> Any:
    """Return the row with a question's figures that the viewer may see: its answer, or its log; None without one."""
    rows = (getattr(query, name, None) for name, right in _RIGHTS.items() if request.user.has_perm(right))
    return next((row for row in rows if row is not None), None)


@admin.register(Query)
class QueryAdmin(ShowsQuestions, ReadOnlyAdmin):
    """Questions, for viewers of questions, of answers or of figures: each sees the columns of their rights.

    A question's own page is that of its conversation. Who may not look at questions sees the page of the answer or of
    the figures alone.
    """

    when_empty = (
        "Nobody has asked anything yet. Questions come from Slack, the local page, REST, MCP and manage.py ask. "
        'The filter "who asked" also lists what evaluations ask.'
    )
    list_after_template = "adminsite/figures_alone.html"
    list_display = (
        "show_question",
        "show_asker",
        "show_origin",
        "show_outcome",
        "show_confidence",
        "show_citations",
        "show_time",
        "show_cost",
        "show_asked",
    )
    list_filter = (
        AskedByFilter,
        OutcomeFilter,
        ("answer__confidence_level", ChoicesDropdownFilter),
        ProviderFilter,
        ("conversation__origin", ChoicesDropdownFilter),
        ("context_mode", ChoicesDropdownFilter),
        ConversationFilter,
        ("created_at", RangeDateTimeFilter),
    )
    list_filter_submit = True
    list_select_related = ("user", "conversation", "answer", "log")
    search_fields = ("=request_id", "=answer__trace_id", "user__email")
    # The right, besides that to the list, to a column, a filter or a part of the search: one of them is enough.
    needs: ClassVar[dict[Any, tuple[str, ...]]] = {
        "show_asker": ("query", "querylog"),
        "user__email": ("query", "querylog"),
        "show_origin": ("query",),
        ("conversation__origin", ChoicesDropdownFilter): ("query",),
        ("context_mode", ChoicesDropdownFilter): ("query",),
        ConversationFilter: ("query",),
        ("answer__confidence_level", ChoicesDropdownFilter): ("answer",),
        **dict.fromkeys(("show_confidence", "show_citations", "show_time", ProviderFilter), ("answer", "querylog")),
        "=answer__trace_id": ("answer", "querylog"),
        "show_cost": ("answer",),
    }

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return True if the viewer may look at questions, at answers or at figures."""
        return any(request.user.has_perm(f"core.view_{name}") for name in ("query", "answer", "querylog"))

    def has_module_permission(self, request: HttpRequest) -> bool:
        """As the list."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Query]:
        """Return all questions; for who may not look at them, those that have what the viewer may look at."""
        rows: QuerySet[Query] = super().get_queryset(request)
        if may_read_questions(request):
            return rows
        shown = [Q(**{f"{name}__isnull": False}) for name, right in _RIGHTS.items() if request.user.has_perm(right)]
        return rows.filter(reduce(or_, shown, Q(pk=None)))

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the columns of the viewer's rights."""
        return self._keep_allowed(request, super().get_list_display(request))

    def get_list_filter(self, request: HttpRequest) -> Any:
        """Return the filters of the viewer's rights: another one would tell what a column does not."""
        return self._keep_allowed(request, super().get_list_filter(request))

    def get_search_fields(self, request: HttpRequest) -> Any:
        """Return the fields that a search looks in, as far as the viewer's rights go."""
        return self._keep_allowed(request, super().get_search_fields(request))

    def _keep_allowed(self, request: HttpRequest, parts: Iterable[Any]) -> list[Any]:
        may = request.user.has_perm
        return [
            part for part in parts if part not in self.needs or any(may(f"core.view_{one}") for one in self.needs[part])
        ]

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Return the list, each row with its figures and its place as the viewer may see them."""
        changelist = super().get_changelist_instance(request)
        rows, sees_states = changelist.result_list, may_read_questions(request)
        places = name_places(row.conversation for row in rows)
        for row in rows:
            row.figures, row.place = _figures_of(request, row), places.get(row.conversation_id, "")
            row.ended = outcome_of(getattr(row, "answer", None) or row.figures, state=row.state if sees_states else "")
        return changelist

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, with the way to figures without a question. An address with a state is led to its outcome."""
        if "state__exact" in request.GET:
            return lead_to_questions(self, request)
        alone = QueryLog.objects.filter(query=None)
        is_told = request.user.has_perm(_RIGHTS["log"]) and alone.exists()
        address = f"{reverse('admin:core_querylog_changelist')}?kept={FIGURES_ALONE}"
        return super().changelist_view(request, {"figures_alone": address if is_told else "", **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Lead to where the viewer sees the question: its conversation, or its answer or figures alone."""
        query = self.get_object(request, object_id)
        if request.method == "POST":  # which the base refuses
            return super().change_view(request, object_id, form_url, extra_context)
        if query is None:
            raise Http404
        if may_read_questions(request):
            return HttpResponseRedirect(url_of(query))
        figures = _figures_of(request, query)
        return HttpResponseRedirect(reverse(f"admin:core_{figures._meta.model_name}_change", args=[figures.pk]))

    @display(description="Asked by", ordering="user")
    def show_asker(self, query: Query) -> str:
        """Return the person, where they are known."""
        return str(query.user or "–")

    @display(description="Asked", ordering="created_at")
    def show_asked(self, query: Query) -> dt.datetime:
        """When it was asked."""
        return query.created_at

    @display(description="Through", ordering="conversation__origin")
    def show_origin(self, query: Query) -> str:
        """Slack or the local page with its channel, REST, MCP or the command line."""
        return name_way(query.conversation, getattr(query, "place", ""))

    @display(description="Outcome", label=_KINDS, ordering="answer__refusal_reason")
    def show_outcome(self, query: Query) -> tuple[str, str]:
        """Answered, or the closest passages shown, or why there is no answer."""
        kind, words = query.ended  # type: ignore[attr-defined]
        return kind, words

    @display(description="Confidence", ordering="answer__confidence")
    def show_confidence(self, query: Query) -> SafeString | str:
        """Return the probability that the answer is supported."""
        return score_bar(getattr(query.figures, "confidence", None))  # type: ignore[attr-defined]

    @display(description="Citations", ordering="log__citation_count")
    def show_citations(self, query: Query) -> int:
        """Return the number of verified quotes that support the answer."""
        return query.log.citation_count if hasattr(query, "log") else 0

    @display(description="Time", ordering="answer__processing_time_ms")
    def show_time(self, query: Query) -> str:
        """Format the time that the answer took."""
        figures = query.figures  # type: ignore[attr-defined]
        if figures is None:
            return "–"
        return time_in_words(figures.response_time_ms if isinstance(figures, QueryLog) else figures.processing_time_ms)

    @display(description="US$", ordering="answer__cost_usd")
    def show_cost(self, query: Query) -> str:
        """Return the cost of the model's calls, in US dollars."""
        return f"{query.answer.cost_usd:.4f}" if hasattr(query, "answer") else "–"
