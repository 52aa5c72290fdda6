"""Interactions: what Slack tells an app that somebody pressed, chose or sent.

Shapes after https://docs.slack.dev/reference/interaction-payloads.
"""

from bot.local.accounts import slack_id
from bot.local.models import LocalChannel, LocalMessage, LocalView, ResponseAddress, now_ts
from bot.local.payloads.common import TEAM_DOMAIN, account_name, channel_name, response_url
from bot.local.shapes import Json, message_shape, view_shape
from bot.workspace import LOCAL_APP_ID, LOCAL_TEAM_ID
from core.models import User


def message_press(
    message: LocalMessage, person: User, action: Json, *, trigger_id: str, address: ResponseAddress
) -> Json:
    """A press on an element of a message. Of an ephemeral message, Slack does not send what it says."""
    payload = {
        **_interaction("block_actions", person),
        "container": {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": message.channel.channel_id,
            "is_ephemeral": message.only_for is not None,
            **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
        },
        "channel": _channel(message.channel),
        "state": {"values": {}},
        "trigger_id": trigger_id,
        "response_url": response_url(address),
        "actions": [action],
    }
    return payload if message.only_for else payload | {"message": message_shape(message)}


def view_press(view: LocalView, person: User, action: Json, *, trigger_id: str) -> Json:
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


def _interaction(kind: str, person: User) -> Json:
    name = account_name(person)
    return {
        "type": kind,
        "user": {"id": slack_id(person), "username": name, "name": name, "team_id": LOCAL_TEAM_ID},
        "api_app_id": LOCAL_APP_ID,
        "token": "local",
        "team": {"id": LOCAL_TEAM_ID, "domain": TEAM_DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _channel(channel: LocalChannel) -> Json:
    return {"id": channel.channel_id, "name": channel_name(channel)}
