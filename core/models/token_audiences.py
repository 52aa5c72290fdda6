"""The columns that say for whom a program asks, of whatever keeps it: tokens and conversations."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from core.values.token_audience import TokenAudience


def columns_of(audience: TokenAudience) -> dict[str, Any]:
    """Return the columns of an audience by name: to make a row with, or to find those that were made for the same."""
    return {
        "for_people": sorted(audience.people),
        "for_team": audience.team_id,
        "for_channel": audience.channel_id,
    }


def one_kind_of_audience(name: str) -> models.CheckConstraint:
    """Return the constraint of this name that a row is for people, for a whole channel, or for neither."""
    is_no_channel = Q(for_team="", for_channel="")
    is_channel = ~Q(for_team="") & ~Q(for_channel="") & Q(for_people=[])
    return models.CheckConstraint(condition=is_no_channel | is_channel, name=name)


class WithTokenAudience(models.Model):
    """A row that was made on behalf of people, or of a Slack channel. Give it the constraint `one_kind_of_audience`.

    The people are ids without foreign keys: who is deleted stays named, and reads nothing.
    """

    for_people = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        db_default=[],
        editable=False,
        help_text="People who must all be able to read what is shown, besides the person.",
    )
    for_team = models.CharField(max_length=32, blank=True, default="", db_default="", editable=False)
    for_channel = models.CharField(
        max_length=32,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="The Slack channel whose readers must all be able to read what is shown, besides the person.",
    )

    class Meta:
        abstract = True

    @property
    def asks_for(self) -> TokenAudience:
        """Return for whom it asks besides its person."""
        return TokenAudience(people=frozenset(self.for_people), team_id=self.for_team, channel_id=self.for_channel)
