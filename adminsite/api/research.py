"""Researches of the caller's own: plan one about a topic, change its plan, start and stop it, read its page."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from adminsite.api.caller import program
from adminsite.api.fields import AudienceJson, FiltersField, FormSerializer, GivenSerializer, TextField, choice_error
from adminsite.api.pagination import Pages
from adminsite.api.serializers import CitationJson, ErrorJson
from adminsite.api.throttling import ScopedThrottle
from core import api
from core.models import AuthToken
from core.programs import research, research_json
from core.programs.asking import Program
from core.quality.reports.research import ResearchGrouping, ResearchRow
from core.values.research import (
    MOST_MINUTES,
    MOST_QUESTIONS,
    Budget,
    Outcome,
    PlannedQuestion,
    ResearchState,
    StopReason,
)

_STATES = [(each.value, each.name) for each in ResearchState]
_REASONS = [(each.value, each.name) for each in StopReason]
_OUTCOMES = [(each.value, each.name) for each in Outcome]
_GROUPINGS = [(by.value, by.value) for by in ResearchGrouping]
_MARKDOWN, _DOCX = "markdown", "docx"
_FORMS = [(_MARKDOWN, _MARKDOWN), (_DOCX, _DOCX)]
_TYPES = {
    _MARKDOWN: ("text/markdown; charset=utf-8", "md"),
    _DOCX: ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
}
_ERRORS = {400: ErrorJson, 404: ErrorJson}
_PLAN_EXAMPLE = OpenApiExample(
    "A topic",
    value={"topic": "How our travel rules changed since 2023", "filters": {"collection": "Handbook"}},
    request_only=True,
)


class TopicRequest(GivenSerializer):
    """A topic."""

    topic = TextField(allow_blank=True, help_text="3 to 1,000 characters of text.")
    filters = FiltersField(required=False, allow_null=True)


class PlannedQuestionRequest(GivenSerializer):
    """A question of a plan."""

    question_id = serializers.UUIDField(
        required=False, allow_null=True, help_text="Of a question that is in the plan: it keeps its filters."
    )
    heading = TextField(allow_blank=True, default="", help_text="Of the section that its answer goes into.")
    text = TextField(allow_blank=True, help_text="3 to 1,000 characters of text.")


class PlanRequest(GivenSerializer):
    """The questions of a plan, in their order."""

    questions = PlannedQuestionRequest(many=True, help_text=f"1 to {MOST_QUESTIONS}.")


class StartRequest(GivenSerializer):
    """The limits of a research. One that is reached stops it, and what was found is kept."""

    most_minutes = serializers.IntegerField(
        required=False, default=Budget().most_minutes, min_value=1, max_value=MOST_MINUTES
    )
    most_usd = serializers.DecimalField(
        required=False,
        allow_null=True,
        default=None,
        max_digits=10,
        decimal_places=4,
        help_text="Of the answer model; more than 0. Without it only the budgets that an administrator set count.",
    )

    def validate_most_usd(self, given: Any) -> Any:
        """Check that something may be spent."""
        if given is not None and given <= 0:
            raise serializers.ValidationError("This must be more than 0.")
        return given


class DocumentRequest(GivenSerializer):
    """The form of a document."""

    form = serializers.ChoiceField(_FORMS, default=_MARKDOWN, error_messages=choice_error(_FORMS))


class ResearchesRequest(GivenSerializer):
    """A page of the list."""

    page = serializers.IntegerField(required=False, min_value=1)
    page_size = serializers.IntegerField(required=False, min_value=1)


class ResearchReportRequest(GivenSerializer):
    """The groups and days of a report on researches."""

    by = serializers.ChoiceField(
        _GROUPINGS, default=ResearchGrouping.MONTH.value, error_messages=choice_error(_GROUPINGS)
    )
    since = serializers.DateField(required=False, help_text="The first day. Default: 29 days before the last.")
    until = serializers.DateField(required=False, help_text="The last day, included. Default: today.")


class ResearchRowJson(FormSerializer):
    """The figures of one month or person."""

    form = ResearchRow
    key = serializers.CharField(help_text="Such as 2026-11, or a person's id.")
    minutes = serializers.FloatField(help_text="From start to end, of those that have ended.")


class ResearchReportJson(serializers.Serializer[Any]):
    """The researches that were planned in some days and are still there, in figures."""

    since = serializers.DateField()
    until = serializers.DateField()
    by = serializers.CharField()
    rows = ResearchRowJson(many=True, help_text="Months in their order; of people who planned the most first.")


class ResearchBudgetJson(FormSerializer):
    """The limits of a research."""

    form = research_json.ResearchBudgetJson


class EstimateJson(FormSerializer):
    """Estimates what the plan will take, by what the person's own last questions took."""

    form = research_json.EstimateJson
    cost_usd = serializers.FloatField(allow_null=True, help_text="Null where the model's price is not known.")


