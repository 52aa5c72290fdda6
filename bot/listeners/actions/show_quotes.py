"""Somebody wants to read the passages behind an answer."""

import logging
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot.blocks.modals import text_modal
from bot.blocks.quotes import TITLE, quotes_modal
from bot.identity import audiences
from bot.listeners.interaction import open_modal, read_interaction, show, tell
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from core import api
from core.language.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

FAILED = translatable("The quotes could not be shown. Please try again in a moment.")


def on_show_quotes(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Show in a modal those quotes that who pressed, whoever asked the question, may read now."""
    interaction = read_interaction(body)
    view_id = open_modal(client, body, say(TITLE))
    try:
        user_id, audience = audiences.find_account_audience(client, context["team_id"], body["user"]["id"])
        view = quotes_modal(api.stored_quotes(interaction.request_id, audience=audience, viewer=user_id))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("quotes_not_shown", extra={"code": error.code})
        view = text_modal(say(TITLE), say(FAILED))
    if not show(client, view_id, view) and not view_id:
        tell(client, body["user"]["id"], interaction, say(FAILED))
