"""Let the owner of a document say which of two documents holds."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.listeners.interaction import describe_error, read_id, read_interaction, tell
from bot.owners import contradicted
from core.errors import FootnoteError


def on_newer_holds(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Take from an owner that the newer document holds."""
    _record(body, context, client, "newer")


def on_older_holds(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Take from an owner that the older document holds."""
    _record(body, context, client, "older")


def _record(body: dict[str, Any], context: BoltContext, client: WebClient, side: str) -> None:
    """Record what was pressed and say so in the message; what is refused is told to the person alone."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        contradicted.answer(
            client,
            read_id(interaction.request_id),
            side,
            team_id=context["team_id"],
            by=slack_user_id,
            channel_id=interaction.channel_id,
            ts=str((body.get("container") or {}).get("message_ts") or ""),
        )
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