class ResearchProgressJson(FormSerializer):
    """Tells how far a research is, and what it took."""

    form = research_json.ResearchProgressJson
    seconds = serializers.IntegerField(help_text="Rounded up.")


class ResearchQuestionJson(FormSerializer):
    """A question of the plan, and what came of it."""

    form = research_json.ResearchQuestionJson
    filters = serializers.DictField(help_text="What its search is narrowed to.")
    outcome = serializers.ChoiceField(
        _OUTCOMES, help_text="quoted: no answer, but the words of the section that it asks about."
    )
    request_id = serializers.CharField(
        allow_null=True, help_text="Of its stored result, as `queries/REQUEST_ID` has it; null before it is asked."
    )


class ProvenSentenceJson(FormSerializer):
    """A sentence that was verified, and the numbers of the citations that prove it."""

    form = research_json.ProvenSentenceJson
    citations = serializers.ListField(child=serializers.IntegerField(), min_length=1)


class ParagraphJson(FormSerializer):
    """Holds the sentences that one question brought."""

    form = research_json.ParagraphJson
    outcome = serializers.ChoiceField(_OUTCOMES)
    sentences = ProvenSentenceJson(many=True)
    confidence_level = serializers.CharField(allow_null=True, help_text="Of an answer; null for a quotation.")
    document_name = serializers.CharField(allow_null=True, help_text="Of the one document that it is all from.")


class ResearchSectionJson(FormSerializer):
    """A section of the page."""

    form = research_json.ResearchSectionJson
    paragraphs = ParagraphJson(many=True)


class UnprovenJson(FormSerializer):
    """A question that nothing the caller may read was sure enough to answer."""

    form = research_json.UnprovenJson
    was_asked = serializers.BooleanField(help_text="False: the research ended before.")
    closest = serializers.ListField(
        child=serializers.IntegerField(), help_text="The numbers of the citations that come nearest."
    )


class DisagreementJson(FormSerializer):
    """Two citations that answer a question differently, the one to go by first."""

    form = research_json.DisagreementJson
    citations = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)


class ResearchPageJson(FormSerializer):
    """Holds the page of a research, as the caller may see it now."""

    form = research_json.ResearchPageJson
    sections = ResearchSectionJson(many=True)
    unproven = UnprovenJson(many=True)
    disagreements = DisagreementJson(many=True)
    citations = CitationJson(many=True, help_text="Numbered from 1, in the order of the page.")


class ResearchJson(FormSerializer):
    """A research with its plan, its progress and its page."""

    form = research_json.ResearchJson
    state = serializers.ChoiceField(_STATES)
    stop_reason = serializers.ChoiceField(
        _REASONS, allow_null=True, help_text="Why it ended before all was asked; otherwise null."
    )
    filters = serializers.DictField(help_text="As given with the topic.")
    budget = ResearchBudgetJson()
    planned_by = serializers.CharField(allow_null=True, help_text="The model that wrote the plan; null: by rules.")
    questions = ResearchQuestionJson(many=True)
    estimate = EstimateJson(allow_null=True, help_text="Of a plan that was not started; otherwise null.")
    progress = ResearchProgressJson()
    page = ResearchPageJson()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    audience = AudienceJson()


class ListedResearchJson(FormSerializer):
    """A research in the list."""

    form = research_json.ListedResearchJson
    state = serializers.ChoiceField(_STATES)
    created_at = serializers.DateTimeField()


