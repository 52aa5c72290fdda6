"""Keep examinations of answer models: figures, and words that only the readers of their sources see."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.conversations import Query, words_of
from core.models.library import Document
from core.models.masking import MaskedTextField
from core.models.people import User
from core.models.querysets import QuoteQuerySet


class ModelExamination(UuidModel):
    """One examination of an answer model on the library's own questions, and the decision that followed."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for the worker"
        RUNNING = "running", "examining"
        EXAMINED = "examined", "examined, to be decided"
        ADMITTED = "admitted", "admitted"
        REFUSED = "refused", "refused"
        LAPSED = "lapsed", "examine again"
        STOPPED = "stopped", "stopped"
        FAILED = "failed", "failed"

    UNDER_WAY = (State.WAITING, State.RUNNING)

    model = models.CharField(max_length=200, help_text="As LLM_MODEL names it.")
    identity = models.CharField(
        max_length=64, help_text="SHA-256 of the model's name, its server and, of a file on this machine, its content."
    )
    prompt_hash = models.CharField(max_length=64, help_text="Of the prompts given to the model.")
    library = models.JSONField(default=dict, blank=True, help_text="The number of documents when it began.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed, was stopped or lapsed.")
    total = models.PositiveIntegerField(default=0, help_text="Questions to ask; 0 until they are written.")
    figures = models.JSONField(default=dict, blank=True, help_text="By who answered; empty until the end.")
    is_stopping = models.BooleanField(default=False, help_text="Somebody asked it to stop.")
    asked_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last made progress.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "model examination"
        ordering: ClassVar = ["-created_at"]
        default_permissions = ("view",)
        permissions: ClassVar = [
            ("examine_models", "Can examine answer models, and stop it"),
            ("admit_models", "Can let an examined answer model answer, or refuse it"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["identity"], condition=Q(state__in=["waiting", "running"]), name="one_examination_under_way"
            ),
            models.UniqueConstraint(
                fields=["identity"], condition=Q(state="admitted"), name="one_admission_of_a_model"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["examined", "admitted", "refused"]) | Q(finished_at__isnull=False),
                name="decided_examination_is_finished",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_under_way(self) -> bool:
        """True until it has ended in any way."""
        return self.state in self.UNDER_WAY


class ExaminationLine(UuidModel):
    """One question of an examination, and how the model and the key-free road ended it. No words."""

    class Kind(models.TextChoices):
        VERIFIED = "verified", "a verified answer"
        LIKED = "liked", "an answer that was voted up"
        DEFINITION = "definition", "a definition"
        FIGURE = "figure", "a figure"
        CELL = "cell", "a cell of a table"
        LABEL = "label", "a line with a label"

    class Outcome(models.TextChoices):
        RIGHT = "right", "right"
        WRONG = "wrong", "wrong"
        MISSED = "missed", "not answered"
        INVENTED = "invented", "answered without a source"
        WITHHELD = "withheld", "rightly not answered"
        FAILED = "failed", "the model failed"

    examination = models.ForeignKey(ModelExamination, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField(help_text="From 1.")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    is_answerable = models.BooleanField(help_text="Otherwise the passages that answer were taken away.")
    query = models.ForeignKey(
        Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="Whose words it is in."
    )
    model_outcome = models.CharField(max_length=10, choices=Outcome.choices)
    key_free_outcome = models.CharField(max_length=10, choices=Outcome.choices)
    in_own_words = models.BooleanField(default=False, help_text="What is shown are the model's words.")
    keeps_format = models.BooleanField(default=False, help_text="The model's reply could be read at once.")
    model_ms = models.FloatField()
    key_free_ms = models.FloatField()
    tokens = models.PositiveIntegerField(default=0, help_text="Sent to the model, and written by it.")

    class Meta:
        ordering: ClassVar = ["examination", "number"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["examination", "number"], name="one_examination_line_per_number")
        ]

    def __str__(self) -> str:
        return f"question {self.number} of {self.examination_id}"


class ExaminationSource(UuidModel):
    """An edition whose words the question or one of the two answers of a line may hold."""

    line = models.ForeignKey(ExaminationLine, on_delete=models.CASCADE, related_name="sources")
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    document_version = models.PositiveIntegerField()

    objects = QuoteQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["line", "document", "document_version"], name="one_examination_source_per_edition"
            )
        ]

    def __str__(self) -> str:
        return f"source of {self.line_id}"


class ExaminationWords(models.Model):
    """The words of a line: its question, and what was answered.

    Row-level security shows them to no transaction but one that states an audience which may read every source of the
    line, and to maintenance. The database deletes them when a document among the sources is deleted.
    """

    line = words_of(ExaminationLine)
    question = MaskedTextField(blank=True, help_text="Empty where a person asked it: then it is in the query.")
    expected = MaskedTextField(blank=True)
    model_text = MaskedTextField(blank=True, help_text="Empty where nothing was answered.")
    key_free_text = MaskedTextField(blank=True, help_text="Empty where nothing was answered.")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.line_id}"
