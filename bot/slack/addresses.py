"""Addresses of Slack's: where a channel is opened, where a secret may be sent, and from where a file may be fetched."""

import re
from urllib.parse import urlsplit

from bot.slack import workspace

_SLACK_HOST = re.compile(r"(?:[a-z0-9-]+\.)*slack\.com")


def build_channel_address(team_id: str, channel_id: str) -> str:
    """Return the address of a channel or direct messages: https://docs.slack.dev/interactivity/deep-linking."""
    if workspace.is_local():
        return f"{workspace.find_api_url().removesuffix('api/')}#//{channel_id}"
    return f"https://app.slack.com/client/{team_id}/{channel_id}"


def is_slacks(url: str) -> bool:
    """True for https at slack.com or below it, and for the scheme, host and port that the Web API is configured at.

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
