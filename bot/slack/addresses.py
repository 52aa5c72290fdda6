"""Find addresses of Slack's: of channels, messages and direct messages, and those where a secret or file may go."""

import re
from urllib.parse import urlsplit

from slack_sdk import WebClient

from bot.slack import workspace
from bot.slack.errors import translate_errors

_SLACK_HOST = re.compile(r"(?:[a-z0-9-]+\.)*slack\.com")


def build_channel_address(team_id: str, channel_id: str) -> str:
    """Return the address of a channel or direct messages: https://docs.slack.dev/interactivity/deep-linking."""
    if workspace.is_local():
        return f"{workspace.find_api_url().removesuffix('api/')}#//{channel_id}"
    return f"https://app.slack.com/client/{team_id}/{channel_id}"


def is_slacks(url: str) -> bool:
    """Return True for https at slack.com or below it, and for scheme, host and port of the configured Web API.

    An address with a user's name or a password in it is nobody's: such are made to look like another one.
    """
    try:
        parts, own = urlsplit(url), urlsplit(workspace.find_api_url())
        place, own_place = (parts.scheme, parts.hostname, parts.port), (own.scheme, own.hostname, own.port)
    except ValueError:
        return False
    if parts.username is not None or parts.password is not None:
        return False
    is_slack = parts.scheme == "https" and bool(_SLACK_HOST.fullmatch(parts.hostname or ""))
    return (is_slack and parts.port in {None, 443}) or place == own_place


def find_permalink(client: WebClient, channel_id: str, ts: str) -> str:
    """Return the address that opens a message; empty where Slack names none.

    SlackRefusedError where Slack does not know the message; SlackUnavailableError when a later attempt may succeed.
    """
    with translate_errors():
        return str(client.chat_getPermalink(channel=channel_id, message_ts=ts).get("permalink") or "")


def open_direct_messages(client: WebClient, slack_user_id: str) -> str:
    """Return the channel id of the direct messages with an account, which Slack opens where there are none.

    SlackRefusedError where nobody may write to them; SlackUnavailableError when a later attempt may succeed.
    """
    with translate_errors():
        return str(client.conversations_open(users=slack_user_id)["channel"]["id"])
