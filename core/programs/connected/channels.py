"""The channels for which somebody can let a program ask, instead of for themselves alone."""

from typing import Any

from core.models import SlackChannel, SlackIdentity, User
from core.signals import own_channels_asked


def list_own_channels(person: User) -> list[SlackChannel]:
    """Return the channels that both the person and Footnote are in, by name; none where Slack cannot be asked."""
    found: list[SlackChannel] = []
    for team_id, account in SlackIdentity.objects.filter(user=person).values_list("team_id", "slack_user_id"):
        answers: list[tuple[Any, Any]] = own_channels_asked.send(
            sender=list_own_channels, team_id=team_id, slack_user_id=account
        )
        own: frozenset[str] = next((answer for _, answer in answers), frozenset())
        found += SlackChannel.objects.filter(team_id=team_id, channel_id__in=own)
    return sorted(found, key=lambda channel: channel.name)
