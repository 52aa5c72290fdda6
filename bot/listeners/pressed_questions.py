"""Take questions that are asked by pressing something: one that is offered below a refusal, or one in other words.

They are answered where it was pressed.
"""

from dataclasses import replace
from typing import Any

from slack_bolt import Ack, BoltContext
from slack_sdk import WebClient

from bot import intake
from bot.blocks.modals import Interaction
from bot.blocks.question_windows import QUESTION, REWORDING_TITLE, read_rewording, rewording_modal
from bot.blocks.refusal import read_offered_question
from bot.channels.settings import find_language
from bot.identity.interactions import find_visible_question
from bot.listeners.interaction import FAILED, open_modal, read_interaction, show, tell
from bot.models import SlackEvent
from core import api
from core.errors import InvalidQuestionError
from core.language.i18n.translation import say, speak_language


def on_ask_instead(body: dict[str, Any], context: BoltContext) -> None:
    """Store it as a question of the one who pressed, once for each offer; it is answered where it was pressed."""
    place = _read_place(body)
    request_id, question = read_offered_question(place.request_id)
    if question and place.channel_id:
        _receive_question(
            f"{body['actions'][0]['action_id']}-{request_id}",
            question,
            team_id=context["team_id"],
            slack_user_id=body["user"]["id"],
            place=place,
        )


def on_ask_in_other_words(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the window, with the question in it where who pressed it asked it, or can read it where they pressed."""
    place, slack_user_id = _read_place(body), body["user"]["id"]
    view_id = open_modal(client, body, say(REWORDING_TITLE))
    question = find_visible_question(
        place.request_id, team_id=context["team_id"], channel_id=place.channel_id, slack_user_id=slack_user_id
    )
    if not show(client, view_id, rewording_modal(place, question)) and not view_id:
        tell(client, slack_user_id, place, say(FAILED))


def on_reworded(ack: Ack, body: dict[str, Any], context: BoltContext) -> None:
    """Store the question, once for each window, and close it; what cannot be a question is said at its field."""
    place, question = read_rewording(body["view"])
    try:
        with speak_language(find_language(context["team_id"], place.channel_id)):
            api.check_question(question)
    except InvalidQuestionError as error:
        ack(response_action="errors", errors={QUESTION: error.message})
        return
    _receive_question(
        f"view-{body['view']['id']}",
        question,
        team_id=context["team_id"],
        slack_user_id=body["user"]["id"],
        place=place,
    )
    ack()


def _read_place(body: dict[str, Any]) -> Interaction:
    """Read the pressed button, and the thread of its answer: a message outside of threads begins one.

    A message that one person alone sees begins none.
    """
    interaction = read_interaction(body)
    if interaction.thread_ts or interaction.response_url:
        return interaction
    return replace(interaction, thread_ts=(body.get("container") or {}).get("message_ts") or "")


def _receive_question(event_id: str, text: str, *, team_id: str, slack_user_id: str, place: Interaction) -> None:
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
    """Choose as what it is answered: for who pressed alone where they alone saw the button, else for everyone there."""
    if place.response_url:
        return SlackEvent.Kind.COMMAND
    return SlackEvent.Kind.DIRECT if place.channel_id.startswith("D") else SlackEvent.Kind.MENTION
