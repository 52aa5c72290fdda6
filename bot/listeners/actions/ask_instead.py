"""Somebody presses one of the questions that are offered below a refusal."""

from typing import Any

from slack_bolt import BoltContext

from bot.blocks.refusal import read_offered_question
from bot.listeners.pressed_questions import read_place, receive_question


def on_ask_instead(body: dict[str, Any], context: BoltContext) -> None:
    """Store it as a question of the one who pressed, once for each offer; it is answered where it was pressed."""
    place = read_place(body)
    request_id, question = read_offered_question(place.request_id)
    if question and place.channel_id:
        receive_question(
            f"{body['actions'][0]['action_id']}-{request_id}",
            question,
            team_id=context["team_id"],
            slack_user_id=body["user"]["id"],
            place=place,
        )
