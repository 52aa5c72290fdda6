"""The reply to somebody who wishes a summary of the thread in which they write."""

import logging
from functools import partial

from slack_sdk import WebClient

from bot.blocks.thread_summary import UNREADABLE, summary_message
from bot.delivery.rendering import render_message, render_sentence
from bot.delivery.surfaces import Rendering
from bot.identity.own_account import find_own_user_id
from bot.models import SlackEvent
from bot.slack.errors import SlackRefusedError
from bot.slack.markup import extract_question
from bot.thread_summaries.choosing import summarise
from bot.thread_summaries.collecting import find_address, read_thread
from bot.thread_summaries.wishes import Wish, find_wish
from core.language.i18n.translation import say

logger = logging.getLogger(__name__)

# Typed in the thread of a channel, in which the reply stands: who reads the reply reads what it quotes.
_TYPED_IN_CHANNELS = frozenset({SlackEvent.Kind.MENTION, SlackEvent.Kind.FOLLOW_UP})


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
        thread = read_thread(client, event)
    except SlackRefusedError as error:
        logger.warning("thread_unreadable", extra={"channel": event.channel_id, "code": error.code})
        return render_sentence(say(UNREADABLE))
    find = partial(find_address, client, event.channel_id)
    whole = summary_message(summarise(thread, wish), find, wants_decisions=wish is Wish.DECISIONS)
    return render_message(whole)
