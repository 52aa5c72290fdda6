"""Somebody asks on the Home tab: by Enter in its field, or by its button."""

import hashlib
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.blocks.home import ANSWERING, read_asked, read_direct_channel, read_question
from bot.channels.languages import find_language
from bot.listeners.home_tab import publish
from bot.models import SlackEvent
from core import api
from core.errors import InvalidQuestionError
from core.language.i18n.translation import say, speak_language


def take_question(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store what stands in the field as a question, before Slack hears that it arrived.

    It is answered in the direct messages, once for each view that was published: whoever presses Enter and the button
    too asks once, and a field that was emptied belongs to another view.
    """
    view = body["view"]
    question = read_question(view)
    if not _find_fault(question):
        intake.receive(
            intake.Incoming(
                event_id=f"home-{view['id']}-{_name_asking(view, question)}",
                team_id=context["team_id"],
                channel_id=read_direct_channel(view),
                user_id=body["user"]["id"],
                kind=SlackEvent.Kind.COMMAND,
                text=question,
            )
        )
    ack()


def tell_where(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Empty the field, and say beside it where the answer comes; or what is wrong with what was asked."""
    view = body["view"]
    question, channel = read_question(view), read_direct_channel(view)
    with speak_language(find_language(context["team_id"], channel)):
        fault = _find_fault(question)
        publish(
            client,
            context["team_id"],
            body["user"]["id"],
            channel,
            view,
            asked=read_asked(view) if fault else _name_asking(view, question),
            note="" if fault else say(ANSWERING),
            fault=fault,
        )


def _find_fault(question: str) -> str:
    """What is wrong with a question; nothing where it can be asked."""
    try:
        api.check_question(question)
    except InvalidQuestionError as error:
        return error.message
    return ""


def _name_asking(view: dict[str, Any], question: str) -> str:
    """What tells one asking from another: the question, and the view that it was asked in."""
    return hashlib.sha256(f"{view.get('hash')}/{question}".encode()).hexdigest()[:24]
