"""Somebody opens the card of a document."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.links.details import present


def on_details_requested(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show what they may read of it, within the three seconds for which Slack takes an answer."""
    event = body["event"]
    present(
        client,
        team_id=context["team_id"],
        slack_user_id=event["user"],
        channel_id=event.get("channel") or "",
        address=event["entity_url"],
        trigger_id=event["trigger_id"],
    )
