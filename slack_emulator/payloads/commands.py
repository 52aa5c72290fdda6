"""Slash commands: what Slack tells an app that somebody typed.

Fields after https://docs.slack.dev/interactivity/implementing-slash-commands.
"""

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_TEAM_ID
from slack_emulator.accounts import slack_id
from slack_emulator.models import ResponseAddress
from slack_emulator.payloads.common import TEAM_DOMAIN, account_name, channel_name, response_url


def command_form(address: ResponseAddress, *, command: str, text: str, trigger_id: str) -> dict[str, str]:
    """The form of a command. text: what stands behind it, with special characters as entities."""
    return {
        "token": "local",
        "team_id": LOCAL_TEAM_ID,
        "team_domain": TEAM_DOMAIN,
        "channel_id": address.channel.channel_id,
        "channel_name": channel_name(address.channel),
        "user_id": slack_id(address.person),
        "user_name": account_name(address.person),
        "command": command,
        "text": text,
        "api_app_id": LOCAL_APP_ID,
        "is_enterprise_install": "false",
        "response_url": response_url(address),
        "trigger_id": trigger_id,
    }
