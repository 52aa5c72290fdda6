"""A channel was shared with another organisation or not any more, or made private or public."""

from typing import Any

from bot.identity.channel_kinds import forget

# Slack tells of these by a notice in the channel: https://docs.slack.dev/reference/events/message
_NOTICES = frozenset({"channel_convert_to_private", "channel_convert_to_public"})


def on_channel_shared(body: dict[str, Any]) -> None:
    """Another organisation was added to the channel."""
    forget_channel(body)


def on_channel_unshared(body: dict[str, Any]) -> None:
    """An organisation left it."""
    forget_channel(body)


def tells_of_change(body: dict[str, Any]) -> bool:
    """Return True if a message is Slack's notice that its channel was made private or public."""
    return body["event"].get("subtype") in _NOTICES


def forget_channel(body: dict[str, Any]) -> None:
    """Ask Slack anew who reads the channel of an event."""
    forget(body["event"].get("channel") or "")
