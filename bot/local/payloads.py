"""What Slack sends to an app, built from the local workspace: events and interactions, in Slack's shapes.

Shapes after https://docs.slack.dev/reference/events and https://docs.slack.dev/reference/interaction-payloads.
"""

import secrets
import time
from typing import Any

from bot.local.accounts import slack_id
from bot.local.models import LocalChannel, LocalMessage, LocalView, now_ts
from bot.local.shapes import Json, message_shape, view_shape
from bot.workspace import LOCAL_APP_ID, LOCAL_BOT_USER_ID, LOCAL_TEAM_ID
from core.models import User

TEAM_DOMAIN = "local"


def message_events(message: LocalMessage, author: User) -> list[Json]:
    """The events of a person's message: a mention in a channel comes as two, as it does from Slack."""
    channel = message.channel
    common: Json = {
        "user": slack_id(author),
        "text": message.text,
        "ts": message.ts,
        "client_msg_id": secrets.token_hex(16),
        "team": LOCAL_TEAM_ID,
        "channel": channel.channel_id,
        "event_ts": message.ts,
    }
    if message.thread_ts:
        common["thread_ts"] = message.thread_ts
    events = [{"type": "message", "channel_type": channel.channel_type, **common}]
    if not channel.is_im and f"<@{LOCAL_BOT_USER_ID}>" in message.text:
        events.insert(0, {"type": "app_mention", **common})
    return [_envelope(event) for event in events]


def message_action(message: LocalMessage, person: User, action: Json, trigger_id: str) -> Json:
    """A press on an element of a message."""
    channel = message.channel
    container: Json = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.channel_id,
        "is_ephemeral": message.only_for is not None,
    }
    if message.thread_ts:
        container["thread_ts"] = message.thread_ts
    return {
        **_interaction("block_actions", person),
        "container": container,
        "channel": {"id": channel.channel_id, "name": _channel_name(channel)},
        "message": message_shape(message),
        "state": {"values": {}},
        "trigger_id": trigger_id,
        "actions": [action],
    }


def view_action(view: LocalView, person: User, action: Json, trigger_id: str) -> Json:
    """A press on an element of a modal."""
    return {
        **_interaction("block_actions", person),
        "container": {"type": "view", "view_id": view.view_id},
        "view": view_shape(view),
        "trigger_id": trigger_id,
        "actions": [action],
    }


def pressed(element: Json, block: Json, value: str) -> Json:
    """The action that a press on an element makes."""
    action = {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block["block_id"],
        "value": value,
        "action_ts": now_ts(),
    }
    return action | {key: element[key] for key in ("text", "style") if key in element}


def view_closed(view: LocalView, person: User) -> Json:
    """A modal was closed by the person."""
    return {**_interaction("view_closed", person), "view": view_shape(view), "is_cleared": False}


def _envelope(event: Json) -> Json:
    return {
        "token": "local",
        "team_id": LOCAL_TEAM_ID,
        "context_team_id": LOCAL_TEAM_ID,
        "api_app_id": LOCAL_APP_ID,
        "event": event,
        "type": "event_callback",
        "event_id": f"Ev{secrets.token_hex(5).upper()}",
        "event_time": int(time.time()),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": LOCAL_TEAM_ID,
                "user_id": LOCAL_BOT_USER_ID,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": False,
        "event_context": secrets.token_hex(8),
    }


def _interaction(kind: str, person: User) -> dict[str, Any]:
    name = person.email.partition("@")[0]
    return {
        "type": kind,
        "user": {"id": slack_id(person), "username": name, "name": name, "team_id": LOCAL_TEAM_ID},
        "api_app_id": LOCAL_APP_ID,
        "token": "local",
        "team": {"id": LOCAL_TEAM_ID, "domain": TEAM_DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _channel_name(channel: LocalChannel) -> str:
    return "directmessage" if channel.is_im else channel.name
