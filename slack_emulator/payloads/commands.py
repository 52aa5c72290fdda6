"""Build the form of a slash command that Slack sends an app.

Fields after https://docs.slack.dev/interactivity/implementing-slash-commands.
"""

from bot.slack.workspace import LOCAL_APP_ID, LOCAL_TEAM_ID
from slack_emulator.accounts import find_slack_id
from slack_emulator.models import ResponseAddress
from slack_emulator.payloads.common import TEAM_DOMAIN, build_account_name, build_channel_name, build_response_url


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
