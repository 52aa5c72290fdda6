"""Handle "Ask about this message", from the menu of a message to the question about it alone."""

import logging
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.blocks.question_windows import QUESTION, TEXT, selection_modal, selection_receipt
from bot.channels.settings import find_language
from bot.listeners.interaction import open_view
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.markup import extract_question
from core import api
from core.errors import InvalidQuestionError
from core.language.i18n.translation import say, speak_language

logger = logging.getLogger(__name__)


def on_ask_about_message(body: dict[str, Any], client: WebClient) -> None:
    """Open the window with the message's text. Whoever can choose the shortcut can read the message."""
    text = extract_question(str((body.get("message") or {}).get("text") or ""), own_user_id="")
    try:
        open_view(client, body["trigger_id"], selection_modal(text, place=str(body["channel"]["id"])))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("window_not_opened", extra={"code": error.code})


def on_selection_submitted(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, then tell where its answer comes; what cannot be a question is said at its field."""
    view = body["view"]
    values, channel_id = view["state"]["values"], view.get("private_metadata") or ""
    question, text = (str(values[block][block].get("value") or "") for block in (QUESTION, TEXT))
    with speak_language(find_language(context["team_id"], channel_id)):
        errors = _find_errors(question, text)
        if errors:
            ack(response_action="errors", errors=errors)
            return
        intake.receive(
            intake.Incoming(
                event_id=f"view-{view['id']}",
                team_id=context["team_id"],
                channel_id=channel_id,
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
