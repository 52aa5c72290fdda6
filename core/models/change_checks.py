"""Checks of changes before they are live: figures, outcomes by question, and the decision. No text of a person's."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from core.models.base import UuidModel
from core.models.conversations import Query, words_of
from core.models.data_sources import SyncRun
from core.models.examinations import ModelExamination
from core.models.ingestion import IngestionJob
from core.models.library import Document
from core.models.masking import MaskedTextField
from core.models.people import Role, User
from core.models.querysets import QuoteQuerySet
from core.values.change_checks import (
    KINDS_IN_WORDS,
    OUTCOMES_IN_WORDS,
    STATES_IN_WORDS,
    UNDER_WAY,
    AskedFor,
    ChangeKind,
    CheckState,
    Outcome,
    Side,
)

_KINDS = [(each.value, KINDS_IN_WORDS[each]) for each in ChangeKind]
_PERCENT = (MinValueValidator(0), MaxValueValidator(100))


class ChangeLimit(UuidModel):
    """Says from where on a change of one kind waits for a yes. Without a row, or switched off, none waits."""

    kind = models.CharField(max_length=20, choices=_KINDS, unique=True)
    is_on = models.BooleanField("check before it is live", default=False)
    from_documents = models.PositiveIntegerField(
        "from so many documents",
        default=10,
        validators=[MinValueValidator(1)],
        help_text="A change of fewer documents is made at once. For thresholds and models it says nothing.",
    )
    most_worse = models.PositiveSmallIntegerField(
        "most answers that get worse",
        default=0,
        validators=_PERCENT,
        help_text="Percent of the questions asked. Above it, the change waits for a yes. Answers that vanish count.",
    )
    most_moved = models.PositiveSmallIntegerField(
        "most answers from other documents",
        default=0,
        validators=_PERCENT,
        help_text="Percent of the questions asked. Counted are answers from none of the documents of before, or from "
        "one that their reader cannot read now.",
    )
    most_changed = models.PositiveSmallIntegerField(
        "most answers that change",
        null=True,
        blank=True,
        validators=_PERCENT,
        help_text="Percent of the questions asked, whether for better or worse. Empty: no limit.",
    )
    most_people = models.PositiveIntegerField(
        "most people who gain or lose documents", null=True, blank=True, help_text="Of grants. Empty: no limit."
    )

    class Meta:
        verbose_name = "limit of changes"
        verbose_name_plural = "limits of changes"
        ordering: ClassVar = ["kind"]
        default_permissions = ("view", "change")

    def __str__(self) -> str:
        return f"limit of {self.get_kind_display()}"


class AnswerThresholds(UuidModel):
    """The thresholds that somebody put live in the admin, in place of the settings'. One row at the most."""

    answer_from = models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(1)])
    closest_from = models.FloatField(validators=[MinValueValidator(0), MaxValueValidator(1)])
    is_only = models.BooleanField(default=True, unique=True, editable=False)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "answer thresholds"
        verbose_name_plural = "answer thresholds"
        default_permissions = ("change",)
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(is_only=True), name="one_row_of_thresholds"),
            models.CheckConstraint(
                condition=Q(closest_from__gte=0, answer_from__lte=1, closest_from__lte=models.F("answer_from")),
                name="thresholds_fit_together",
            ),
        ]

    def __str__(self) -> str:
        return f"answers from {self.answer_from:.2f}, closest passages from {self.closest_from:.2f}"


