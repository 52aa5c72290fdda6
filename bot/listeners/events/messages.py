"""Read a message event before it is known to be a question to us."""

from typing import Any

from bot.channels.beside import find_context_channel
from bot.channels.settings import may_search_messages
from bot.intake import Incoming
from bot.models import SlackEvent
from bot.slack.authors import is_persons


def is_from_person(body: dict[str, Any]) -> bool:
    """True for a message that a person typed, and that says where and when: else it would not do so the next time."""
    event = body["event"]
    is_placed = bool(event.get("channel") and event.get("ts") and body.get("event_id"))
    return is_placed and is_persons(event, own_user_id=read_own_user_id(body))


def read_own_user_id(body: dict[str, Any]) -> str:
    """Our own Slack user, as the event's authorizations name it; empty when they do not."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot"):
            return str(authorization.get("user_id") or "")
    return ""


def build_incoming(body: dict[str, Any], *, team_id: str, kind: SlackEvent.Kind) -> Incoming:
    """A message as a question, to be answered in its thread.

    Slack's leave to search goes along only with a direct message, of which the asker alone reads the answer, in a
    workspace that may be searched.
    """
    event = body["event"]
    text = event.get("text") or ""
    searches = kind == SlackEvent.Kind.DIRECT and may_search_messages(team_id)
    return Incoming(
        event_id=body["event_id"],
        team_id=team_id,
        channel_id=event["channel"],
        user_id=event["user"],
        kind=kind,
        ts=event["ts"],
        thread_ts=event.get("thread_ts") or event["ts"],
        text=text,
        context_channel_id=find_context_channel(
            team_id=team_id, slack_user_id=event["user"], text=text, context=event.get("app_context")
        )
        if kind == SlackEvent.Kind.DIRECT
        else "",
        action_token=_read_action_token(event) if searches else "",
    )


def _read_action_token(event: dict[str, Any]) -> str:
    """Return Slack's leave to search for who wrote a message; empty where there is none.

    It stands in the event (slack-go/slack#1577), and for apps of the time before in its assistant_thread.
    """
    found = event.get("action_token") or (event.get("assistant_thread") or {}).get("action_token")
    return found if isinstance(found, str) else ""
