"""Define the filters of the list of questions, each for viewers who may see what it narrows by."""

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.contrib.filters.admin import DropdownFilter

from adminsite.admin.conversation.words import REFUSALS
from adminsite.admin.question_texts import may_read_questions
from core.models import Answer, Query
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


class AskedByFilter(DropdownFilter):
    """By whether a person asked. At first the list leaves out what evaluations and checks of changed sources ask.

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
        return [("nobody", "Evaluations and checks of changed sources"), ("all", "All of these")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """The questions that people asked, those that nobody did, or all."""
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
        """Every outcome."""
        offered = {**_ENDS, **(_STATES if may_read_questions(request) else {})}
        return [(name, words) for name, (words, _) in offered.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """The questions that ended so; all of them for an outcome that is not offered."""
        offered = dict(self.lookup_choices)
        value = self.value() or ""
        return queryset.filter({**_ENDS, **_STATES}[value][1]) if value in offered else queryset


class ProviderFilter(DropdownFilter):
    """By who provides the model that answered."""

    title = "model provider"
    parameter_name = "model_provider"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Those that have answered."""
        named = Answer.objects.order_by("model_provider").values_list("model_provider", flat=True).distinct()
        return [(name, name) for name in named if name]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """The questions that were answered by its models."""
        return queryset.filter(answer__model_provider=self.value()) if self.value() else queryset


class ConversationFilter(DropdownFilter):
    """By whether the conversation of a question still takes further ones."""

    title = "conversation"
    parameter_name = "conversation"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Both."""
        return [("1", "Going on"), ("0", "Ended")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Query]) -> QuerySet[Query]:
        """The questions of such conversations."""
        if self.value() not in ("0", "1"):
            return queryset
        return queryset.filter(conversation__is_active=self.value() == "1")
