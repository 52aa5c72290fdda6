"""Content gaps: questions that the library did not answer, grouped by meaning. They hold no text of questions.

A gap is called by the words of one of its questions, read where questions are kept: erased there, they are gone here.
"""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from pgvector.django import VectorField

from core.models.base import UuidModel
from core.models.conversations import Query
from core.models.people import User


class ContentGap(UuidModel):
    """Questions that mean about the same, and what is done about them."""

    class State(models.TextChoices):
        OPEN = "open", "open"
        INVITED = "invited", "invited"
        NOT_OURS = "not_ours", "not ours"
        CLOSED = "closed", "closed"

    class Heap(models.TextChoices):
        NOTHING = "nothing", "nothing near it"
        UNSURE = "unsure", "found but unsure"

    label_query = models.ForeignKey(
        Query,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The question nearest to the middle of the group: its words name the gap.",
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    heap = models.CharField(
        max_length=10,
        choices=Heap.choices,
        default=Heap.NOTHING,
        db_default=Heap.NOTHING,
        help_text="Unsure: for most of its questions something was found that may answer.",
    )
    invited = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, blank=True, related_name="invited_to_gaps", verbose_name="invited"
    )
    invited_at = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True, max_length=1000)
    asked = models.PositiveIntegerField(default=0, help_text="How many times it was asked without a good answer.")
    people = models.PositiveIntegerField(default=0, help_text="By how many people.")
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "content gap"
        ordering: ClassVar = ["-last_seen"]
        default_permissions = ()  # those below say it: what is written here comes of questions
        permissions: ClassVar = [
            ("view_gaps", "Can see which questions the library does not answer"),
            ("manage_gaps", "Can decide what is done about such questions"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(first_seen__lte=models.F("last_seen")), name="gap_seen_in_order"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-last_seen"], name="gap_last_seen"),
            models.Index(fields=["state", "-asked"], name="gap_state_asked"),
        ]

    def __str__(self) -> str:
        return f"Content gap of {self.first_seen:%Y-%m-%d}"


class GapQuestion(UuidModel):
    """A question of a gap."""

    class Outcome(models.TextChoices):
        REFUSED = "refused", "refused"
        UNSURE = "unsure", "unsure"
        VOTED_DOWN = "voted_down", "voted down"
        ANSWERED = "answered", "answered"

    gap = models.ForeignKey(ContentGap, on_delete=models.CASCADE, related_name="questions")
    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="gap_question")
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    asked_at = models.DateTimeField(help_text="As of its question.")
    found = models.FloatField(
        null=True,
        blank=True,
        help_text="How probably the best passage found answers, 0 to 1, as it was read; empty without a reader.",
    )
    embedding = VectorField(null=True, blank=True, help_text="Of the question; erased with its text.")
    embedding_model = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        ordering: ClassVar = ["-asked_at"]
        indexes: ClassVar = [models.Index(fields=["gap", "-asked_at"], name="gap_question_asked")]

    def __str__(self) -> str:
        return f"{self.query_id} of {self.gap_id}"


class GapCheck(UuidModel):
    """The result of asking a gap's questions again, each with its asker's access."""

    gap = models.ForeignKey(ContentGap, on_delete=models.CASCADE, related_name="checks")
    checked_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    asked = models.PositiveSmallIntegerField()
    answered = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(answered__lte=models.F("asked")), name="gap_check_in_bounds"),
        ]

    def __str__(self) -> str:
        return f"{self.answered} of {self.asked} answered"


class GapUpdate(models.Model):
    """The last time at which the list of gaps was brought up to date; one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    updated_at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [models.CheckConstraint(condition=Q(id=1), name="one_gap_update")]

    def __str__(self) -> str:
        return f"gaps of {self.updated_at:%Y-%m-%d %H:%M}"