class _Own(Sequence[Any]):
    """Pages of researches as the paginator takes them: their number, and a slice."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __len__(self) -> int:
        return research.list_own(self._program, limit=0)["count"]

    def __getitem__(self, place: Any) -> Any:
        found = research.list_own(self._program, offset=place.start, limit=place.stop - place.start)
        return found["researches"]


class ResearchListView(APIView):
    """The caller's researches."""

    token_scope = AuthToken.Scope.ASK
    throttle_scope = "ask"  # of planning, which searches and may ask a model

    def get_throttles(self) -> list[BaseThrottle]:
        """Return what counts a request: planning counts as asking does."""
        return [ScopedThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="list_researches",
        parameters=[ResearchesRequest],
        responses={200: ListedResearchJson(many=True), **_ERRORS},
    )
    def get(self, request: Request) -> Response:
        """A page of the caller's researches, the newest first. Nobody else sees them."""
        _read(ResearchesRequest, request.query_params.dict())
        pages = Pages()
        own: Any = _Own(program(request))
        rows: Any = pages.paginate_queryset(own, request, view=self)
        return pages.get_paginated_response(rows)

    @extend_schema(
        operation_id="plan_research",
        request=TopicRequest,
        responses={201: ResearchJson, **_ERRORS, 429: ErrorJson, 503: ErrorJson},
        examples=[_PLAN_EXAMPLE],
    )
    def post(self, request: Request) -> Response:
        """Propose a plan for a topic. Nothing is asked before it is started."""
        given = _read(TopicRequest, request.data)
        filters = api.parse_filters(given.get("filters"))
        return Response(research.plan(program(request), given["topic"], filters=filters), status=201)


class ResearchView(APIView):
    """One research of the caller's own."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="get_research", responses={200: ResearchJson, 404: ErrorJson})
    def get(self, request: Request, research_id: UUID) -> Response:
        """Return its plan, how far it is, and its page, as the caller may see them now."""
        return Response(research.read(program(request), research_id))

    @extend_schema(operation_id="delete_research", request=None, responses={204: None, 404: ErrorJson})
    def delete(self, request: Request, research_id: UUID) -> Response:
        """Delete it, and erase the texts of its questions and answers."""
        research.delete(program(request), research_id)
        return Response(status=204)


class ResearchPlanView(APIView):
    """The plan of a research."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="change_research_plan", request=PlanRequest, responses={200: ResearchJson, **_ERRORS})
    def put(self, request: Request, research_id: UUID) -> Response:
        """Replace the questions of a plan, in their order. Not possible once it was started."""
        given = _read(PlanRequest, request.data)
        questions = [PlannedQuestion(**one) for one in given["questions"]]
        return Response(research.change_plan(program(request), research_id, questions))


class ResearchStartView(APIView):
    """The start of a research."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="start_research", request=StartRequest, responses={200: ResearchJson, **_ERRORS})
    def post(self, request: Request, research_id: UUID) -> Response:
        """Let the questions of the plan be asked, one after the other. Starting it again changes nothing."""
        budget = Budget(**_read(StartRequest, request.data))
        return Response(research.start(program(request), research_id, budget))


class ResearchStopView(APIView):
    """The end of a research that its asker wants no more of."""

    token_scope = AuthToken.Scope.ASK

    @extend_schema(operation_id="stop_research", request=None, responses={204: None, 404: ErrorJson})
    def post(self, request: Request, research_id: UUID) -> Response:
        """Stop it. What was found is kept; one that has ended, or was not started, is as it was."""
        research.stop(program(request), research_id)
        return Response(status=204)


class ResearchDocumentView(APIView):
    """The page of a research as a document."""

    token_scope = AuthToken.Scope.ASK

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose how an error is written. A document comes in its own form, whatever the request accepts."""
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(
        operation_id="get_research_document",
        parameters=[DocumentRequest],
        responses={
            (200, "text/markdown"): OpenApiTypes.STR,
            (200, _TYPES[_DOCX][0]): OpenApiTypes.BINARY,
            **_ERRORS,
        },
    )
    def get(self, request: Request, research_id: UUID) -> HttpResponse:
        """Download the page as the caller may see it now, as Markdown or for Word. Its citations open the sources."""
        form = _read(DocumentRequest, request.query_params.dict())["form"]
        written = research.write(program(request), research_id, form=form)
        kind, ending = _TYPES[form]
        name = f"research-{timezone.localdate():%Y-%m-%d}.{ending}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(written, content_type=kind, headers=headers)


def _read(form: type[GivenSerializer], given: Any) -> dict[str, Any]:
    read = form(data=given)
    read.is_valid(raise_exception=True)
    return dict(read.validated_data)
