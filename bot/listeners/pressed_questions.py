"""Questions that are asked by pressing something, and where they are answered: where it was pressed."""

from dataclasses import replace
from typing import Any

from bot import intake
from bot.blocks.interaction import Interaction
from bot.listeners.interaction import read_interaction
from bot.models import SlackEvent


def read_place(body: dict[str, Any]) -> Interaction:
    """Read the pressed button, and the thread of its answer: a message outside of threads begins one.

    A message that one person alone sees begins none.
    """
    interaction = read_interaction(body)
    if interaction.thread_ts or interaction.response_url:
        return interaction
    return replace(interaction, thread_ts=(body.get("container") or {}).get("message_ts") or "")


def receive_question(event_id: str, text: str, *, team_id: str, slack_user_id: str, place: Interaction) -> None:
    """Store it as a question of the one who pressed; event_id names it, however often it is sent."""
    intake.receive(
        intake.Incoming(
            event_id=event_id,
            team_id=team_id,
            channel_id=place.channel_id,
            user_id=slack_user_id,
            kind=_choose_kind(place),
            thread_ts=place.thread_ts,
            text=text,
            response_url=place.response_url,
        )
    )


def _choose_kind(place: Interaction) -> SlackEvent.Kind:
    """As what it is answered: for who pressed alone where they alone saw the button, else for everyone there."""
    if place.response_url:
        return SlackEvent.Kind.COMMAND
    return SlackEvent.Kind.DIRECT if place.channel_id.startswith("D") else SlackEvent.Kind.MENTION
