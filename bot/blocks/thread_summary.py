"""A summary of a thread: what people wrote, word for word, each with who wrote it, when, and a link to it."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence

from slack_sdk.models.blocks import Block

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape, link, render_quote, section
from bot.thread_summaries.choosing import Said, Summary
from bot.thread_summaries.wishes import Wish
from core.i18n.translation import day, say, translatable

NOTHING_SAID = translatable("Nobody has written anything here yet that I could sum up.")
NO_DECISION = translatable("I see no message here that says what was decided.")
UNREADABLE = translatable("I cannot read this thread. Invite me to the channel, and ask me again.")
HOW_CHOSEN = translatable("These are the words of those who wrote them. I chose them, and may have missed something.")
_QUOTE_LIMIT = 500  # characters of one message
_LINK_LIMIT = 1800


def summary_message(summary: Summary, wish: Wish, find_address: Callable[[str], str]) -> Message:
    """Build the message: a heading for each part, and below it the messages that were chosen.

    find_address: gives the address of the message with a ts, or an empty text.
    """
    if summary.is_empty:
        return message(say(NOTHING_SAID), [section(escape(say(NOTHING_SAID)))])
    blocks: list[Block] = []
    if wish is Wish.DECISIONS and not summary.decisions:
        blocks.append(section(escape(say(NO_DECISION))))
    blocks += _part(say("Decided"), summary.decisions, find_address)
    blocks += _part(say("Still open"), summary.open_questions, find_address)
    blocks += _part(say("Main points"), summary.main_points, find_address)
    blocks.append(context(escape(say(HOW_CHOSEN))))
    return message(say("A summary of this thread."), blocks)


def _part(heading: str, chosen: Sequence[Said], find_address: Callable[[str], str]) -> Iterator[Block]:
    if chosen:
        yield section(f"*{escape(heading)}*")
    for said in chosen:
        when = day(dt.datetime.fromtimestamp(float(said.ts), dt.UTC).date())
        address = find_address(said.ts)
        where = link(address, say("Open the message"), _LINK_LIMIT) if address else ""
        yield section(render_quote(said.text, _QUOTE_LIMIT))
        yield context(" · ".join(part for part in (f"<@{said.user}>", escape(when), where) if part))
