"""Somebody chooses "Ask about this message"."""

import logging
from typing import Any

from slack_sdk import WebClient

from bot.blocks.selection import selection_modal
from bot.listeners.interaction import open_view
from bot.slack.errors import SlackRefusedError, SlackUnavailableError
from bot.slack.markup import extract_question

logger = logging.getLogger(__name__)


def on_ask_about_message(body: dict[str, Any], client: WebClient) -> None:
    """Open the window with the message's text. Whoever can choose the shortcut can read the message."""
    text = extract_question(str((body.get("message") or {}).get("text") or ""), own_user_id="")
    try:
        open_view(client, body["trigger_id"], selection_modal(text, place=str(body["channel"]["id"])))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("window_not_opened", extra={"code": error.code})
