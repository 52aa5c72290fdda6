"""The JSON of requests and responses."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from adminsite.api.fields import AudienceJson, FiltersField, FormSerializer, GivenSerializer, TextField, choice_error
from adminsite.api.result_parts import ContradictionJson, VerifiedJson
from core import serialization
from core.models import (
    BenchmarkResult,
    ContentGap,
    Document,
    EvaluationResult,
    EvaluationRun,
    Feedback,
    Query,
)
from core.models.budgets import Scope
from core.quality.reports.editions import EditionRow
from core.quality.reports.figures import ReportRow
from core.quality.reports.grouping import Grouping
from core.types import LONGEST_COMMENT, MOST_INSTEAD, FeedbackReason

TOLD = "Milliseconds, rounded up to the next 50."


class AskRequest(GivenSerializer):
    """A question."""

    question = TextField(allow_blank=True, help_text="3 to 1,000 characters of text.")
    filters = FiltersField(required=False, allow_null=True)
    selected_text = TextField(
        required=False, allow_null=True, allow_blank=True, help_text="Answer only from this text."
    )
    conversation = serializers.UUIDField(
        required=False, allow_null=True, help_text="The conversation_id of an earlier result, to follow up on it."
    )


class SearchRequest(GivenSerializer):
    """A search."""

    query = TextField(allow_blank=True, help_text="3 to 1,000 characters of text.")
    filters = FiltersField(required=False, allow_null=True)
    k = serializers.IntegerField(default=5, min_value=1, max_value=50, help_text="Largest number of passages.")


class CitationJson(FormSerializer):
    """A verified quote, and its place."""

    form = serialization.CitationJson
    statements = serializers.ListField(
        child=serializers.CharField(), help_text="The sentences of the answer that it carries."
    )


class RetrievedJson(FormSerializer):
    """A chunk that was read for the answer."""

    form = serialization.RetrievedJson


class ReadableCollectionJson(FormSerializer):
    """A collection, by those of its documents that the caller may read."""

    form = serialization.ReadableCollectionJson
    newest = serializers.DateField(allow_null=True, help_text="The latest date of these documents.")


class GuidanceJson(FormSerializer):
    """Help where there is no answer."""

    form = serialization.GuidanceJson
    collections = ReadableCollectionJson(many=True, help_text="What the caller may read.")
    questions = serializers.ListField(
        child=serializers.CharField(),
        max_length=MOST_INSTEAD,
        help_text="Questions near the one asked that would be answered, nearest first.",
    )


class ResultJson(FormSerializer):
    """An answer, or a message that says why there is none."""

    form = serialization.ResultJson
    question = serializers.CharField(
        help_text="The question as it was answered: in a conversation, as a standalone question."
    )
    filters = serializers.DictField(
        help_text="What was searched: the filters given, and those understood from the question. For a question "
        "about selected text only max_results, because filters narrow only the library."
    )
    notice = serializers.CharField(
        allow_null=True,
        help_text="For the asker alone, once a month: that a budget for language models is nearly used up.",
    )
    confidence = serializers.FloatField(min_value=0, max_value=1)
    confidence_level = serializers.CharField(help_text="high, medium, low or insufficient")
    verified = VerifiedJson(allow_null=True, help_text="Who verified the answer, if a person did.")
    citations = CitationJson(many=True)
    closest = CitationJson(
        many=True, help_text="If there is no answer: the passages that come closest, best first, at most three."
    )
    contradiction = ContradictionJson(
        allow_null=True,
        help_text=(
            "If another document that everybody may read for whom the answer is gives another value than a cited one: "
            "what both say, the one to go by first."
        ),
    )
    guidance = GuidanceJson(
        allow_null=True,
        help_text=(
            "What helps in addition to a refusal or the closest passages. Only given when a question is asked; "
            "otherwise null."
        ),
    )
    retrieved = RetrievedJson(many=True)
    processing_time_ms = serializers.IntegerField(help_text=TOLD)
    timings_ms = serializers.DictField(child=serializers.IntegerField(), help_text=TOLD)
    audience = AudienceJson()


class ConversationJson(serializers.Serializer[Any]):
    """A conversation, and whether a question can continue it."""

    conversation_id = serializers.UUIDField()
    is_active = serializers.BooleanField()


class PassageJson(FormSerializer):
    """A passage that fits a search."""

    form = serialization.PassageJson


class SearchJson(FormSerializer):
    """The passages of a search, best first."""

    form = serialization.SearchJson
    results = PassageJson(many=True)
    took_ms = serializers.IntegerField(help_text=TOLD)
    audience = AudienceJson()


class GapJson(serializers.ModelSerializer[ContentGap]):
    """Questions that were asked in vain and mean the same."""

    question = serializers.SerializerMethodField(help_text="One of them; null once its text is erased.")

    class Meta:
        model = ContentGap
        fields = ("id", "question", "state", "heap", "asked", "people", "first_seen", "last_seen", "closed_at")

    def get_question(self, gap: ContentGap) -> str | None:
        """Return the words of the question that names the gap."""
        return (gap.label_query.question_text if gap.label_query else "") or None


class QueryJson(serializers.ModelSerializer[Query]):
    """One question's figures; its text only to the person who asked it."""

    mine = serializers.SerializerMethodField()
    question = serializers.SerializerMethodField()
    refusal_reason = serializers.CharField(source="log.refusal_reason", default=None)
    confidence = serializers.FloatField(source="log.confidence", default=None)
    citation_count = serializers.IntegerField(source="log.citation_count", default=None)
    model_provider = serializers.CharField(source="log.model_provider", default=None)
    agent_steps = serializers.IntegerField(source="log.agent_steps", default=None)
    response_time_ms = serializers.SerializerMethodField()

    class Meta:
        model = Query
        fields = (
            "request_id",
            "created_at",
            "mine",
            "question",
            "context_mode",
            "state",
            "refusal_reason",
            "confidence",
            "citation_count",
            "model_provider",
            "agent_steps",
            "response_time_ms",
        )

    def get_mine(self, query: Query) -> bool:
        """Return True if the caller asked the question."""
        return query.user_id is not None and query.user_id == self.context["request"].user.pk

    @extend_schema_field(serializers.IntegerField(allow_null=True, help_text=TOLD))
    def get_response_time_ms(self, query: Query) -> int | None:
        """Return the rounded response time, as it is published."""
        log = getattr(query, "log", None)
        return serialization.round_up_ms(log.response_time_ms) if log else None

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_question(self, query: Query) -> str | None:
        """Return the question, to whom it belongs; empty once it has been erased."""
        return query.question_text if self.get_mine(query) else None


