"""Our one message about an upload: posted once, and edited as things go on."""

import logging
from dataclasses import replace

from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.models import Upload
from bot.slack_errors import SlackRefusedError, SlackUnavailableError, translated

logger = logging.getLogger(__name__)

_REPLIES_PER_PAGE = 200


def put(client: WebClient, upload: Upload, said: Message) -> None:
    """Put this into our message about the upload, posting it if there is none.

    The first block's id carries the upload's id: after a crash between posting and storing, the message is found by it.
    """
    first, *others = said.blocks
    blocks = [{**first, "block_id": _marker(upload)}, *others]
    if not upload.message_ts and upload.attempts > 1:
        upload.message_ts = _find_posted(client, upload)
    if upload.message_ts:
        _edit(client, upload, replace(said, blocks=blocks))
    else:
        with translated():
            posted = client.chat_postMessage(
                channel=upload.channel_id,
                thread_ts=upload.thread_ts,
                text=said.text,
                blocks=blocks,
                unfurl_links=False,
                unfurl_media=False,
            )
        upload.message_ts = str(posted["ts"])
    upload.save(update_fields=["message_ts"])


def _edit(client: WebClient, upload: Upload, said: Message) -> None:
    try:
        with translated():
            client.chat_update(channel=upload.channel_id, ts=upload.message_ts, text=said.text, blocks=said.blocks)
    except SlackRefusedError as error:
        if error.code != "message_not_found":
            raise
        # Somebody deleted it: the next attempt posts another one.
        upload.message_ts = ""
        upload.save(update_fields=["message_ts"])
        raise SlackUnavailableError(error.code) from None


def _find_posted(client: WebClient, upload: Upload) -> str:
    """The ts of our message in the thread; empty when it is not there, or Slack will not let us look."""
    try:
        with translated():
            pages = client.conversations_replies(
                channel=upload.channel_id, ts=upload.thread_ts, oldest=upload.ts, limit=_REPLIES_PER_PAGE
            )
            for page in pages:
                for message in page.get("messages") or []:
                    if any(block.get("block_id") == _marker(upload) for block in message.get("blocks") or []):
                        return str(message["ts"])
    except SlackRefusedError as error:
        logger.warning("thread_unreadable", extra={"upload": str(upload.pk), "code": error.code})
    return ""


def _marker(upload: Upload) -> str:
    return f"upload-{upload.pk}"
