"""Somebody presses one of the questions that are offered below a refusal."""

from typing import Any

from slack_bolt import BoltContext

from bot import intake
from bot.blocks.refusal import read_offered_question
from bot.listeners.interaction import read_interaction
from bot.models import SlackEvent


def on_ask_instead(body: dict[str, Any], context: BoltContext) -> None:
    """Store it as a question of the one who pressed, once for each offer; it is answered where it was pressed."""
    interaction, action = read_interaction(body), body["actions"][0]
    request_id, question = read_offered_question(interaction.request_id)
    if not (question and interaction.channel_id):
        return
    intake.receive(
        intake.Incoming(
            event_id=f"{action['action_id']}-{request_id}",
            team_id=context["team_id"],
            channel_id=interaction.channel_id,
            user_id=body["user"]["id"],
            kind=_choose_kind(interaction.channel_id, for_one=bool(interaction.response_url)),
            thread_ts=interaction.thread_ts or body["container"].get("message_ts") or "",
            text=question,
            response_url=interaction.response_url,
        )
    )


def _choose_kind(channel_id: str, *, for_one: bool) -> SlackEvent.Kind:
    """As what it is answered: for who pressed alone where they alone saw the offer, else for everyone there."""
    if for_one:
        return SlackEvent.Kind.COMMAND
    return SlackEvent.Kind.DIRECT if channel_id.startswith("D") else SlackEvent.Kind.MENTION
