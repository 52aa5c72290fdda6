"""What came in from Slack and what went out: one row each, so that every question gets exactly one reply."""

from typing import ClassVar

from django.db import models

from core.models import Query
from core.models.base import UuidModel


class SlackEvent(UuidModel):
    """A question somebody asked in Slack, stored before Slack hears that it arrived.

    Slack sends an event again when it gets no answer in time, and sends a mention as two events: both unique keys
    are needed to answer once.
    """

    class Kind(models.TextChoices):
        MENTION = "mention"
        DIRECT = "direct", "direct message"

    class State(models.TextChoices):
        RECEIVED = "received"
        ANSWERED = "answered"
        FAILED = "failed"

    event_id = models.CharField(max_length=64, unique=True)
    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    user_id = models.CharField("Slack user", max_length=32)
    ts = models.CharField(max_length=32, help_text="Slack's id of the message in its channel.")
    thread_ts = models.CharField(max_length=32, help_text="The thread to answer in; the message's own ts starts one.")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    text = models.TextField(blank=True, help_text="Erased as soon as the query holds the question.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    received_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-received_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id", "ts"], name="one_event_per_message")
        ]
        indexes: ClassVar = [
            models.Index(fields=["received_at"], condition=models.Q(state="received"), name="slack_event_open"),
            models.Index(fields=["-received_at"], name="slack_event_received"),
        ]

    def __str__(self) -> str:
        return self.event_id


class Reply(UuidModel):
    """The one message that answers an event: a placeholder first, then edited into the answer."""

    class State(models.TextChoices):
        PENDING = "pending"
        PLACED = "placed", "placeholder posted"
        POSTED = "posted"
        FAILED = "failed"

    event = models.OneToOneField(SlackEvent, on_delete=models.CASCADE, related_name="reply")
    query = models.ForeignKey(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    channel_id = models.CharField(max_length=32)
    thread_ts = models.CharField(max_length=32)
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True, help_text="What Slack or the answering said, as a code.")
    created_at = models.DateTimeField(auto_now_add=True)
    placed_at = models.DateTimeField(null=True, blank=True)
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "replies"
        ordering: ClassVar = ["-created_at"]
        indexes: ClassVar = [
            models.Index(fields=["-created_at"], condition=models.Q(state="failed"), name="reply_failed")
        ]

    def __str__(self) -> str:
        return f"reply to {self.event_id}"
