"""Digests of a week's figures."""

from typing import ClassVar

from django.db import models

from core.models.base import UuidModel


class Digest(UuidModel):
    """The digest of one week in one channel, and the one message that it is. It holds no text and no figure."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting to be posted"
        POSTED = "posted"
        FAILED = "failed"

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    week = models.DateField(help_text="The Monday on which the week began.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the posted message.")
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    posted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id", "week"], name="one_digest_per_channel_and_week")
        ]

    def __str__(self) -> str:
        return f"{self.channel_id}, week of {self.week}"
