"""Reply to somebody who wishes a summary of their thread, which is read from Slack. Nothing of it is stored."""

import logging
from functools import partial
from itertools import islice

from slack_sdk import WebClient

from bot.blocks.thread_summary import UNREADABLE, Said, summary_message
from bot.delivery.rendering import render_message, render_sentence
from bot.delivery.surfaces import Rendering
from bot.identity.own_account import find_own_user_id
from bot.models import SlackEvent
from bot.slack.addresses import find_permalink, is_slacks
from bot.slack.errors import SlackRefusedError, translate_errors
from bot.slack.markup import extract_question, is_persons
from bot.thread_summaries import Wish, find_wish, summarise
from core.language.i18n.translation import say

logger = logging.getLogger(__name__)

# Typed in the thread of a channel, in which the reply stands: who reads the reply reads what it quotes.
_TYPED_IN_CHANNELS = frozenset({SlackEvent.Kind.MENTION, SlackEvent.Kind.FOLLOW_UP})

MOST_READ = 300  # messages, the last ones: in more of them, comparing each with each takes over a second
_PER_PAGE, _MOST_PAGES = 200, 10
_CHECK_MARKS = frozenset({"white_check_mark", "heavy_check_mark", "ballot_box_with_check"})


def find_summary(client: WebClient, event: SlackEvent) -> Rendering | None:
    """Return the summary of the thread in which an event was typed; None when it wishes none, or begins the thread.

    Of what people wrote nothing is stored. SlackUnavailableError when a later attempt may succeed.
    """
    if event.kind not in _TYPED_IN_CHANNELS or event.thread_ts == event.ts or event.about_id:
        return None
    wish = find_wish(extract_question(event.text, own_user_id=find_own_user_id(client)))
    if wish is None:
        return None
    try:
        thread = _read_thread(client, event)
    except SlackRefusedError as error:
        logger.warning("thread_unreadable", extra={"channel": event.channel_id, "code": error.code})
        return render_sentence(say(UNREADABLE))
    find = partial(_find_address, client, event.channel_id)
    whole = summary_message(summarise(thread, wish), find, wants_decisions=wish is Wish.DECISIONS)
    return render_message(whole)


def _read_thread(client: WebClient, event: SlackEvent) -> list[Said]:
    """Return the messages of people in the thread of a question, before it, oldest first, as people see them.

    Messages of bots, Footnote's own among them, are left out: their readers were others, or other words count.

    SlackRefusedError when Slack lets nobody read it; SlackUnavailableError when a later attempt may succeed.
    """
    own_user_id = find_own_user_id(client)
    with translate_errors():
        pages = client.conversations_replies(channel=event.channel_id, ts=event.thread_ts, oldest="0", limit=_PER_PAGE)
        messages = [message for page in islice(pages, _MOST_PAGES) for message in page.get("messages") or []]
    said = []
    for message in messages:
        is_earlier = str(message.get("ts", "")) < event.ts
        if not (is_earlier and is_persons(message, own_user_id=own_user_id)):
            continue
        text = extract_question(str(message.get("text") or ""), own_user_id=own_user_id)
        if text:
            marks = {str(one.get("name", "")).partition("::")[0] for one in message.get("reactions") or []}
            is_ticked = bool(marks & _CHECK_MARKS)
            said.append(Said(ts=str(message["ts"]), user=str(message["user"]), text=text, is_ticked=is_ticked))
    return said[-MOST_READ:]


def _find_address(client: WebClient, channel_id: str, ts: str) -> str:
    """Return where a message is opened; empty when Slack does not say, or says an address that is not its own."""
    try:
        address = find_permalink(client, channel_id, ts)
    except SlackRefusedError as error:
        logger.info("permalink_refused", extra={"channel": channel_id, "code": error.code})
        return ""
    return address if is_slacks(address) else ""
