"""Tell somebody who pressed a button what became of it: in a modal, or in a message that they alone see."""

import logging
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from slack_sdk import WebClient
from slack_sdk.models.blocks import Block

from bot.blocks.modals import Interaction, waiting_modal
from bot.blocks.text import escape, section
from bot.slack.addresses import is_slacks
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from bot.slack.refused_blocks import send_view
from bot.slack.responding import respond
from core.errors import FootnoteError, NotFoundError
from core.language.i18n.translation import say, translatable

logger = logging.getLogger(__name__)

FAILED = translatable("That did not work. Please try again in a moment.")


def read_interaction(body: dict[str, Any]) -> Interaction:
    """Read the pressed button, and its place."""
    container = body.get("container") or {}
    message = body.get("message") or {}
    return Interaction(
        request_id=body["actions"][0].get("value") or "",
        channel_id=container.get("channel_id") or "",
        thread_ts=container.get("thread_ts") or message.get("thread_ts") or "",
        response_url=(body.get("response_url") or "") if container.get("is_ephemeral") else "",
    )


def read_id(value: str) -> UUID:
    """Read the id of a row from a button's value or a window. NotFoundError for anything else."""
    try:
        return UUID(value)
    except ValueError:
        raise NotFoundError from None


def tell(
    client: WebClient, slack_user_id: str, interaction: Interaction, text: str, *, offer: Sequence[Block] = ()
) -> None:
    """Say something to the person alone, beside what they pressed. offer: what they can do next, below the text."""
    blocks = [block.to_dict() for block in (section(escape(text)), *offer)] if offer else None
    said = {"text": text, "blocks": blocks} if blocks else {"text": text}
    try:
        with translate_errors():
            if is_slacks(interaction.response_url):  # we may not be in that channel
                thread = {"thread_ts": interaction.thread_ts} if interaction.thread_ts else {}
                respond(interaction.response_url, {**said, "replace_original": False, **thread})
            else:
                client.chat_postEphemeral(
                    channel=interaction.channel_id,
                    user=slack_user_id,
                    thread_ts=interaction.thread_ts or None,
                    text=text,
                    blocks=blocks,
                )
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("user_not_told", extra={"code": error.code})


def describe_error(error: FootnoteError) -> str:
    """Describe an error for the presser. Slack's own words are for the log."""
    if isinstance(error, SlackRefusedError | SlackUnavailableError):
        logger.warning("interaction_failed", extra={"code": error.code})
        return say(FAILED)
    return say(error.message)


def open_modal(client: WebClient, body: dict[str, Any], title: str) -> str:
    """Open a modal that asks for a moment, before anything that takes one. Its id; empty when Slack refused."""
    try:
        with translate_errors():
            return str(client.views_open(trigger_id=body["trigger_id"], view=waiting_modal(title))["view"]["id"])
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("modal_not_opened", extra={"code": error.code})
        return ""


def show(client: WebClient, view_id: str, view: dict[str, Any]) -> bool:
    """Put a view into a modal that `open_modal` opened. False when there is none, or it was closed meanwhile."""
    if not view_id:
        return False
    try:
        send_view(view, lambda form: _update_view(client, view_id, form))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("modal_not_shown", extra={"code": error.code})
        return False
    return True


def open_view(client: WebClient, trigger_id: str, view: dict[str, Any]) -> None:
    """Open a modal. SlackRefusedError and SlackUnavailableError as they come."""
    send_view(view, lambda form: _open_view(client, trigger_id, form))


def _open_view(client: WebClient, trigger_id: str, view: dict[str, Any]) -> None:
    with translate_errors():
        client.views_open(trigger_id=trigger_id, view=view)


def _update_view(client: WebClient, view_id: str, view: dict[str, Any]) -> None:
    with translate_errors():
        client.views_update(view_id=view_id, view=view)
