"""The asker of a channel's question takes up the offer of a private answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.identity.interactions import find_own_question
from bot.listeners.interaction import describe_error, read_interaction, tell
from bot.models import SlackEvent
from core.errors import FootnoteError


def on_answer_privately(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Store the wish; the worker answers where the offer stands."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    try:
        query_id = find_own_question(client, context["team_id"], slack_user_id, interaction.request_id)
    except FootnoteError as error:
        tell(client, slack_user_id, interaction, describe_error(error))
        return
    intake.receive(
        intake.Incoming(
            event_id=f"private-{interaction.request_id}",
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            user_id=slack_user_id,
            kind=SlackEvent.Kind.PRIVATE,
            thread_ts=interaction.thread_ts,
            response_url=interaction.response_url,
            about=query_id,
        )
    )
