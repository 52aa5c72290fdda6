"""Records for operators and analysts. They hold ids and figures, no text of questions, answers or documents."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.conversations import Answer, Query
from core.models.people import User


class QueryLog(UuidModel):
    """The figures of one query, kept after its text has been erased."""

    query = models.OneToOneField(Query, on_delete=models.SET_NULL, null=True, related_name="log")
    response_id = models.UUIDField(
        null=True, blank=True, help_text="Id of the Answer row; empty if the question was invalid."
    )
    request_id = models.CharField(max_length=30, unique=True)
    user = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="query_logs")
    chunk_ids = ArrayField(
        models.UUIDField(null=True), default=list, help_text="Empty in place of an id: a passage of a selected text."
    )
    similarity_scores = ArrayField(models.FloatField(), default=list)
    mean_similarity = models.FloatField(null=True, blank=True)
    confidence = models.FloatField()
    estimate = models.FloatField(
        null=True,
        blank=True,
        help_text="How sure the passages made an answer, estimated from words and embeddings, 0 to 1.",
    )
    has_sufficient_context = models.BooleanField()
    refusal_reason = models.CharField(max_length=30, blank=True)
    citation_count = models.PositiveSmallIntegerField(default=0)
    dropped_statements = models.PositiveSmallIntegerField(default=0)
    dropped_reasons = models.JSONField(
        default=dict, blank=True, help_text="How many statements were dropped, by reason."
    )
    agent_mode = models.CharField(
        max_length=20, blank=True, help_text="tool_calling: the model called tools. plain_text: the model only wrote."
    )
    agent_mode_reason = models.CharField(max_length=40, blank=True, help_text="Why this mode.")
    model_provider = models.CharField(max_length=50)
    model = models.CharField(max_length=200)
    model_settings = models.JSONField(
        default=dict,
        blank=True,
        help_text="What the model was called with, without key and address. If the key-free model answered in place "
        "of another model, that model too.",
    )
    prompt_hash = models.CharField(max_length=64, blank=True)
    embedding_model = models.CharField(
        max_length=200,
        blank=True,
        default="",
        help_text="The model that embedded the question; the similarities are its own.",
    )
    retrieval_strategy = models.CharField(max_length=50, blank=True)
    retrieval_is_short = models.BooleanField(
        default=False, help_text="Fewer passages were found than wanted, although more could be read: a fault."
    )
    agent_steps = models.PositiveSmallIntegerField()
    response_time_ms = models.PositiveIntegerField()
    timings_ms = models.JSONField(default=dict, help_text="Milliseconds by step.")
    trace_id = models.CharField(max_length=32)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "figures of a question"
        verbose_name_plural = "figures of questions"
        ordering: ClassVar = ["-created_at"]
        permissions: ClassVar = [
            ("view_reports", "Can read reports over all people's queries"),
            ("view_person_reports", "Can read reports by person"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(chunk_ids__len=models.F("similarity_scores__len")), name="one_similarity_per_chunk"
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="querylog_confidence_0_1"),
            models.CheckConstraint(condition=Q(agent_steps__lte=5), name="querylog_at_most_five_steps"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="querylog_user_created"),
            models.Index(fields=["-created_at"], name="querylog_created"),
        ]

    def __str__(self) -> str:
        return self.request_id


class EvaluationResult(UuidModel):
    """The RAG triad of one answer, each 0..1 with three decimals, or null where it could not be had."""

    query_log = models.OneToOneField(QueryLog, on_delete=models.CASCADE, related_name="evaluation")
    relevance_score = models.DecimalField(
        max_digits=4, decimal_places=3, null=True, blank=True, help_text="Question against the passages read."
    )
    groundedness_score = models.DecimalField(
        max_digits=4, decimal_places=3, null=True, blank=True, help_text="Answer against the passages read."
    )
    answer_relevance_score = models.DecimalField(
        max_digits=4, decimal_places=3, null=True, blank=True, help_text="Question against the answer."
    )
    abstained = models.BooleanField(default=False, help_text="There was no answer to score; not included in averages.")
    method = models.CharField(max_length=100, help_text="What computed the scores.")
    # Null where there is none, which the partial index leaves out.
    trulens_record_id = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001
    error = models.CharField(max_length=300, blank=True)
    evaluated_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "evaluation"
        ordering: ClassVar = ["-evaluated_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(**{f"{score}__isnull": True}) | Q(**{f"{score}__gte": 0, f"{score}__lte": 1}),
                name=f"{score}_0_1",
            )
            for score in ("relevance_score", "groundedness_score", "answer_relevance_score")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["trulens_record_id"],
                condition=Q(trulens_record_id__isnull=False),
                name="evaluation_trulens_record",
            ),
            models.Index(fields=["-evaluated_at"], name="evaluation_evaluated"),
        ]

    def __str__(self) -> str:
        return f"Evaluation of {self.evaluated_at:%Y-%m-%d %H:%M}"

    @property
    def not_measured(self) -> list[str]:
        """The scores that are null because nothing measures them; none where a judging model failed to give one."""
        names = ("relevance_score", "groundedness_score", "answer_relevance_score")
        is_local = self.method.startswith("local:") and not self.error
        return [name for name in names if is_local and getattr(self, name) is None]


# Of the alerts that a score and a threshold do not explain.
_IN_WORDS = {
    "votes": "more people voted the answer down than up",
    "refusal": "refused, and the same question was answered since from a passage that had been found",
    "refusal_read": "refused, though a passage found for it answers with a probability of {score:.2f}, says the reader",
    "refused_share": "{score:.2f} of the week's questions were refused, {threshold:.2f} in the four weeks before",
    "voted_down_share": "{score:.2f} of the week's votes were down, {threshold:.2f} in the four weeks before",
    "admission_lapsed": "{score:.0%} of the library is other than when the model was examined",
}


_SUBJECTS = ("evaluation", "run", "budget", "since", "examination")


def _is_about(subject: str) -> Q:
    """Return the condition that an alert is about one kind of subject, and about no other."""
    return Q(**{f"{each}__isnull": each != subject for each in _SUBJECTS})


class Alert(UuidModel):
    """Something that can be wrong with an answer, that fell in a run, an examination or a week, or a used-up budget.

    An answer's alert hangs on its evaluation, whatever it is about: its votes, its refusal or a judge's scores.
    """

    evaluation = models.ForeignKey(
        EvaluationResult, on_delete=models.CASCADE, null=True, blank=True, related_name="alerts"
    )
    run = models.ForeignKey(
        "core.EvaluationRun", on_delete=models.CASCADE, null=True, blank=True, related_name="alerts"
    )
    budget = models.ForeignKey("core.Budget", on_delete=models.CASCADE, null=True, blank=True, related_name="alerts")
    month = models.DateField(null=True, blank=True, help_text="Of a budget: the first day of the month.")
    since = models.DateField(
        null=True, blank=True, help_text="Of a figure of use that drifted: the first day of its week."
    )
    examination = models.ForeignKey(
        "core.ModelExamination", on_delete=models.CASCADE, null=True, blank=True, related_name="alerts"
    )
    metric = models.CharField(max_length=30)
    score = models.DecimalField(max_digits=4, decimal_places=3)
    threshold = models.DecimalField(max_digits=4, decimal_places=3)
    created_at = models.DateTimeField(auto_now_add=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["evaluation", "metric"], name="one_alert_per_metric"),
            models.UniqueConstraint(fields=["run", "metric"], name="one_alert_per_run_and_metric"),
            models.UniqueConstraint(fields=["budget", "month", "metric"], name="one_alert_per_budget_and_month"),
            models.UniqueConstraint(fields=["since", "metric"], name="one_alert_per_week_and_metric"),
            models.UniqueConstraint(fields=["examination", "metric"], name="one_alert_per_examination_and_metric"),
            models.CheckConstraint(
                condition=_is_about("evaluation")
                | _is_about("run")
                | (_is_about("budget") & Q(month__isnull=False))
                | _is_about("since")
                | _is_about("examination"),
                name="alert_about_one_thing",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-created_at"], condition=Q(acknowledged_at__isnull=True), name="alert_open")
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.score} {'over' if self.budget_id else 'under'} {self.threshold}"

    @property
    def in_words(self) -> str:
        """The words for people of what happened; the metric stands beside them."""
        if self.metric in _IN_WORDS:
            return _IN_WORDS[self.metric].format(score=self.score, threshold=self.threshold)
        return f"{self.score:.2f} is {'over' if self.budget_id else 'below'} {self.threshold:.2f}"

    @property
    def subject(self) -> str:
        """The subject of the alert: the id of a request or a run, a week, or whose budget it is."""
        if self.evaluation:
            return self.evaluation.query_log.request_id
        of_week = f"the week from {self.since:%Y-%m-%d}" if self.since else ""
        return of_week or str(self.budget or self.run or self.examination)


class Feedback(UuidModel):
    """One person's opinion of one answer; changing one's mind changes the row."""

    class Verdict(models.TextChoices):
        UP = "up"
        DOWN = "down"

    answer = models.ForeignKey(Answer, on_delete=models.CASCADE, related_name="feedback")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="feedback")
    verdict = models.CharField(max_length=4, choices=Verdict.choices)
    reasons = ArrayField(models.CharField(max_length=40), default=list, blank=True)  # of core.types.FeedbackReason
    comment = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "feedback"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer", "user"], name="one_vote_per_user_and_answer")
        ]

    def __str__(self) -> str:
        return f"Vote of {self.created_at:%Y-%m-%d %H:%M}"


class BenchmarkResult(UuidModel):
    """One measurement of a vector index or search strategy."""

    index_type = models.CharField(max_length=40)
    strategy = models.CharField(max_length=60, blank=True)
    query_latency_ms = models.FloatField()
    recall_at_k = models.FloatField()
    memory_usage_mb = models.FloatField()
    corpus_size = models.PositiveIntegerField()
    selectivity = models.FloatField(null=True, blank=True, help_text="Share of the corpus that is permitted, 0..1.")
    details = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "benchmark"
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(recall_at_k__gte=0, recall_at_k__lte=1), name="recall_0_1"),
            models.CheckConstraint(condition=Q(corpus_size__gt=0), name="corpus_size_positive"),
            models.CheckConstraint(
                condition=Q(query_latency_ms__gte=0, memory_usage_mb__gte=0), name="benchmark_figures_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(selectivity__isnull=True) | Q(selectivity__gte=0, selectivity__lte=1),
                name="selectivity_0_1",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.index_type} over {self.corpus_size}"
