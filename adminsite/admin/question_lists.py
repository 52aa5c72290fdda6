"""List rows about questions: named by the words of the question, found by them, linked to its page.

All of it goes by the one rule of who may read a question's words (question_texts.py), the search included: a word that
only a forbidden question has finds nothing.
"""

from collections.abc import Iterable
from functools import reduce
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import Truncator
from unfold.decorators import display

from adminsite.admin.base import DeclaredChangeList, viewer
from adminsite.admin.conversation.links import url_of
from adminsite.admin.question_texts import (
    UNREADABLE,
    is_of_another,
    may_read_questions,
    readable_questions,
    words_of,
)
from core.models import AuditEvent, Query

NOT_KEPT = "No question is kept here"  # refused before it was stored, deleted, or not asked yet
LONGEST_SHOWN = 140  # characters of a question in a list
MOST_WORDS = 10  # of what is searched for


class QuestionChangeList(DeclaredChangeList):
    """A list that leads to the page of the conversation, for those who may open it."""

    def url_for_result(self, result: Any) -> str:
        """Return the address of a row's question; of the row's own page if the viewer may not look at questions."""
        query: Query | None = getattr(result, "question", None)
        if query is not None and self.model_admin.leads_to_question and result.may_open_question:
            return url_of(query)
        return str(super().url_for_result(result))


class ShowsQuestions:
    """Stands before the page's base."""

    question_path = ""  # the lookup from a row to its question; empty where the row is the question
    leads_to_question = True  # or to the row's own page, where that says more about the row

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """The list that leads to questions."""
        return QuestionChangeList

    def find_questions(self, rows: Iterable[Any]) -> dict[Any, Query | None]:
        """The question of each row, by the row's key. The list has loaded them with its rows."""
        names = self.question_path.split("__") if self.question_path else []
        return {row.pk: reduce(lambda one, name: getattr(one, name, None), names, row) for row in rows}

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """The list, each row with its question as the viewer may see it."""
        changelist: ChangeList = super().get_changelist_instance(request)  # type: ignore[misc]
        rows = changelist.result_list = list(changelist.result_list)
        questions, may_open = self.find_questions(rows), may_read_questions(request)
        for row in rows:
            row.question, row.may_open_question = questions.get(row.pk), may_open
            row.question_words = words_of(request, row.question) if row.question else NOT_KEPT
            row.shows_another = row.question is not None and is_of_another(request, row.question)
        return changelist

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list. That it showed questions of others is recorded, with how many."""
        response: HttpResponse = super().changelist_view(request, extra_context)  # type: ignore[misc]
        context = getattr(response, "context_data", None) or {}
        shown = sum(row.shows_another for row in context["cl"].result_list) if "cl" in context else 0
        if shown:
            AuditEvent.objects.create(
                actor=viewer(request),
                action=AuditEvent.Action.READ_TEXT,
                object_type=str(self.opts.model_name),  # type: ignore[attr-defined]
                details={"questions": shown},
            )
        return response

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Add to the declared search rows about questions that have the words and that the viewer may read."""
        found, has_duplicates = super().get_search_results(request, queryset, search_term)  # type: ignore[misc]
        if not search_term.strip() or _is_suggesting(request):
            return found, has_duplicates
        said = self.about(search_questions(request, search_term).order_by())
        return queryset.filter(Q(pk__in=found.order_by().values("pk")) | said), False

    def about(self, questions: QuerySet[Query]) -> Q:
        """Filter for the rows that are about these questions."""
        return Q(**{f"{self.question_path or 'pk'}__in": questions.values("pk")})

    @display(description="Question")
    def show_question(self, row: Any) -> str:
        """Return the question, or a note that the viewer may not read it."""
        return Truncator(getattr(row, "question_words", UNREADABLE)).chars(LONGEST_SHOWN)


def search_questions(request: HttpRequest, words: str) -> QuerySet[Query]:
    """The questions that have all of these words, of those alone that the viewer may read."""
    parts = [Q(question_text__icontains=word) for word in words.split()[:MOST_WORDS]]
    return readable_questions(request).filter(*parts)


def _is_suggesting(request: HttpRequest) -> bool:
    """Return True if rows are suggested in a form: nothing is recorded there, so that no text is searched."""
    match = request.resolver_match
    return match is not None and match.url_name == "autocomplete"
