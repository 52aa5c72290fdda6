"""A question about one message is handed in."""

from typing import Any

from slack_bolt import Ack, BoltContext

from bot import intake
from bot.blocks.selection import QUESTION, TEXT, selection_receipt
from bot.channels.languages import find_language
from bot.models import SlackEvent
from core import api
from core.errors import InvalidQuestionError
from core.language.i18n.translation import say, speak_language


def on_selection_submitted(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, then tell where its answer comes; what cannot be a question is said at its field."""
    with speak_language(find_language(context["team_id"], body["view"].get("private_metadata") or "")):
        _take(ack, body, context)


def _take(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    view = body["view"]
    values = view["state"]["values"]
    question, text = (str(values[block][block].get("value") or "") for block in (QUESTION, TEXT))
    errors = _find_errors(question, text)
    if errors:
        ack(response_action="errors", errors=errors)
        return
    intake.receive(
        intake.Incoming(
            event_id=f"view-{view['id']}",
            team_id=context["team_id"],
            channel_id=view.get("private_metadata") or "",
            user_id=body["user"]["id"],
            kind=SlackEvent.Kind.SELECTION,
            text=question,
            selected_text=text,
        )
    )
    ack(response_action="update", view=selection_receipt())


def _find_errors(question: str, text: str) -> dict[str, str]:
    errors = {}
    for block, check, value in ((QUESTION, api.check_question, question), (TEXT, api.check_selection, text)):
        try:
            check(value)
        except InvalidQuestionError as error:
            errors[block] = say(error.message)
    return errors
