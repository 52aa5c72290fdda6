"""A question in other words is handed in."""

from typing import Any

from slack_bolt import Ack, BoltContext

from bot.blocks.rewording import QUESTION, read_rewording
from bot.channels.languages import find_language
from bot.listeners.pressed_questions import receive_question
from core import api
from core.errors import InvalidQuestionError
from core.language.i18n.translation import speak_language


def on_reworded(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, once for each window, and close it; what cannot be a question is said at its field."""
    place, question = read_rewording(body["view"])
    refused = _check(question, find_language(context["team_id"], place.channel_id))
    if refused:
        ack(response_action="errors", errors={QUESTION: refused})
        return
    receive_question(
        f"view-{body['view']['id']}",
        question,
        team_id=context["team_id"],
        slack_user_id=body["user"]["id"],
        place=place,
    )
    ack()


def _check(question: str, language: str) -> str:
    """Explain in this language why a question cannot be asked; "" if it can."""
    try:
        with speak_language(language):
            api.check_question(question)
    except InvalidQuestionError as error:
        return error.message
    return ""
