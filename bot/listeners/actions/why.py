"""Somebody wants to know how an answer, or none, came about."""

from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.modals import text_modal
from bot.blocks.why import TITLE, why_modal
from bot.identity.explanations import find_explanation
from bot.listeners.interaction import FAILED, describe_error, open_modal, read_interaction, show, tell
from core.errors import FootnoteError
from core.language.i18n.translation import say


def on_why(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show in a modal how the answer came about, as who pressed may know it, whoever asked the question."""
    interaction, slack_user_id = read_interaction(body), body["user"]["id"]
    view_id = open_modal(client, body, say(TITLE))
    try:
        found = find_explanation(client, context["team_id"], slack_user_id, interaction.request_id)
        view = why_modal(found.told, is_public=found.is_public, is_asker=found.is_asker)
    except FootnoteError as error:
        view = text_modal(say(TITLE), describe_error(error))
    if not show(client, view_id, view) and not view_id:
        tell(client, slack_user_id, interaction, say(FAILED))
