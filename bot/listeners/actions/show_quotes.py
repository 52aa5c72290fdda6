"""Somebody wants to read the passages behind an answer."""

import logging
from typing import Any

from slack_bolt import BoltContext
from slack_sdk import WebClient

from bot import identity
from bot.blocks.quotes import quotes_modal
from bot.slack_errors import SlackRefusedError, SlackUnavailableError, translated
from core import api

logger = logging.getLogger(__name__)


def on_show_quotes(body: dict[str, Any], context: BoltContext, client: WebClient) -> None:
    """Open a modal with those quotes that the clicker, whoever asked the question, may read now."""
    request_id = body["actions"][0].get("value") or ""
    try:
        _, audience = identity.audience_of_account(client, context["team_id"], body["user"]["id"])
        view = quotes_modal(api.stored_citations(request_id, audience=audience))
        with translated():
            client.views_open(trigger_id=body["trigger_id"], view=view)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("quotes_not_shown", extra={"code": error.code})
