"""What is to be known of a message event before it is a question to us."""

from typing import Any

from bot.intake import Incoming
from bot.models import SlackEvent

# A message of a person has no subtype, except when it brings a file along or is shown in the channel as well.
_PERSONS_SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
_SLACKBOT = "USLACKBOT"


def is_from_person(body: dict[str, Any]) -> bool:
    """True for a message that a person typed: not by a bot (us included), no edit, no join, no other notice.

    What does not say where and when it was typed is none either: it would not do so the next time it is sent.
    """
    event = body["event"]
    author = event.get("user")
    return (
        bool(author and event.get("channel") and event.get("ts") and body.get("event_id"))
        and author != _SLACKBOT
        and author != read_own_user_id(body)
        and not event.get("bot_id")
        and not event.get("hidden")
        and (event.get("subtype") or "") in _PERSONS_SUBTYPES
    )


def read_own_user_id(body: dict[str, Any]) -> str:
    """Our own Slack user, as the event's authorizations name it; empty when they do not."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot"):
            return str(authorization.get("user_id") or "")
    return ""


def build_incoming(body: dict[str, Any], *, team_id: str, kind: SlackEvent.Kind) -> Incoming:
    """A message as a question, to be answered in its thread."""
    event = body["event"]
    return Incoming(
        event_id=body["event_id"],
        team_id=team_id,
        channel_id=event["channel"],
        user_id=event["user"],
        kind=kind,
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        text=event.get("text") or "",
    )