class EvaluationJson(serializers.ModelSerializer[EvaluationResult]):
    """The RAG triad of one answer. A score is null where there is no measurement; `not_measured` names those."""

    request_id = serializers.CharField(source="query_log.request_id")
    relevance_score = serializers.FloatField(allow_null=True)
    groundedness_score = serializers.FloatField(allow_null=True, help_text="A judging model's (EVALUATION_MODEL).")
    answer_relevance_score = serializers.FloatField(allow_null=True)
    not_measured = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = EvaluationResult
        fields = (
            *("request_id", "relevance_score", "groundedness_score", "answer_relevance_score", "not_measured"),
            *("abstained", "method", "trulens_record_id", "evaluated_at"),
        )


REASONS = [(reason.value, reason.name) for reason in FeedbackReason]


class FeedbackRequest(GivenSerializer):
    """A verdict on an answer of one's own."""

    request_id = TextField()
    verdict = serializers.ChoiceField(
        choices=Feedback.Verdict.choices, error_messages=choice_error(Feedback.Verdict.choices)
    )
    reasons = serializers.ListField(
        child=serializers.ChoiceField(choices=REASONS, error_messages=choice_error(REASONS)),
        default=list,
        max_length=len(FeedbackReason),
    )
    comment = TextField(default="", allow_blank=True, max_length=LONGEST_COMMENT)


class FeedbackJson(serializers.ModelSerializer[Feedback]):
    """A verdict as it is stored."""

    request_id = serializers.CharField(source="answer.query.request_id")

    class Meta:
        model = Feedback
        fields = ("request_id", "verdict", "reasons", "comment", "created_at", "updated_at")


