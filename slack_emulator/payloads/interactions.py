"""Build the interactions that Slack sends an app: presses, choices and submissions.

Shapes after https://docs.slack.dev/reference/interaction-payloads.
"""

from collections.abc import Sequence

from django.conf import settings
from django.urls import reverse

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_TEAM_ID
from core.models import User
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import LocalChannel, LocalHome, LocalMessage, LocalView, ResponseAddress, make_ts
from slack_emulator.shapes import Json, shape_message, shape_view

TEAM_DOMAIN = "local"


def build_command_form(address: ResponseAddress, *, command: str, text: str, trigger_id: str) -> dict[str, str]:
    """Build the form of a command. text: the words behind it, with special characters as entities."""
    return {
        "token": "local",
        "team_id": LOCAL_TEAM_ID,
        "team_domain": TEAM_DOMAIN,
        "channel_id": address.channel.channel_id,
        "channel_name": build_channel_name(address.channel),
        "user_id": find_slack_id(address.person),
        "user_name": build_account_name(address.person),
        "command": command,
        "text": text,
        "api_app_id": LOCAL_APP_ID,
        "is_enterprise_install": "false",
        "response_url": build_response_url(address),
        "trigger_id": trigger_id,
    }


def build_message_press(
    message: LocalMessage, person: User, action: Json, *, state: Json, trigger_id: str, address: ResponseAddress
) -> Json:
    """Build a press on an element of a message. Of an ephemeral message, Slack does not send what it says."""
    payload = {
        **_build_interaction("block_actions", person),
        "container": {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": message.channel.channel_id,
            "is_ephemeral": message.only_for is not None,
            **({"thread_ts": message.thread_ts} if message.thread_ts else {}),
        },
        "channel": _build_channel(message.channel),
        "state": state,
        "trigger_id": trigger_id,
        "response_url": build_response_url(address),
        "actions": [action],
    }
    return payload if message.only_for else payload | {"message": shape_message(message)}


def build_message_shortcut(
    message: LocalMessage, person: User, callback_id: str, *, trigger_id: str, address: ResponseAddress
) -> Json:
    """Build one of the app's shortcuts, chosen at a message."""
    return {
        **_build_interaction("message_action", person),
        "callback_id": callback_id,
        "action_ts": make_ts(),
        "message_ts": message.ts,
        "channel": _build_channel(message.channel),
        "message": shape_message(message),
        "trigger_id": trigger_id,
        "response_url": build_response_url(address),
    }


def build_view_press(
    view: LocalView | LocalHome, below: Sequence[LocalView], person: User, action: Json, *, state: Json, trigger_id: str
) -> Json:
    """Build a press on an element of a view."""
    return {
        **_build_interaction("block_actions", person),
        "container": {"type": "view", "view_id": view.view_id},
        "view": shape_view(view, below, state=state),
        "trigger_id": trigger_id,
        "actions": [action],
    }


def build_view_submission(
    view: LocalView, below: Sequence[LocalView], person: User, *, state: Json, trigger_id: str
) -> Json:
    """Build the submission of a modal."""
    return {
        **_build_interaction("view_submission", person),
        "view": shape_view(view, below, state=state),
        "trigger_id": trigger_id,
        "response_urls": [],
    }


def build_view_closed(view: LocalView, below: Sequence[LocalView], person: User, *, is_cleared: bool) -> Json:
    """Build the event of a modal that the person closed."""
    return {**_build_interaction("view_closed", person), "view": shape_view(view, below), "is_cleared": is_cleared}


def _build_interaction(kind: str, person: User) -> Json:
    name = build_account_name(person)
    return {
        "type": kind,
        "user": {"id": find_slack_id(person), "username": name, "name": name, "team_id": LOCAL_TEAM_ID},
        "api_app_id": LOCAL_APP_ID,
        "token": "local",
        "team": {"id": LOCAL_TEAM_ID, "domain": TEAM_DOMAIN},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def _build_channel(channel: LocalChannel) -> Json:
    return {"id": channel.channel_id, "name": build_channel_name(channel)}


def build_account_name(person: User) -> str:
    """Build the short name of an account."""
    return person.email.partition("@")[0]


def build_channel_name(channel: LocalChannel) -> str:
    """Build the channel's name as Slack's payloads give it."""
    return "directmessage" if channel.is_im else channel.name


def build_response_url(address: ResponseAddress) -> str:
    """Return the address at which the bot may answer."""
    return f"http://127.0.0.1:{settings.PORT}{reverse('local-respond', args=[address.token])}"
