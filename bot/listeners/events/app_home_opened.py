"""Somebody opens our Home tab."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.listeners.home_tab import publish


def on_home_opened(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show the tab as it is for this person now."""
    event = body["event"]
    if event.get("tab") == "home":
        publish(client, context["team_id"], event["user"], event.get("channel") or "-", event.get("view") or {})
