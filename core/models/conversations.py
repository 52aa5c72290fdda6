"""Questions and what came of them. The only rows that hold question and answer text, so that retention can erase it."""

from collections.abc import Iterable
from dataclasses import fields, replace
from enum import StrEnum
from itertools import chain, repeat
from typing import Any, ClassVar, Self
from uuid import UUID, uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length

from core import types
from core.infrastructure.public_address import build_citation_address
from core.models.base import UuidModel
from core.models.library import Chunk, Document
from core.models.masking import MaskedCharField, MaskedTextField
from core.models.people import User
from core.models.querysets import QuoteQuerySet
from core.models.token_audiences import WithTokenAudience, one_kind_of_audience
from core.types import ConfidenceLevel, ContextMode, Origin, Outdated, QueryState, RefusalReason

models.CharField.register_lookup(Length)
models.TextField.register_lookup(Length)


def one_of(field: str, values: type[StrEnum]) -> Q:
    """That a field holds a value of an enumeration."""
    return Q(**{f"{field}__in": [member.value for member in values]})


def choices_of(values: type[StrEnum]) -> list[tuple[str, str]]:
    """An enumeration as Django's choices."""
    return [(member.value, member.value.replace("_", " ")) for member in values]


# Small talk is replied to without an answer that is stored.
_STORED_REASONS = [choice for choice in choices_of(RefusalReason) if choice[0] != RefusalReason.SMALL_TALK]

# What people call the places where conversations are held.
ORIGINS_IN_WORDS = {
    Origin.SLACK: "Slack",
    Origin.REST: "REST",
    Origin.MCP: "MCP",
    Origin.COMMAND: "Command line",
    Origin.EVALUATION: "Evaluation run",
    Origin.RECHECK: "Changed source",
    Origin.RESEARCH: "Research",
}
# What the states of a question are called where people read them.
STATES_IN_WORDS = {
    QueryState.NEW: "received",
    QueryState.EMBEDDING_GENERATED: "searching",
    QueryState.RETRIEVAL_COMPLETE: "reading what was found",
    QueryState.RESPONSE_GENERATED: "checking the answer",
    QueryState.COMPLETE: "answered",
    QueryState.NO_CONTENT_FOUND: "not answered",
    QueryState.FAILED: "failed",
    QueryState.STOPPED: "stopped",
}

# What a Result and the row of its answer call by the same name.
_OF_RESULT = ("confidence", "confidence_level", "model_provider", "agent_steps", "processing_time_ms", "trace_id")


def _list_names(value: Any) -> list[str]:
    """The names of a value's fields, given the value or its class. Its row has columns of the same names."""
    return [field.name for field in fields(value)]


def _name_column(name: str) -> str:
    """The column that holds a field of a citation: "end" is a word of SQL, so the offsets are called what they are."""
    return f"{name}_offset" if name in ("start", "end") else name


class Conversation(UuidModel, WithTokenAudience):
    """A session: the questions asked in one Slack thread, or by one REST or MCP client, until it times out.

    All of them were asked for the same audience of a token, and nothing of it is shown to another one.
    """

    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="conversations")
    origin = models.CharField(max_length=10, choices=[(each.value, ORIGINS_IN_WORDS[each]) for each in Origin])
    slack_team = models.CharField(max_length=32, blank=True)
    slack_channel = models.CharField(max_length=32, blank=True)
    slack_thread = models.CharField(max_length=32, blank=True)
    is_active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["slack_team", "slack_channel", "slack_thread"],
                condition=Q(origin="slack", is_active=True),
                name="one_active_conversation_per_thread",
            ),
            one_kind_of_audience("conversation_for_one_kind"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["updated_at"], condition=Q(is_active=True), name="conversation_active_updated")
        ]

    def __str__(self) -> str:
        return f"Conversation of {self.created_at:%Y-%m-%d %H:%M}"


