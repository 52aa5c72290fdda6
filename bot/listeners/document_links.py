"""Hear of posted links to documents, and of people who open the card of one."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.links import present_details, receive_links

# Before a message is posted Slack does not say where it will be, and so not who will read it; what is shown then goes
# along with the message: https://docs.slack.dev/messaging/unfurling-links-in-messages#composer-unfurls
_BEFORE_IT_IS_POSTED = "composer"


def on_link_shared(body: dict[str, Any], context: BoltContext) -> None:
    """Store the links of a posted message; Slack hears 200 when they are stored. What is being typed shows nothing."""
    event = body["event"]
    channel, user = event.get("channel") or "", event.get("user") or ""
    if event.get("source") == _BEFORE_IT_IS_POSTED or channel.casefold() == _BEFORE_IT_IS_POSTED:
        return
    if not (channel and user and body.get("event_id")):
        return
    receive_links(
        event_id=body["event_id"],
        team_id=context["team_id"],
        channel_id=channel,
        user_id=user,
        message_ts=event["message_ts"],
        urls=[link["url"] for link in event["links"]],
    )


def on_details_requested(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show what they may read of it, within the three seconds for which Slack takes an answer."""
    event = body["event"]
    present_details(
        client,
        team_id=context["team_id"],
        slack_user_id=event["user"],
        channel_id=event.get("channel") or "",
        address=event["entity_url"],
        trigger_id=event["trigger_id"],
    )
