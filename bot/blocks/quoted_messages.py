"""Messages of Slack's that are quoted below an answer from documents, and apart from it."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slack_sdk.models.blocks import Block, DividerBlock

from bot.blocks.message import Message
from bot.blocks.text import context, escape_within, link, render_quote, section
from core.language.i18n.translation import day, say, translatable

BESIDE_ANSWER = translatable("*From Slack messages that you can read*")
IN_ITS_PLACE = translatable("*The documents gave no answer. From Slack messages that you can read*")
HOW_GOOD = translatable(
    "What colleagues wrote, as Slack found it just now. Nobody has checked that it is still true. I keep the links and "
    "not the words."
)
LINKS_ALONE = translatable("Slack messages were quoted here. I do not keep their words: {links}")
NO_NAME = translatable("message")

_QUOTE_LIMIT = 500  # characters of a quote
_NAME_LIMIT = 80  # characters of a channel's name, or an author's
_LINK_LIMIT = 420  # characters of a link: its address has at most 300
# Characters of the blocks as JSON, which is more than Slack counts: it refuses messages near 13,200 characters.
_WHOLE_LIMIT = 13_000


@dataclass(frozen=True, kw_only=True, slots=True)
class QuotedWords:
    """Holds words of a message, and where it stands."""

    permalink: str
    channel: str  # a name, without #
    author: str  # a name
    sent_on: dt.date
    words: str = field(repr=False)


def choose_fitting(whole: Message, quotes: Sequence[QuotedWords], *, is_answered: bool) -> list[QuotedWords]:
    """Return the first quotes for which a message has room."""
    for count in range(len(quotes), 0, -1):
        blocks = add_messages(whole, quotes[:count], is_answered=is_answered).blocks
        if len(json.dumps(blocks, ensure_ascii=False)) <= _WHOLE_LIMIT:
            return list(quotes[:count])
    return []


def add_messages(whole: Message, quotes: Sequence[QuotedWords], *, is_answered: bool) -> Message:
    """Put quoted messages below an answer, or a refusal. Its plain text, which notifications show, stays as it is."""
    blocks: list[Block] = [DividerBlock(), section(say(BESIDE_ANSWER if is_answered else IN_ITS_PLACE))]
    for quote in quotes:
        blocks += [section(render_quote(quote.words, _QUOTE_LIMIT)), context(_render_where(quote))]
    return _append_blocks(whole, [*blocks, context(say(HOW_GOOD))])


def add_links(whole: Message, permalinks: Sequence[str]) -> Message:
    """Put below an answer where the messages are that were quoted there before."""
    links = ", ".join(link(address, f"{say(NO_NAME)} {n}", _LINK_LIMIT) for n, address in enumerate(permalinks, 1))
    return _append_blocks(whole, [context(say(LINKS_ALONE, links=links))])


def _append_blocks(whole: Message, blocks: Sequence[Block]) -> Message:
    return replace(whole, blocks=[*whole.blocks, *(block.to_dict() for block in blocks)])


def _render_where(quote: QuotedWords) -> str:
    """Render the channel with the link to the message, who wrote it and when, as mrkdwn."""
    name = f"#{quote.channel[:_NAME_LIMIT]}" if quote.channel else say(NO_NAME)
    parts = (link(quote.permalink, name, _LINK_LIMIT), escape_within(quote.author, _NAME_LIMIT), day(quote.sent_on))
    return " · ".join(part for part in parts if part)