class Query(UuidModel):
    """A question somebody asked."""

    request_id = models.CharField(max_length=30, unique=True)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="queries")
    conversation = models.ForeignKey(Conversation, on_delete=models.CASCADE, related_name="queries")
    question_text = models.TextField(help_text="Empty once the retention period has passed.")
    context_mode = models.CharField(max_length=20, choices=choices_of(ContextMode))
    selected_text = models.TextField(null=True, blank=True)  # noqa: DJ001 - null is "none", and the mode checks it
    standalone_question = models.TextField(
        blank=True, default="", help_text="In words that do not need an earlier question; erased with the question."
    )
    named_documents = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        help_text=(
            "Documents whose words may appear in the standalone question, or in the question that Footnote asked back."
        ),
    )
    named_versions = ArrayField(
        models.PositiveIntegerField(),
        default=list,
        db_default=[],
        blank=True,
        help_text="The edition of each of the named documents, in their order.",
    )
    filters = models.JSONField(default=dict, blank=True, help_text="As given with the question.")
    applied_filters = models.JSONField(
        default=dict,
        blank=True,
        help_text="What was searched: the filters given, and those understood from the question.",
    )
    is_overheard = models.BooleanField(
        default=False, help_text="Nobody put this question to Footnote, and Footnote said nothing to it."
    )
    state = models.CharField(
        max_length=20, choices=[(state.value, STATES_IN_WORDS[state]) for state in QueryState], default=QueryState.NEW
    )
    reached_at = models.JSONField(
        default=dict, blank=True, help_text="When each state was reached: its name and the moment, ISO 8601."
    )
    erased_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "question"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=one_of("state", QueryState), name="query_state_known"),
            models.CheckConstraint(condition=one_of("context_mode", ContextMode), name="query_context_mode_known"),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False) | Q(question_text__length__gte=3, question_text__length__lte=1000),
                name="question_length",
            ),
            models.CheckConstraint(
                condition=Q(erased_at__isnull=False)
                | Q(context_mode="selected_text", selected_text__isnull=False)
                | Q(context_mode="full_corpus", selected_text__isnull=True),
                name="selected_text_matches_mode",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="query_user_created"),
            models.Index(fields=["conversation", "created_at"], name="query_conversation_created"),
            models.Index(fields=["-created_at"], name="query_created"),
            models.Index(fields=["context_mode"], name="query_context_mode"),
        ]

    def __str__(self) -> str:
        return self.request_id

    @property
    def named_editions(self) -> tuple[types.Edition, ...]:
        """The editions of the named documents. One that was not recorded counts as the first, which fewest may read."""
        versions = chain(self.named_versions, repeat(1))
        named = zip(self.named_documents, versions, strict=False)
        return tuple(types.Edition(document, version) for document, version in named)

    def name_editions(self, editions: Iterable[types.Edition]) -> None:
        """Replace the named documents and their editions; the caller saves both columns."""
        chosen = list(dict.fromkeys(editions))
        self.named_documents = [edition.document_id for edition in chosen]
        self.named_versions = [edition.version for edition in chosen]


class RetrievedChunk(UuidModel):
    """A chunk that retrieval gave the model for a query."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="retrieved_chunks")
    chunk = models.ForeignKey(Chunk, on_delete=models.CASCADE, related_name="+")
    rank = models.PositiveSmallIntegerField()
    similarity = models.FloatField(help_text="Cosine similarity with the question.")
    rerank_score = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["query", "rank"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["query", "rank"], name="one_chunk_per_rank"),
            models.UniqueConstraint(fields=["query", "chunk"], name="chunk_retrieved_once_per_query"),
            models.CheckConstraint(condition=Q(similarity__gte=0, similarity__lte=1), name="retrieved_similarity_0_1"),
            models.CheckConstraint(
                condition=Q(rerank_score__isnull=True) | Q(rerank_score__gte=0, rerank_score__lte=1),
                name="retrieved_rerank_score_0_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id} #{self.rank}"

    @classmethod
    def from_value(cls, value: types.Retrieved, *, query: Query) -> Self:
        """The row of a retrieved chunk, not stored yet. Its document is its chunk's."""
        columns = {name: getattr(value, name) for name in _list_names(value) if name != "document_id"}
        return cls(query=query, **columns)


