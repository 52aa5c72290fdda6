"""Keep the results of `evaluate`, run by run. Ids and figures; no text of questions, answers or documents."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.records import QueryLog


class EvaluationRun(UuidModel):
    """All questions of a dataset, asked once."""

    dataset = models.CharField(max_length=200, help_text="The file's name.")
    dataset_hash = models.CharField(max_length=64, help_text="SHA-256 of the lines that were asked.")
    model_provider = models.CharField(max_length=50)
    model = models.CharField(max_length=200)
    prompt_hash = models.CharField(max_length=64, blank=True, help_text="Of the prompts given to the model.")
    embedding_model = models.CharField(max_length=200)
    chunks = models.PositiveIntegerField(help_text="Chunks in the library when the run began.")
    figures = models.JSONField(default=dict, blank=True, help_text="Empty until the run has ended.")
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True, help_text="Empty if the run was interrupted.")

    class Meta:
        ordering: ClassVar = ["-started_at"]
        indexes: ClassVar = [models.Index(fields=["dataset", "-started_at"], name="evaluationrun_dataset_started")]

    def __str__(self) -> str:
        return f"{self.dataset}, {self.started_at:%Y-%m-%d %H:%M}"


class EvaluationRunLine(UuidModel):
    """The result of one question of a run."""

    class Outcome(models.TextChoices):
        ANSWERED_RIGHTLY = "answered_rightly"
        ANSWERED_WRONGLY = "answered_wrongly"
        ABSTAINED_RIGHTLY = "abstained_rightly"
        ABSTAINED_WRONGLY = "abstained_wrongly"
        UNJUDGED = "unjudged"
        FAILED = "failed"

    run = models.ForeignKey(EvaluationRun, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField(help_text="Place in the dataset, from 1.")
    identifier = models.CharField(max_length=100, help_text="The line's id in the dataset.")
    kind = models.CharField(max_length=50)
    query_log = models.ForeignKey(QueryLog, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    cites_source = models.BooleanField(null=True, blank=True)
    contains = models.BooleanField(null=True, blank=True)
    page_right = models.BooleanField(null=True, blank=True)
    forbidden_shown = models.BooleanField(default=False)
    quotes = models.PositiveSmallIntegerField(default=0)
    unsupported = models.PositiveSmallIntegerField(default=0)
    statements_dropped = models.PositiveSmallIntegerField(default=0)
    confidence = models.FloatField(null=True, blank=True)
    latency_ms = models.FloatField()

    class Meta:
        ordering: ClassVar = ["run", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "number"], name="one_line_per_number"),
            models.CheckConstraint(condition=Q(unsupported__lte=models.F("quotes")), name="unsupported_among_quotes"),
        ]

    def __str__(self) -> str:
        return f"{self.identifier}: {self.outcome}"
