"""Questions to the owners of documents that may be out of date."""

from typing import ClassVar

from django.db import models

from bot.models.delivery import Reply
from core.models import Document, Query, User
from core.models.base import UuidModel


class OwnerQuestion(UuidModel):
    """A question to the owner of a document that an answer cites: whether it still holds. One message asks it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be posted"
        OPEN = "open"
        ANSWERED = "answered"
        FAILED = "failed"

    class Verdict(models.TextChoices):
        HOLDS = "holds", "it still holds"
        OUTDATED = "outdated", "it is out of date"
        WRITTEN = "written", "the owner wrote something"

    query = models.ForeignKey(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="+")
    document_version = models.PositiveIntegerField(help_text="The version that the answer cites.")
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    team_id = models.CharField(max_length=32)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    channel_id = models.CharField(max_length=32, blank=True, help_text="The direct messages with the owner.")
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the message that asks.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    verdict = models.CharField(max_length=10, choices=Verdict.choices, blank=True)
    words = models.TextField(blank=True, help_text="What the owner wrote; erased when everybody who asked was told.")
    created_at = models.DateTimeField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["query", "document"],
                condition=models.Q(state__in=["waiting", "open"]),
                name="one_open_question_to_an_owner",
            )
        ]

    def __str__(self) -> str:
        return f"question about {self.document_id}"


class OwnerQuestionAsker(UuidModel):
    """Somebody who wants to know what the owner says, and is told it in a direct message."""

    question = models.ForeignKey(OwnerQuestion, on_delete=models.CASCADE, related_name="askers")
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="+", help_text="Below which they asked.")
    slack_user_id = models.CharField("Slack user", max_length=32)
    channel_id = models.CharField(max_length=32, blank=True, help_text="The direct messages with them.")
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the message that tells them.")
    attempts = models.PositiveSmallIntegerField(default=0)
    told_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["question", "slack_user_id"], name="one_wish_per_question_to_an_owner")
        ]

    def __str__(self) -> str:
        return f"asker of {self.question_id}"