class Answer(UuidModel):
    """The reply to a query: an answer, or a message that says why there is none."""

    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="answer")
    answer_text = MaskedTextField(null=True, blank=True)
    message = MaskedTextField(blank=True)
    refusal_reason = models.CharField(max_length=30, choices=_STORED_REASONS, blank=True)
    confidence = models.FloatField()
    confidence_level = models.CharField(max_length=15, choices=choices_of(ConfidenceLevel))
    has_sufficient_context = models.BooleanField()
    model_provider = models.CharField(max_length=50)
    model = models.CharField(max_length=200)
    agent_steps = models.PositiveSmallIntegerField()
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=10, decimal_places=6, default=0)
    saved_tokens = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Tokens of model calls that were not made, because the same call had been made for the same readers.",
    )
    processing_time_ms = models.PositiveIntegerField()
    trace_id = models.CharField(max_length=32)
    # Of an answer that a person verified. The row stays as long as this: its roles say who may see the answer.
    verified_answer = models.ForeignKey(
        "core.VerifiedAnswer", on_delete=models.PROTECT, null=True, blank=True, related_name="given"
    )
    verified_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    verified_at = models.DateTimeField(null=True, blank=True)
    outdated = models.CharField(
        max_length=20,
        blank=True,
        default="",
        choices=choices_of(Outdated),
        help_text="Why the verified answer was outdated when it was given; empty if it was not.",
    )
    contradiction = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Where another document says otherwise than a cited one: ids and places, no text.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(verified_answer__isnull=True, verified_at__isnull=True, outdated="")
                | Q(verified_answer__isnull=False, verified_at__isnull=False),
                name="answer_verified_with_its_time",
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="answer_confidence_0_1"),
            models.CheckConstraint(
                condition=one_of("confidence_level", ConfidenceLevel), name="answer_confidence_level_known"
            ),
            models.CheckConstraint(condition=Q(agent_steps__lte=5), name="answer_at_most_five_steps"),
            models.CheckConstraint(
                condition=Q(answer_text__isnull=False, refusal_reason="")
                | (Q(answer_text__isnull=True) & ~Q(message="")),
                name="answer_text_or_message",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["-created_at"], name="answer_created")]

    def __str__(self) -> str:
        return f"Answer of {self.created_at:%Y-%m-%d %H:%M}"

    @classmethod
    def from_value(cls, value: types.Answer | types.Refusal, *, query: Query, model: str, usage: types.Usage) -> Self:
        """The row of a result, not stored yet. Its citations and retrieved chunks are rows of their own."""
        return cls(
            query=query,
            answer_text=value.text if isinstance(value, types.Answer) else None,
            message=value.message,
            refusal_reason=value.reason.value if isinstance(value, types.Refusal) else "",
            has_sufficient_context=isinstance(value, types.Answer),
            model=model,
            **{name: getattr(value, name) for name in _OF_RESULT},
            **{name: getattr(usage, name) for name in _list_names(usage)},
        )

    @property
    def verification(self) -> types.Verification | None:
        """By whom and when a verified answer was verified, as it was when it was given."""
        if self.verified_at is None:
            return None
        return types.Verification(
            verified_by=self.verified_by.name_without_address if self.verified_by else "",
            verified_at=self.verified_at,
            outdated=Outdated(self.outdated) if self.outdated else None,
        )

    def get_result_fields(self) -> dict[str, Any]:
        """Return a Result's fields from this row and its query. Access decides about the others, and about its text."""
        return {
            **{name: getattr(self, name) for name in _OF_RESULT},
            "confidence_level": ConfidenceLevel(self.confidence_level),
            "request_id": self.query.request_id,
            "query_id": self.query.pk,
            "conversation_id": self.query.conversation_id,
            "state": QueryState(self.query.state),
            "context_mode": ContextMode(self.query.context_mode),
        }


