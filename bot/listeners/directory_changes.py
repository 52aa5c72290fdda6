"""Hear of changed accounts, usergroups and channels: what Slack said of them before counts no more."""

from typing import Any

from slack_bolt import BoltContext

from bot.identity.channel_kinds import forget
from bot.identity.people import note_change
from bot.identity.usergroups import queue_synchronisation

# Slack tells of these by a notice in the channel: https://docs.slack.dev/reference/events/message
_NOTICES = frozenset({"channel_convert_to_private", "channel_convert_to_public"})


def on_user_change(body: dict[str, Any], context: BoltContext) -> None:
    """Believe nothing earlier of whose account it was: the next question or interaction asks Slack.

    The usergroups are asked as well when the account is nobody's now, or another person's: Slack tells of every new
    status, and a large workspace has many of those.
    """
    person, owners = note_change(context["team_id"], body["event"]["user"])
    if not person.is_member or owners - {person.user_id}:
        queue_synchronisation(context["team_id"])


def on_usergroup_updated(body: dict[str, Any], context: BoltContext) -> None:
    """Ask Slack again who is in a usergroup that was renamed, switched off or on."""
    queue_synchronisation(context["team_id"], body["event"]["subteam"]["id"])


def on_usergroup_members_changed(body: dict[str, Any], context: BoltContext) -> None:
    """Ask Slack again who is in a usergroup into which somebody came, or from which somebody went."""
    queue_synchronisation(context["team_id"], body["event"]["subteam_id"])


def on_channel_shared(body: dict[str, Any]) -> None:
    """Forget who reads a channel to which another organisation was added."""
    forget_channel(body)


def on_channel_unshared(body: dict[str, Any]) -> None:
    """Forget who reads a channel that an organisation left."""
    forget_channel(body)


def tells_of_change(body: dict[str, Any]) -> bool:
    """Return True if a message is Slack's notice that its channel was made private or public."""
    return body["event"].get("subtype") in _NOTICES


def forget_channel(body: dict[str, Any]) -> None:
    """Ask Slack anew who reads the channel of an event."""
    forget(body["event"].get("channel") or "")
