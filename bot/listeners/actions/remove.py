"""The asker takes an answer away from the conversation."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.delivery import removing
from bot.listeners.interaction import describe_error, read_interaction, tell
from core.errors import FootnoteError


def on_remove(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Put a line in the place of the answer; who did not ask for it, or has no luck, is told so."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        removing.remove(
            client,
            interaction.request_id,
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            ts=(body.get("container") or {}).get("message_ts") or "",
            slack_user_id=slack_user_id,
        )
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