class QuoteRow(UuidModel):
    """A place in an edition that is quoted: the columns of a citation, and of a source of a verified answer.

    The words of that place are in a row of their own, a QuotedWords. Both are shown to readers of the edition who may
    still read the document: without its document, deleted since, a quote can be shown to nobody.
    """

    number = models.PositiveSmallIntegerField()
    chunk = models.ForeignKey(Chunk, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    document_version = models.PositiveIntegerField(
        default=0, db_default=0, help_text="The edition that is quoted; 0 where it is unknown, which nobody may read."
    )
    document_date = models.DateField(null=True, blank=True)
    page_number = models.PositiveIntegerField(null=True, blank=True)
    start_offset = models.PositiveIntegerField()
    end_offset = models.PositiveIntegerField()
    relevance_score = models.FloatField()
    is_recognised = models.BooleanField(default=False)

    objects = QuoteQuerySet.as_manager()

    class Meta:
        abstract = True

    @classmethod
    def from_value(cls, value: types.Citation, **owner: Any) -> Self:
        """Build the row of a citation, without its words. owner: what it belongs to, by the name of that column."""
        return cls(**owner, **{_name_column(name): getattr(value, name) for name in _OF_PLACE})


class QuotedWords(models.Model):
    """The words of a quote, and the details that show whose they are.

    Row-level security shows them to no transaction but one that states an audience which may read the edition that
    they come from (core.models.row_security), and to maintenance. Erasing them deletes the row.
    """

    document_name = MaskedCharField(max_length=500)
    chapter = MaskedCharField(max_length=300, blank=True, default="")
    section = MaskedCharField(max_length=300, blank=True)
    source_url = models.CharField(max_length=1000, blank=True)
    excerpt = MaskedCharField(max_length=200)
    quoted_excerpt = MaskedTextField()
    authors = models.CharField(max_length=300, blank=True, default="")
    file_name = models.CharField(max_length=300, blank=True, default="")
    full_citation = MaskedTextField(blank=True, default="")

    class Meta:
        abstract = True

    @classmethod
    def from_value(cls, value: types.Citation, **quote: QuoteRow) -> Self:
        """Build the row of the words of a citation. quote: its QuoteRow, by the name of that column."""
        return cls(**quote, **{name: getattr(value, name) for name in _OF_WORDS})

    def as_value(self, place: QuoteRow) -> types.Citation:
        """Return the citation of these words at that place."""
        return types.Citation(
            **{name: getattr(place, _name_column(name)) for name in _OF_PLACE},
            **{name: getattr(self, name) for name in _OF_WORDS},
        )


def words_of(owner: type[models.Model]) -> Any:
    """Build the key of the words of a quote or a line, which go with it: the database deletes them (migration 0047).

    Django would look for the rows first, and row-level security shows it none.
    """
    return models.OneToOneField(
        owner, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True, related_name="words"
    )


_OF_WORDS = frozenset(field.name for field in QuotedWords._meta.local_fields)
_OF_PLACE = frozenset(field.name for field in fields(types.Citation)) - _OF_WORDS - {"citation_id", "opens_at"}


class Citation(QuoteRow):
    """A verified quote that carries a statement of an answer; or, where there is none, a passage that comes closest.

    Which of the two says the answer: one without text has no statements.
    """

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="citations")

    class Meta:
        ordering: ClassVar = ["answer", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer", "number"], name="one_citation_per_number"),
            models.CheckConstraint(
                condition=Q(relevance_score__gte=0, relevance_score__lte=1), name="citation_relevance_0_1"
            ),
        ]

    def __str__(self) -> str:
        return f"citation {self.number} of {self.answer_id}"

    @classmethod
    def from_value(cls, value: types.Citation, **owner: Any) -> Self:
        """Build the row of a citation of an answer, under the id that it has."""
        return super().from_value(value, id=value.citation_id or uuid4(), **owner)

    @property
    def edition(self) -> types.Edition | None:
        """The edition that is quoted; None for a selected text, and once the document has been deleted."""
        return types.Edition(self.document_id, self.document_version) if self.document_id else None


class CitationWords(QuotedWords):
    """The words of a citation."""

    citation = words_of(Citation)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.citation_id}"


def make_openable(citation: types.Citation, citation_id: UUID) -> types.Citation:
    """Return a citation under its id, with where it is opened. What quotes no document is opened nowhere."""
    opens_at = build_citation_address(citation_id) if citation.document_id else ""
    return replace(citation, citation_id=citation_id, opens_at=opens_at)


class AgentStep(UuidModel):
    """One step of the agent: which tool it called and which chunks came back. Ids only, no text."""

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveSmallIntegerField()
    tool = models.CharField(max_length=60, blank=True)
    chunk_ids = ArrayField(models.UUIDField(), default=list)
    error = models.CharField(max_length=200, blank=True)
    took_ms = models.FloatField()

    class Meta:
        ordering: ClassVar = ["answer", "number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["answer", "number"], name="one_step_per_number")]

    def __str__(self) -> str:
        return f"step {self.number} of {self.answer_id}"
