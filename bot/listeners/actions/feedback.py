"""Somebody says whether an answer helped."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.feedback import TITLE, feedback_modal
from bot.blocks.modals import told
from bot.listeners.interaction import clicked_in, open_modal, show, tell
from bot.listeners.votes import THANKS, record
from core.i18n.translation import say


def on_vote_up(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record that it helped, and tell the clicker alone what became of that."""
    clicked, slack_user_id = clicked_in(body), body["user"]["id"]
    said = record(client, context["team_id"], slack_user_id, clicked.request_id, verdict="up")
    tell(client, slack_user_id, clicked, said if isinstance(said, str) else say(THANKS))


def on_vote_down(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Record that it did not help, which counts whatever becomes of the modal that asks why."""
    clicked, slack_user_id = clicked_in(body), body["user"]["id"]
    view_id = open_modal(client, body, say(TITLE))
    said = record(client, context["team_id"], slack_user_id, clicked.request_id, verdict="down")
    view = told(say(TITLE), said) if isinstance(said, str) else feedback_modal(clicked, said)
    if not show(client, view_id, view):
        tell(client, slack_user_id, clicked, said if isinstance(said, str) else say(THANKS))
