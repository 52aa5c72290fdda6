"""Finding our message in a thread when a worker died after posting it and before recording where."""

import logging
from typing import Any

from slack_sdk import WebClient

from bot import identity
from bot.models import Reply
from bot.slack_errors import SlackRefusedError, translated

logger = logging.getLogger(__name__)

_MESSAGES_PER_PAGE = 200


def marker(reply: Reply) -> str:
    """The id of the first block of our message."""
    return f"reply-{reply.pk}"


def find_posted(client: WebClient, reply: Reply) -> str:
    """The ts of our message; empty when it is not there, or Slack will not let us look.

    A stream carries no mark until it ends: then it is the message of ours that is no known reply's.
    """
    marked, unmarked = marker(reply), ""
    try:
        own = identity.own_user_id(client)
        for message in _messages(client, reply):
            if any(block.get("block_id") == marked for block in message.get("blocks") or []):
                return str(message["ts"])
            if message.get("user") == own and _is_stream(message):
                unmarked = str(message["ts"])
    except SlackRefusedError as error:
        logger.warning("thread_unreadable", extra={"reply": str(reply.pk), "code": error.code})
    if unmarked and not Reply.objects.filter(channel_id=reply.channel_id, ts=unmarked).exists():
        reply.is_stream = True
        return unmarked
    return ""


def _messages(client: WebClient, reply: Reply) -> list[dict[str, Any]]:
    since = reply.event.ts or f"{reply.created_at.timestamp():.6f}"
    with translated():
        if reply.thread_ts:
            pages = client.conversations_replies(
                channel=reply.channel_id, ts=reply.thread_ts, oldest=since, limit=_MESSAGES_PER_PAGE
            )
        else:
            pages = client.conversations_history(channel=reply.channel_id, oldest=since, limit=_MESSAGES_PER_PAGE)
        return [message for page in pages for message in page.get("messages") or []]


def _is_stream(message: dict[str, Any]) -> bool:
    return "streaming_state" in message
