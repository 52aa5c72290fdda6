"""Somebody opens another channel beside the messages with us, where we are an agent."""

from typing import Any

from slack_bolt import BoltContext

from bot.channels.beside import note_context


def on_context_changed(body: dict[str, Any], context: BoltContext) -> None:
    """Remember the channel for a few minutes."""
    event = body["event"]
    user = event.get("user") or _find_person(body)
    if user:
        note_context(
            team_id=context["team_id"], slack_user_id=user, context=event.get("context"), at=_read_moment(body)
        )


def note_folded_context(body: dict[str, Any], team_id: str) -> None:
    """Remember the channel that another event tells of besides."""
    event = body["event"]
    if event.get("context") is not None:
        note_context(team_id=team_id, slack_user_id=event["user"], context=event["context"], at=_read_moment(body))


def _find_person(body: dict[str, Any]) -> str:
    """The person of an event that names none itself: https://docs.slack.dev/reference/events/app_context_changed."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot") is False:
            return str(authorization.get("user_id") or "")
    return ""


def _read_moment(body: dict[str, Any]) -> float:
    """Return when it happened, in seconds since 1970: by the event, which is more exact, or by its envelope."""
    return float(body["event"].get("event_ts") or body["event_time"])