class DocumentJson(serializers.ModelSerializer[Document]):
    """A document that the caller may read."""

    collection = serializers.CharField(source="collection.name")

    class Meta:
        model = Document
        fields = (
            "id",
            "title",
            "collection",
            "document_type",
            "document_date",
            "source_url",
            "full_citation",
            "arxiv_id",
            "version",
            "chunk_count",
            "ingested_at",
        )


GROUPINGS = [(by.value, by.value) for by in Grouping]


class ReportRequest(GivenSerializer):
    """The groups and days of a report."""

    by = serializers.ChoiceField(
        choices=GROUPINGS, default=Grouping.DAY.value, error_messages=choice_error(GROUPINGS), help_text="The groups."
    )
    since = serializers.DateField(required=False, help_text="The first day. Default: 29 days before the last.")
    until = serializers.DateField(required=False, help_text="The last day, included. Default: today.")


class ReportRowJson(FormSerializer):
    """The figures of one group. Times in milliseconds, scores 0..1 and null where there is none."""

    form = ReportRow
    reasons = serializers.DictField(child=serializers.IntegerField(), help_text="How often each reason was given.")


class ReportJson(serializers.Serializer[Any]):
    """Figures by group, and over all questions of the period. Groups may overlap: then the total is not their sum."""

    since = serializers.DateField()
    until = serializers.DateField()
    by = serializers.CharField()
    total = ReportRowJson()
    rows = ReportRowJson(many=True, help_text="In time the oldest first, else the most questions first.")


class EditionsRequest(GivenSerializer):
    """The days of a report of editions."""

    since = serializers.DateField(required=False, help_text="The first day. Default: 29 days before the last.")
    until = serializers.DateField(required=False, help_text="The last day, included. Default: today.")


class EditionRowJson(FormSerializer):
    """The effect of one change of a document on the answers that quoted it."""

    form = EditionRow
    document_id = serializers.UUIDField(help_text="The document may be gone; then it has no title.")
    checked_at = serializers.DateTimeField()


class EditionsJson(serializers.Serializer[Any]):
    """The changes of documents that concerned any answer."""

    since = serializers.DateField()
    until = serializers.DateField()
    rows = EditionRowJson(many=True, help_text="The last change first.")


class UsageRequest(GivenSerializer):
    """The days and the provider of a usage report."""

    since = serializers.DateField(required=False, help_text="The first day. Default: 29 days before the last.")
    until = serializers.DateField(required=False, help_text="The last day, included. Default: today.")
    provider = serializers.CharField(required=False, default="", allow_blank=True, help_text="Only one model provider.")


class UsageRowJson(serializers.Serializer[Any]):
    """The figures of one day and one model provider. Times in milliseconds, scores 0..1."""

    day = serializers.DateField(allow_null=True)
    model_provider = serializers.CharField()
    questions = serializers.IntegerField()
    answered = serializers.IntegerField()
    closest = serializers.IntegerField(help_text="Without an answer, but with the passages that come closest.")
    refused = serializers.IntegerField()
    latency_p50_ms = serializers.FloatField(allow_null=True)
    latency_p95_ms = serializers.FloatField(allow_null=True)
    confidence = serializers.FloatField(allow_null=True)
    evaluated = serializers.IntegerField(help_text="Answers with scores, without abstentions.")
    relevance = serializers.FloatField(allow_null=True)
    groundedness = serializers.FloatField(
        allow_null=True, help_text="Of answers that a judging model scored; null without one: no measurement."
    )
    answer_relevance = serializers.FloatField(allow_null=True)


class UsageJson(serializers.Serializer[Any]):
    """Figures by day and provider, and over all."""

    since = serializers.DateField()
    until = serializers.DateField()
    total = UsageRowJson()
    rows = UsageRowJson(many=True)


class ModelUseRequest(GivenSerializer):
    """The month of a report on the use of models, and its scope."""

    month = serializers.RegexField(
        r"^[0-9]{4}-(0[1-9]|1[0-2])$",
        required=False,
        help_text="Such as 2026-11. Default: this month.",
        error_messages={"invalid": "Write a month as 2026-11."},
    )
    scope = serializers.ChoiceField(
        choices=Scope.choices,
        required=False,
        error_messages=choice_error(Scope.choices),
        help_text="Only the use of persons, roles, channels or the installation. Default: all that you may see.",
    )


