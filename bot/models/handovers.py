"""Questions that were handed to people."""

from typing import ClassVar

from django.db import models

from bot.models.delivery import Reply
from core.models import Query
from core.models.base import UuidModel


class HandOver(UuidModel):
    """A question that somebody handed to people, and the one message that asks them. It holds no text."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be posted"
        OPEN = "open"
        RESOLVED = "resolved"
        FAILED = "failed"

    query = models.OneToOneField(Query, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    reply = models.ForeignKey(Reply, on_delete=models.CASCADE, related_name="hand_overs")
    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32, help_text="Where people are asked.")
    thread_ts = models.CharField(max_length=32, blank=True, help_text="Empty if the message starts a thread.")
    asked_by = models.CharField("asked by", max_length=32, help_text="The Slack user who handed the question over.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    resolved_by = models.CharField(max_length=32, blank=True, help_text="The Slack user who marked it as resolved.")
    created_at = models.DateTimeField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "hand-over"
        ordering: ClassVar = [models.F("resolved_at").asc(nulls_first=True), "-created_at"]  # what is open first
        indexes: ClassVar = [models.Index(fields=["team_id", "channel_id", "thread_ts"], name="hand_over_of_thread")]

    def __str__(self) -> str:
        return f"Hand-over in {self.channel_id}"
