"""Reading what people wrote in a thread, from Slack, when somebody asks for its summary. Nothing of it is stored."""

import logging
from itertools import islice
from typing import Any

from slack_sdk import WebClient

from bot.blocks.thread_summary import Said
from bot.identity.own_account import find_own_user_id
from bot.models import SlackEvent
from bot.slack.addresses import is_slacks
from bot.slack.authors import is_persons
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.markup import extract_question
from bot.slack.messages import find_permalink

logger = logging.getLogger(__name__)

MOST_READ = 300  # messages, the last ones: in more of them, comparing each with each takes over a second
_PER_PAGE, _MOST_PAGES = 200, 10
_CHECK_MARKS = frozenset({"white_check_mark", "heavy_check_mark", "ballot_box_with_check"})


def read_thread(client: WebClient, event: SlackEvent) -> list[Said]:
    """Return the messages of people in the thread of a question, before it, oldest first, as people see them.

    Messages of bots, Footnote's own among them, are left out: their readers were others, or other words count.

    SlackRefusedError when Slack lets nobody read it; SlackUnavailableError when a later attempt may succeed.
    """
    own_user_id = find_own_user_id(client)
    said = []
    for message in _list_messages(client, event):
        is_earlier = str(message.get("ts", "")) < event.ts
        if not (is_earlier and is_persons(message, own_user_id=own_user_id)):
            continue
        text = extract_question(str(message.get("text") or ""), own_user_id=own_user_id)
        if text:
            marks = {str(one.get("name", "")).partition("::")[0] for one in message.get("reactions") or []}
            is_ticked = bool(marks & _CHECK_MARKS)
            said.append(Said(ts=str(message["ts"]), user=str(message["user"]), text=text, is_ticked=is_ticked))
    return said[-MOST_READ:]


def find_address(client: WebClient, channel_id: str, ts: str) -> str:
    """Return where a message is opened; empty when Slack does not say, or says an address that is not its own."""
    try:
        address = find_permalink(client, channel_id, ts)
    except SlackRefusedError as error:
        logger.info("permalink_refused", extra={"channel": channel_id, "code": error.code})
        return ""
    return address if is_slacks(address) else ""


def _list_messages(client: WebClient, event: SlackEvent) -> list[dict[str, Any]]:
    with translate_errors():
        pages = client.conversations_replies(channel=event.channel_id, ts=event.thread_ts, oldest="0", limit=_PER_PAGE)
        return [message for page in islice(pages, _MOST_PAGES) for message in page.get("messages") or []]
