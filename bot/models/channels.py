"""Store Slack's recent descriptions of channels."""

from typing import ClassVar

from django.db import models


class ChannelKind(models.Model):
    """The readers of a channel by its kind, as Slack described it at `checked_at`.

    It is in the database so that all processes forget it when one hears of a change.
    """

    class ReadBy(models.TextChoices):
        MEMBERS = "members"  # a private channel, a group message, direct messages
        WORKSPACE = "workspace", "everyone in the workspace"  # a public channel
        OTHERS = "others", "other organisations too"  # shared, about to be, or unknown

    team_id = models.CharField(max_length=32)
    channel_id = models.CharField(max_length=32)
    read_by = models.CharField(max_length=10, choices=ReadBy.choices)
    checked_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_kind_per_channel")]

    def __str__(self) -> str:
        return f"{self.team_id}/{self.channel_id}"
