"""Answers and what people thought of them. Their text follows the rule of access, for administrators as well."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import ChoicesDropdownFilter, RangeDateTimeFilter
from unfold.decorators import action, display

from adminsite.admin.agent_steps import AgentStepInline, mode_in_words, reasons_in_words
from adminsite.admin.base import (
    AuditedReading,
    ReadOnlyAdmin,
    ReadOnlyInline,
    no_text,
    readable_result,
    viewer,
)
from adminsite.admin.conversation.links import url_of
from adminsite.admin.conversation.words import REASONS
from adminsite.admin.old_lists import lead_to_questions
from adminsite.admin.question_lists import ShowsQuestions
from adminsite.admin.question_texts import may_read_questions
from adminsite.admin.verified_answers import take_over_url
from adminsite.figures import score_bar
from core import types
from core.asking.verified_answers.editing import may_manage
from core.asking.verified_answers.wording import describe_verification
from core.language.wording import write_disagreement
from core.models import Answer, Citation, Feedback

LEVEL_LABELS = {"high": "success", "medium": "info", "low": "warning", "insufficient": "danger"}


class CitationInline(ReadOnlyInline):
    """The verified quotes of an answer, or its closest passages, those that the viewer may read."""

    model = Citation
    fields = (
        "number",
        "show_document",
        "page_number",
        "show_section",
        "is_recognised",
        "show_quote",
        "show_relevance",
    )
    shown: Mapping[UUID | None, types.Citation] = MappingProxyType({})

    def get_formset(self, request: HttpRequest, obj: Answer | None = None, **kwargs: Any) -> Any:
        """Note which citations of the answer the viewer is shown; an inline is made anew for each request."""
        result = getattr(obj, "readable", None)
        shown = result.citations if isinstance(result, types.Answer) else result.closest if result else ()
        self.shown = {citation.citation_id: citation for citation in shown}
        return super().get_formset(request, obj, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Citation]:
        """Return those that are shown."""
        rows: QuerySet[Citation] = super().get_queryset(request)
        return rows.filter(pk__in=list(self.shown))

    @display(description="Document name")
    def show_document(self, citation: Citation) -> str:
        """Name the document, as it was called when it was cited."""
        return self.shown[citation.pk].document_name

    @display(description="Section")
    def show_section(self, citation: Citation) -> str:
        """Name the section."""
        return self.shown[citation.pk].section or "–"

    @display(description="Quoted excerpt")
    def show_quote(self, citation: Citation) -> str:
        """Show the words that are quoted."""
        return self.shown[citation.pk].quoted_excerpt

    @display(description="Relevance")
    def show_relevance(self, citation: Citation) -> SafeString | str:
        """Draw how well the cited chunk fits the question."""
        return score_bar(citation.relevance_score)


@admin.register(Answer)
class AnswerAdmin(AuditedReading, ReadOnlyAdmin):
    """The page of an answer for who may not look at questions: figures, and the text if they may read what it cites.

    Viewers of questions see it at its question.
    """

    actions_detail = ("take_over",)
    fields: ClassVar = (
        "show_request",
        "show_text",
        "refusal_reason",
        "show_confidence",
        "show_level",
        "show_verified",
        "citation_count",
        "model_provider",
        "model",
        "show_mode",
        "agent_steps",
        "show_dropped",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "processing_time_ms",
        "trace_id",
        "created_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Answer]:
        """Return answers with their number of citations."""
        rows = super().get_queryset(request).select_related("query__log")
        return rows.annotate(cited=Count("citations", filter=Q(answer_text__isnull=False)))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Lead to the list of questions."""
        return lead_to_questions(self, request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the answer; for viewers of questions the way to its question."""
        answer = self.get_object(request, object_id)
        if answer is not None and request.method != "POST" and may_read_questions(request):
            return HttpResponseRedirect(url_of(answer.query))
        return super().change_view(request, object_id, form_url, extra_context)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Answer | None:
        """Return one answer, with the result that the viewer may see."""
        answer: Answer | None = super().get_object(request, object_id, from_field)
        if answer is not None:
            answer.readable = readable_result(request, answer.query)  # type: ignore[attr-defined]
        return answer

    def shows_text_of_another(self, request: HttpRequest, row: Answer) -> bool:
        """Return True if the row has another person's answer whose citations the viewer may read."""
        return getattr(row, "readable", None) is not None and row.query.user_id != viewer(request).pk

    def get_inlines(self, request: HttpRequest, obj: Answer | None) -> list[type[ReadOnlyInline]]:
        """Quotes only where the answer may be read: they are words of documents."""
        return [CitationInline, AgentStepInline] if getattr(obj, "readable", None) else [AgentStepInline]

    def has_take_over_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        """Return True if the viewer may write verified answers."""
        return may_manage(request.user)

    @action(description="Take over as verified answer", permissions=["take_over"], icon="verified")
    def take_over(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Return the form with this answer and its sources."""
        answer = self.get_object(request, object_id)
        return HttpResponseRedirect(take_over_url(answer.query if answer else None))

    @display(description="Verified")
    def show_verified(self, answer: Answer) -> str:
        """Say by whom and when it was verified, where it was given from a verified answer."""
        return describe_verification(answer.verification) if answer.verification else "–"

    @display(description="Request", ordering="query__request_id")
    def show_request(self, answer: Answer) -> str:
        """Return the request's id."""
        return answer.query.request_id

    @display(description="Answer")
    def show_text(self, answer: Answer) -> str:
        """Return the text, if the viewer may read it."""
        result = getattr(answer, "readable", None)
        if result is None:
            return no_text(answer.query)
        if isinstance(result, types.Refusal):
            return str(result.message)
        disagreeing = "\n".join(write_disagreement(result.contradiction)) if result.contradiction else ""
        parts = (result.text, result.message, disagreeing)
        return "\n\n".join(part for part in parts if part)

    @display(description="Level", label=LEVEL_LABELS, ordering="confidence")
    def show_level(self, answer: Answer) -> str:
        """Return the confidence in words."""
        return answer.confidence_level

    @display(description="Confidence", ordering="confidence")
    def show_confidence(self, answer: Answer) -> SafeString | str:
        """Return the probability that the answer is supported."""
        return score_bar(answer.confidence)

    @display(description="Agent mode")
    def show_mode(self, answer: Answer) -> str:
        """Say who led, the model or the code, and why."""
        return mode_in_words(answer)

    @display(description="Dropped statements")
    def show_dropped(self, answer: Answer) -> str:
        """Count the statements that verification dropped, by reason."""
        return reasons_in_words(answer)

    @display(description="Citations", ordering="cited")
    def citation_count(self, answer: Answer) -> int:
        """Return the number of verified quotes that support the answer."""
        return int(getattr(answer, "cited", 0))


def _read_whole(request: HttpRequest, answer: Answer) -> types.Answer | types.Refusal | None:
    """Return a question's result if the viewer may read all of it, each of the closest passages included."""
    result = readable_result(request, answer.query)
    if isinstance(result, types.Refusal) and len(result.closest) < answer.citations.count():
        return None
    return result


class ReasonFilter(admin.SimpleListFilter):
    """Verdicts by a reason that was ticked, with how many have it among those that the other filters leave."""

    title = "reason"
    parameter_name = "reason"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Return every reason, in words."""
        return list(REASONS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Feedback]) -> QuerySet[Feedback]:
        """Return verdicts with the chosen reason."""
        return queryset.filter(reasons__contains=[self.value()]) if self.value() in REASONS else queryset


@admin.register(Feedback)
class FeedbackAdmin(ShowsQuestions, AuditedReading, ReadOnlyAdmin):
    """Verdicts. A comment may repeat the answer's words, so it follows the answer's rule."""

    when_empty = "Nobody has voted yet. The buttons are below each answer in Slack and on the local page."

    question_path = "answer__query"
    list_display = ("show_question", "user", "show_verdict", "show_reasons", "updated_at")
    list_filter = (("verdict", ChoicesDropdownFilter), ReasonFilter, ("updated_at", RangeDateTimeFilter))
    show_facets = admin.ShowFacets.ALWAYS
    list_filter_submit = True
    list_select_related = ("user", "answer__query")
    search_fields = ("=answer__query__request_id", "user__email")
    ordering = ("-updated_at",)
    fields = ("show_request", "user", "show_verdict", "show_reasons", "show_comment", "created_at", "updated_at")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Feedback | None:
        """Return one verdict, marked with whether the viewer may read its answer."""
        feedback: Feedback | None = super().get_object(request, object_id, from_field)
        if feedback is not None:
            feedback.readable = _read_whole(request, feedback.answer)  # type: ignore[attr-defined]
        return feedback

    def shows_text_of_another(self, request: HttpRequest, row: Feedback) -> bool:
        """Return True for somebody else's comment, where the viewer may read what it is about."""
        is_shown = getattr(row, "readable", None) is not None and bool(row.comment)
        return is_shown and row.user_id != viewer(request).pk

    @display(description="Request", ordering="answer__query__request_id")
    def show_request(self, feedback: Feedback) -> str:
        """Return the id of the request that the feedback is about."""
        return feedback.answer.query.request_id

    @display(description="Verdict", label={"up": "success", "down": "danger"}, ordering="verdict")
    def show_verdict(self, feedback: Feedback) -> str:
        """Return the verdict: up or down."""
        return feedback.verdict

    @display(description="Reasons")
    def show_reasons(self, feedback: Feedback) -> str:
        """Return the reasons that were ticked."""
        return ", ".join(REASONS.get(reason, reason) for reason in feedback.reasons) or "–"

    @display(description="Comment")
    def show_comment(self, feedback: Feedback) -> Any:
        """Return the person's comment, if the viewer may read the answer."""
        return (feedback.comment or "–") if getattr(feedback, "readable", None) else no_text(feedback.answer.query)
