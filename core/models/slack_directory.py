"""Keep Slack's channels and usergroups, to choose them by name and to show who reads a channel.

Nothing here decides who reads: each answer asks Slack again.
"""

from typing import ClassVar
from uuid import UUID

from django.db import models

from core.models.base import UuidModel
from core.types import Audience


class SlackChannel(UuidModel):
    """A channel that Footnote is in."""

    team_id = models.CharField("Slack team", max_length=32)
    channel_id = models.CharField(max_length=32)
    name = models.CharField(max_length=100)
    is_private = models.BooleanField(default=False)
    role_sets = models.JSONField(
        null=True, blank=True, help_text="The roles of its readers, one set for each kind of reader, when last asked."
    )
    readers_at = models.DateTimeField(null=True, blank=True, help_text="When its readers were last asked for.")

    class Meta:
        ordering: ClassVar = ["team_id", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "channel_id"], name="one_row_per_slack_channel")
        ]

    def __str__(self) -> str:
        return f"#{self.name}"

    @property
    def audience(self) -> Audience | None:
        """The readers when Slack was last asked; None while it has not been."""
        if self.role_sets is None:
            return None
        sets = [{UUID(role) for role in roles} for roles in self.role_sets]
        return Audience.of(sets) if sets else Audience.nobody()


class SlackUsergroup(UuidModel):
    """A usergroup of a connected workspace."""

    team_id = models.CharField("Slack team", max_length=32)
    usergroup_id = models.CharField(max_length=32)
    handle = models.CharField(max_length=100)
    name = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering: ClassVar = ["team_id", "handle"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team_id", "usergroup_id"], name="one_row_per_slack_usergroup")
        ]

    def __str__(self) -> str:
        return f"@{self.handle}" + (f" ({self.name})" if self.name and self.name != self.handle else "")
