"""Somebody wants to read the passages behind an answer."""

import logging
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.modals import told
from bot.blocks.quotes import TITLE, quotes_modal
from bot.identity import audiences
from bot.listeners.interaction import clicked_in, open_modal, show, tell
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core import api
from core.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

FAILED = translatable("The quotes could not be shown. Please try again in a moment.")


def on_show_quotes(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show in a modal those quotes that the clicker, whoever asked the question, may read now."""
    clicked = clicked_in(body)
    view_id = open_modal(client, body, say(TITLE))
    try:
        user_id, audience = audiences.audience_of_account(client, context["team_id"], body["user"]["id"])
        view = quotes_modal(api.stored_quotes(clicked.request_id, audience=audience, viewer=user_id))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("quotes_not_shown", extra={"code": error.code})
        view = told(say(TITLE), say(FAILED))
    if not show(client, view_id, view) and not view_id:
        tell(client, body["user"]["id"], clicked, say(FAILED))
