"""Somebody opens our Home tab, or the direct messages with us."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.assistant.openings import take_opening
from bot.listeners.events.app_context_changed import note_folded_context
from bot.listeners.home_tab import publish


def on_home_opened(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show the tab as it is for this person now; in the messages, let the worker suggest questions.

    The channel that they have open beside it is remembered.
    """
    event, team_id = body["event"], context["team_id"]
    note_folded_context(body, team_id)
    tab, channel = event.get("tab"), event.get("channel") or ""
    if tab == "home":
        publish(client, team_id, event["user"], channel or "-", event.get("view") or {})
    elif tab == "messages" and channel and body.get("event_id"):
        take_opening(event_id=body["event_id"], team_id=team_id, channel_id=channel, slack_user_id=event["user"])
