"""Messages of ours that can be found again: the id of their first block says what they are about.

After a call that broke off, or in a process that took over from a killed one, nobody knows whether a message was
posted: then it is looked for before another one is.
"""

import logging
from dataclasses import replace
from typing import Any

from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translated

logger = logging.getLogger(__name__)

_MESSAGES_PER_PAGE = 200


def marked(said: Message, mark: str) -> Message:
    """The message with its mark."""
    first, *others = said.blocks
    return replace(said, blocks=[{**first, "block_id": mark}, *others])


def post(client: WebClient, said: Message, *, channel_id: str, thread_ts: str) -> str:
    """Post a message in a thread, or in the channel itself, with nothing unfurled. Its ts."""
    with translated():
        posted = client.chat_postMessage(
            channel=channel_id,
            thread_ts=thread_ts or None,
            text=said.text,
            blocks=said.blocks,
            unfurl_links=False,
            unfurl_media=False,
        )
    return str(posted["ts"])


def edit(client: WebClient, said: Message, *, channel_id: str, ts: str) -> None:
    """Put another message in the place of one. SlackUnavailableError when somebody has deleted it."""
    try:
        with translated():
            client.chat_update(channel=channel_id, ts=ts, text=said.text, blocks=said.blocks)
    except SlackRefusedError as error:
        if error.code != "message_not_found":
            raise
        raise DeletedMessageError(error.code) from None


class DeletedMessageError(SlackUnavailableError):
    """The message is not there any more; the next attempt posts another one."""


def find(client: WebClient, mark: str, *, channel_id: str, thread_ts: str, since: str) -> str:
    """The ts of the message with this mark; empty when it is not there, or Slack will not let us look."""
    found = messages_since(client, since, channel_id=channel_id, thread_ts=thread_ts)
    return next((str(message["ts"]) for message in found if has(message, mark)), "")


def has(message: dict[str, Any], mark: str) -> bool:
    """Whether a message, as Slack tells of it, has the mark."""
    return any(block.get("block_id") == mark for block in message.get("blocks") or [])


def messages_since(client: WebClient, since: str, *, channel_id: str, thread_ts: str) -> list[dict[str, Any]]:
    """What stands in a thread, or without one in the channel itself, from a ts on; nothing when Slack will not say."""
    try:
        with translated():
            if thread_ts:
                pages = client.conversations_replies(
                    channel=channel_id, ts=thread_ts, oldest=since, limit=_MESSAGES_PER_PAGE
                )
            else:
                pages = client.conversations_history(channel=channel_id, oldest=since, limit=_MESSAGES_PER_PAGE)
            return [message for page in pages for message in page.get("messages") or []]
    except SlackRefusedError as error:
        logger.warning("messages_unreadable", extra={"channel": channel_id, "code": error.code})
        return []
