"""Researches: a topic, the questions of its plan, and which stored question each became.

What came of a question is stored as of every other (core.models.conversations); only the plan is here, with the
editions whose words may be in it.
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from core import types
from core.models.base import UuidModel
from core.models.conversations import ORIGINS_IN_WORDS, Query
from core.models.masking import MaskedCharField, MaskedTextField
from core.models.people import User
from core.models.token_audiences import WithTokenAudience, one_kind_of_audience
from core.types import Origin
from core.values.research import LONGEST_HEADING, MOST_MINUTES, Outcome, ResearchState, StopReason


class Research(UuidModel, WithTokenAudience):
    """A topic that is looked into by many questions, for its asker and for whom their program asks besides."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="researches")
    origin = models.CharField(max_length=10, choices=[(each.value, ORIGINS_IN_WORDS[each]) for each in Origin])
    topic = models.TextField(help_text="As it was typed; empty once it is erased.")
    filters = models.JSONField(default=dict, blank=True, help_text="As given with the topic.")
    state = models.CharField(
        max_length=10, choices=[(each.value, each.value) for each in ResearchState], default=ResearchState.PLANNED
    )
    stop_reason = models.CharField(max_length=10, choices=[(each.value, each.value) for each in StopReason], blank=True)
    most_minutes = models.PositiveSmallIntegerField(
        default=15, validators=[MinValueValidator(1), MaxValueValidator(MOST_MINUTES)]
    )
    most_usd = models.DecimalField(max_digits=10, decimal_places=4, null=True, blank=True)
    planned_by = models.CharField(
        max_length=200, blank=True, help_text="The model that wrote the plan; empty: by rules."
    )
    planning_tokens = models.PositiveIntegerField(default=0)
    planning_usd = models.DecimalField(max_digits=10, decimal_places=6, default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When the worker last made progress.")
    finished_at = models.DateTimeField(null=True, blank=True)
    stop_asked_at = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "research"
        verbose_name_plural = "researches"
        ordering: ClassVar = ["-created_at"]
        default_permissions = ()  # each is its asker's alone; the report has figures and no words
        constraints: ClassVar = [
            one_kind_of_audience("research_for_one_kind"),
            models.CheckConstraint(
                condition=models.Q(state__in=[each.value for each in ResearchState]), name="research_state_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="research_user_created")]

    def __str__(self) -> str:
        return f"Research of {self.created_at:%Y-%m-%d %H:%M}"


class ResearchLine(UuidModel):
    """A question of a research's plan."""

    research = models.ForeignKey(Research, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveSmallIntegerField(help_text="From 1, in the order of the plan.")
    heading = MaskedCharField(max_length=LONGEST_HEADING, blank=True)
    text = MaskedTextField(help_text="Empty once it is erased.")
    filters = models.JSONField(default=dict, blank=True)
    made_of_documents = ArrayField(
        models.UUIDField(), default=list, blank=True, help_text="Documents whose words may be in the heading or text."
    )
    made_of_versions = ArrayField(
        models.PositiveIntegerField(), default=list, blank=True, help_text="The edition of each of them."
    )
    outcome = models.CharField(
        max_length=10, choices=[(each.value, each.value) for each in Outcome], default=Outcome.OPEN
    )
    query = models.OneToOneField(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="research_line")

    class Meta:
        verbose_name = "question of a research"
        verbose_name_plural = "questions of a research"
        ordering: ClassVar = ["research", "number"]
        default_permissions = ()
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["research", "number"],
                name="research_line_number",
                deferrable=models.Deferrable.DEFERRED,
            )
        ]

    def __str__(self) -> str:
        return f"Question {self.number} of {self.research_id}"

    @property
    def made_of(self) -> tuple[types.Edition, ...]:
        """The editions whose words may be in it."""
        named = zip(self.made_of_documents, self.made_of_versions, strict=True)
        return tuple(types.Edition(document, version) for document, version in named)
