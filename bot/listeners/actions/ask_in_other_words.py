"""Somebody wants to ask in other words what got no answer."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.rewording import TITLE, rewording_modal
from bot.identity.interactions import find_visible_question
from bot.listeners.interaction import FAILED, open_modal, show, tell
from bot.listeners.pressed_questions import read_place
from core.language.i18n.translation import say


def on_ask_in_other_words(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open the window, with the question in it where who pressed it asked it, or can read it where they pressed."""
    place, slack_user_id = read_place(body), body["user"]["id"]
    view_id = open_modal(client, body, say(TITLE))
    question = find_visible_question(
        place.request_id, team_id=context["team_id"], channel_id=place.channel_id, slack_user_id=slack_user_id
    )
    if not show(client, view_id, rewording_modal(place, question)) and not view_id:
        tell(client, slack_user_id, place, say(FAILED))