class ChangeCheck(UuidModel):
    """One check of a change: last month's questions and the library's own, asked without it and with it."""

    kind = models.CharField(max_length=20, choices=_KINDS)
    state = models.CharField(
        max_length=20, choices=[(each.value, STATES_IN_WORDS[each]) for each in CheckState], default=CheckState.WAITING
    )
    is_gate = models.BooleanField(help_text="The change is made by itself where it crosses no limit.")
    change = models.JSONField(help_text="The change itself, by ids and figures: its kind reads it.")
    run = models.ForeignKey(SyncRun, on_delete=models.CASCADE, null=True, blank=True, related_name="checks")
    job = models.ForeignKey(IngestionJob, on_delete=models.CASCADE, null=True, blank=True, related_name="checks")
    examination = models.ForeignKey(
        ModelExamination, on_delete=models.CASCADE, null=True, blank=True, related_name="checks"
    )
    limits = models.JSONField(default=dict, blank=True, help_text="The limits that held when it was asked for.")
    crossed = models.JSONField(default=list, blank=True, help_text="The limits that it crosses.")
    reason = models.CharField(max_length=300, blank=True, help_text="Why it failed or was stopped.")
    total = models.PositiveIntegerField(default=0, help_text="Questions to ask; 0 until they are chosen.")
    asked = models.PositiveIntegerField(default=0, help_text="Questions asked so far, each without and with it.")
    figures = models.JSONField(default=dict, blank=True, help_text="Empty until the end.")
    is_stopping = models.BooleanField(default=False, help_text="Somebody asked it to stop.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often a worker began it.")
    asked_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last made progress.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "check of a change"
        verbose_name_plural = "checks of changes"
        ordering: ClassVar = ["-created_at", "pk"]
        default_permissions = ("view",)
        permissions: ClassVar = [("decide_changes", "Can check changes before they are live, and decide about them")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=[each.value for each in ChangeKind]), name="check_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=[each.value for each in CheckState]), name="check_state_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["state", "-created_at"], name="check_state_created")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_under_way(self) -> bool:
        """True until its questions are asked, or it has ended in another way."""
        return self.state in UNDER_WAY


class ChangeCheckLine(UuidModel):
    """One question of a check, and the difference that the change makes. No words."""

    check_of = models.ForeignKey(ChangeCheck, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField(help_text="From 1.")
    asked_for = models.CharField(max_length=10, choices=[(each.value, each.value) for each in AskedFor])
    query = models.ForeignKey(
        Query, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="That somebody asked."
    )
    person = models.ForeignKey(
        User, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Who asked it."
    )
    role = models.ForeignKey(
        Role, on_delete=models.SET_NULL, null=True, blank=True, related_name="+", help_text="As whom the library asks."
    )
    outcome = models.CharField(max_length=10, choices=[(each.value, OUTCOMES_IN_WORDS[each]) for each in Outcome])
    is_worse = models.BooleanField(help_text="It fails, vanishes, is disputed, or was right and is not any more.")
    is_displaced = models.BooleanField(
        default=False, help_text="It cites other documents, and none of those of before."
    )
    gains = models.PositiveIntegerField(default=0, help_text="Documents cited that this reader cannot read now.")

    class Meta:
        ordering: ClassVar = ["check_of", "number"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["check_of", "number"], name="one_check_line_per_number")
        ]

    def __str__(self) -> str:
        return f"question {self.number} of {self.check_of_id}"


class ChangeCheckSource(UuidModel):
    """An edition that a question was written from, or that its answer without the change or with it cites."""

    line = models.ForeignKey(ChangeCheckLine, on_delete=models.CASCADE, related_name="sources")
    document = models.ForeignKey(Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    document_version = models.PositiveIntegerField()
    side = models.CharField(max_length=10, choices=[(each.value, each.value) for each in Side])

    objects = QuoteQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["line", "document", "document_version", "side"], name="one_check_source_per_edition"
            )
        ]

    def __str__(self) -> str:
        return f"source of {self.line_id}"


class ChangeCheckWords(models.Model):
    """The words of one of the library's own questions, and its answers without the change and with it.

    Row-level security shows them to no transaction but one that states an audience which may read every source of the
    line, and to maintenance. The database deletes them when a document among the sources is deleted.
    """

    line = words_of(ChangeCheckLine)
    question = MaskedTextField()
    before_text = MaskedTextField(blank=True, help_text="Empty where nothing was answered.")
    after_text = MaskedTextField(blank=True, help_text="Empty where nothing was answered, or of a new document.")

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"words of {self.line_id}"
