"""A summary of a thread: what people wrote, word for word, each with who wrote it, when, and a link to it."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from slack_sdk.models.blocks import Block

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape, link, render_quote, section
from core.language.i18n.translation import day, say, translatable

NOTHING_SAID = translatable("Nobody has written anything here yet that I could sum up.")
NO_DECISION = translatable("I see no message here that says what was decided.")
UNREADABLE = translatable("I cannot read this thread. Invite me to the channel, and ask me again.")
HOW_CHOSEN = translatable("These are the words of those who wrote them. I chose them, and may have missed something.")
_QUOTE_LIMIT = 500  # characters of one message
_LINK_LIMIT = 1800


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """Holds one message of a thread, as people see it."""

    ts: str
    user: str  # id of the Slack account
    text: str
    is_ticked: bool = False  # somebody put a check mark on it


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """Holds the messages that sum a thread up, each in one part at most, in the order in which they were written."""

    decisions: tuple[Said, ...] = ()
    open_questions: tuple[Said, ...] = ()
    main_points: tuple[Said, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return True if no message was chosen."""
        return not (self.decisions or self.open_questions or self.main_points)


def summary_message(summary: Summary, find_address: Callable[[str], str], *, wants_decisions: bool) -> Message:
    """Build the message: a heading for each part, and below it the messages that were chosen.

    find_address: gives the address of the message with a ts, or an empty text. wants_decisions: whether it is said that
    nothing was decided.
    """
    if summary.is_empty:
        return message(say(NOTHING_SAID), [section(escape(say(NOTHING_SAID)))])
    blocks: list[Block] = []
    if wants_decisions and not summary.decisions:
        blocks.append(section(escape(say(NO_DECISION))))
    blocks += _build_part(say("Decided"), summary.decisions, find_address)
    blocks += _build_part(say("Still open"), summary.open_questions, find_address)
    blocks += _build_part(say("Main points"), summary.main_points, find_address)
    blocks.append(context(escape(say(HOW_CHOSEN))))
    return message(say("A summary of this thread."), blocks)


def _build_part(heading: str, chosen: Sequence[Said], find_address: Callable[[str], str]) -> Iterator[Block]:
    if chosen:
        yield section(f"*{escape(heading)}*")
    for said in chosen:
        when = day(dt.datetime.fromtimestamp(float(said.ts), dt.UTC).date())
        address = find_address(said.ts)
        where = link(address, say("Open the message"), _LINK_LIMIT) if address else ""
        yield section(render_quote(said.text, _QUOTE_LIMIT))
        yield context(" · ".join(part for part in (f"<@{said.user}>", escape(when), where) if part))