class ModelUseRowJson(serializers.Serializer[Any]):
    """The use of models by one person, role or channel, or all together. Amounts in US dollars, as text."""

    scope = serializers.CharField(help_text="installation, person, role or channel")
    key = serializers.CharField(help_text="An id; of a channel TEAM/CHANNEL; empty for the installation.")
    name = serializers.CharField(help_text="The key, if what it names is gone.")
    calls = serializers.IntegerField()
    tokens = serializers.IntegerField(help_text="Sent and written.")
    unpriced_tokens = serializers.IntegerField(
        help_text="Of them, by models that LiteLLM's list has no price for: cost_usd leaves them out."
    )
    cost_usd = serializers.DecimalField(max_digits=18, decimal_places=9)
    reused = serializers.IntegerField(help_text="Calls that were spared.")
    saved_tokens = serializers.IntegerField()
    saved_cost_usd = serializers.DecimalField(max_digits=18, decimal_places=9)


class ModelUseJson(serializers.Serializer[Any]):
    """The use of a month. A call counts in several rows, so they must not be added up."""

    month = serializers.CharField()
    rows = ModelUseRowJson(many=True, help_text="The installation first, then by scope, the largest first.")


class EvaluationRunJson(serializers.ModelSerializer[EvaluationRun]):
    """A run over a dataset with its figures, over all questions and by kind; shares 0..1, times in milliseconds."""

    figures = serializers.DictField(read_only=True, help_text="Empty if the run was interrupted.")

    class Meta:
        model = EvaluationRun
        fields = (
            "id",
            "dataset",
            "dataset_hash",
            "model_provider",
            "model",
            "prompt_hash",
            "embedding_model",
            "chunks",
            "started_at",
            "finished_at",
            "figures",
        )


class BenchmarkJson(serializers.ModelSerializer[BenchmarkResult]):
    """One way to search, measured for one kind of readers. Times in milliseconds, recall 0..1, share in percent."""

    run = serializers.CharField(source="details.run", default=None)
    measured_at = serializers.DateTimeField(source="details.measured_at", default=None)
    library = serializers.CharField(source="details.library", default=None, help_text="synthetic or live")
    grants = serializers.CharField(source="details.grants", default=None)
    share = serializers.FloatField(source="details.share", default=None)
    audience = serializers.CharField(source="details.audience", default=None, help_text="one or channel")
    recall_min = serializers.FloatField(source="details.recall_min", default=None)
    latency_p50_ms = serializers.FloatField(source="query_latency_ms")
    latency_p95_ms = serializers.FloatField(source="details.latency_p95_ms", default=None)
    short_results = serializers.IntegerField(source="details.short_results", default=None)
    duplicates = serializers.IntegerField(source="details.duplicates", default=None)
    forbidden = serializers.IntegerField(source="details.forbidden", default=None)
    given_up = serializers.IntegerField(source="details.given_up", default=None, help_text="Took too long.")
    build_s = serializers.FloatField(source="details.build_s", default=None)
    permitted = serializers.IntegerField(source="details.permitted", default=None, help_text="Chunks.")
    k = serializers.IntegerField(source="details.k", default=None)
    candidates = serializers.IntegerField(
        source="details.candidates", default=None, help_text="Results that the search asked for."
    )
    questions = serializers.IntegerField(source="details.questions", default=None)
    seed = serializers.IntegerField(source="details.seed", default=None)

    class Meta:
        model = BenchmarkResult
        fields = (
            "run",
            "measured_at",
            "library",
            "strategy",
            "index_type",
            "grants",
            "share",
            "audience",
            "recall_at_k",
            "recall_min",
            "latency_p50_ms",
            "latency_p95_ms",
            "short_results",
            "duplicates",
            "forbidden",
            "given_up",
            "memory_usage_mb",
            "build_s",
            "corpus_size",
            "permitted",
            "k",
            "candidates",
            "questions",
            "seed",
        )


class ErrorJson(serializers.Serializer[Any]):
    """Any error."""

    detail = serializers.CharField()
    code = serializers.CharField()
    fields = serializers.DictField(required=False)  # type: ignore[assignment]
