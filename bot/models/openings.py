"""People who have opened the direct messages with Footnote, where it is an agent."""

from typing import ClassVar

from django.db import models

from core.models.base import UuidModel


class Opening(UuidModel):
    """One person's direct messages with Footnote, from when they first opened them: there they are greeted once."""

    team_id = models.CharField(max_length=32)
    slack_user_id = models.CharField("Slack user", max_length=32)
    channel_id = models.CharField(max_length=32)
    last_event_id = models.CharField(max_length=200, help_text="Slack's id of the last time it was opened.")
    ts = models.CharField(max_length=32, blank=True, help_text="Slack's id of the greeting; empty if there is none.")
    opened_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "slack_user_id"], name="one_opening_per_person")
        ]

    def __str__(self) -> str:
        return f"{self.team_id}/{self.channel_id}"
