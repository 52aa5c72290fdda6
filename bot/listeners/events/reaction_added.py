"""Somebody adds an emoji to a message. One of them asks what the message says."""

from typing import Any

from django.conf import settings
from slack_bolt import BoltContext

from bot import intake
from bot.listeners.events.messages import read_own_user_id
from bot.models import SlackEvent

_SKIN_TONE = "::"  # comes behind a name


def on_reaction(body: dict[str, Any], context: BoltContext) -> None:
    """Store the message as a question of whoever added the emoji that asks, once for each message.

    What it says is not told here: the worker reads it. In direct messages every message is a question already.
    """
    event, own = body["event"], read_own_user_id(body)
    item = event["item"]
    channel_id, ts = item.get("channel") or "", item.get("ts") or ""
    if event["reaction"].partition(_SKIN_TONE)[0] != settings.SLACK_ASK_EMOJI or own in (
        event["user"],
        event.get("item_user"),
    ):
        return
    if item["type"] != "message" or not (channel_id and ts and body.get("event_id")) or channel_id.startswith("D"):
        return
    intake.receive(
        intake.Incoming(
            event_id=body["event_id"],
            team_id=context["team_id"],
            channel_id=channel_id,
            user_id=event["user"],
            kind=SlackEvent.Kind.REACTION,
            ts=ts,
            thread_ts=ts,  # until it is known in which thread the message stands
        )
    )
