"""Telling somebody who pressed a button what became of it: in a modal, or in a message that they alone see."""

import logging
from typing import Any

from slack_sdk import WebClient

from bot.blocks.clicked import Clicked
from bot.blocks.modals import waiting
from bot.slack.addresses import is_slacks
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translated
from bot.slack.responding import respond
from core.errors import FootnoteError
from core.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

FAILED = translatable("That did not work. Please try again in a moment.")


def clicked_in(body: dict[str, Any]) -> Clicked:
    """What was pressed, and where it stands."""
    container = body.get("container") or {}
    message = body.get("message") or {}
    return Clicked(
        request_id=body["actions"][0].get("value") or "",
        channel_id=container.get("channel_id") or "",
        thread_ts=container.get("thread_ts") or message.get("thread_ts") or "",
        response_url=(body.get("response_url") or "") if container.get("is_ephemeral") else "",
    )


def tell(client: WebClient, slack_user_id: str, clicked: Clicked, text: str) -> None:
    """Say something to the clicker alone, beside what they clicked."""
    try:
        with translated():
            if is_slacks(clicked.response_url):  # we may not be in that channel
                thread = {"thread_ts": clicked.thread_ts} if clicked.thread_ts else {}
                respond(clicked.response_url, {"text": text, "replace_original": False, **thread})
            else:
                client.chat_postEphemeral(
                    channel=clicked.channel_id, user=slack_user_id, thread_ts=clicked.thread_ts or None, text=text
                )
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("clicker_not_told", extra={"code": error.code})


def sentence_for(error: FootnoteError) -> str:
    """What went wrong, for who pressed. What Slack said is for the log."""
    if isinstance(error, SlackRefusedError | SlackUnavailableError):
        logger.warning("click_failed", extra={"code": error.code})
        return say(FAILED)
    return say(error.message)


def open_modal(client: WebClient, body: dict[str, Any], title: str) -> str:
    """Open a modal that asks for a moment, before anything that takes one. Its id; empty when Slack refused."""
    try:
        with translated():
            return str(client.views_open(trigger_id=body["trigger_id"], view=waiting(title))["view"]["id"])
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("modal_not_opened", extra={"code": error.code})
        return ""


def show(client: WebClient, view_id: str, view: dict[str, Any]) -> bool:
    """Put a view into a modal that `open_modal` opened. False when there is none, or it was closed meanwhile."""
    if not view_id:
        return False
    try:
        with translated():
            client.views_update(view_id=view_id, view=view)
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("modal_not_shown", extra={"code": error.code})
        return False
    return True
