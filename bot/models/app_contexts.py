"""Store the channels that people have open in Slack beside the messages with Footnote."""

from typing import ClassVar

from django.db import models

from core.models.base import UuidModel


class AppContext(UuidModel):
    """The channel that one Slack user had open beside Footnote at `seen_at`. It counts for minutes only."""

    team_id = models.CharField(max_length=32)
    slack_user_id = models.CharField("Slack user", max_length=32)
    channel_id = models.CharField(max_length=32, blank=True, help_text="Empty if no channel was open.")
    seen_at = models.DateTimeField(help_text="When it was so, as Slack says.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "slack_user_id"], name="one_app_context_per_person")
        ]
        indexes: ClassVar = [models.Index(fields=["seen_at"], name="app_context_seen")]

    def __str__(self) -> str:
        return f"{self.team_id}/{self.slack_user_id}"
