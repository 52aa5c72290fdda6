"""A message as it is posted: blocks, and the plain text that notifications and screen readers use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.models.blocks import Block

from bot.blocks.text import context, escape_within, section
from core.language.i18n.translation import number, say, translatable

FALLBACK_LIMIT = 3000  # characters of the plain text

# The steps of answering, by the names that core.api.ask tells.
STEPS = {
    "searching": translatable("Searching the documents…"),
    "reading": translatable("Reading what was found…"),
    "checking": translatable("Checking every quote…"),
}


PLAN = translatable("Looking for the answer")


def describe_step(step: str, count: int) -> str:
    """Return how much a step works on, in words; empty where that is not known."""
    match step:
        case _ if not count:
            return ""
        case "searching":
            return say("1 document") if count == 1 else say("{count} documents", count=number(count))
        case "reading":
            return say("1 passage") if count == 1 else say("{count} passages", count=number(count))
        case _:
            return say("1 statement") if count == 1 else say("{count} statements", count=number(count))


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """Holds blocks and their plain text, both within Slack's limits."""

    text: str
    blocks: list[dict[str, Any]]


def message(text: str, blocks: Sequence[Block]) -> Message:
    """Build a message of plain, unescaped text and blocks. SlackObjectFormationError for what Slack would refuse."""
    return Message(text=escape_within(text, FALLBACK_LIMIT), blocks=[block.to_dict() for block in blocks])


def notice(text: str) -> Message:
    """Build a message of one plain sentence of ours."""
    return message(text, [section(escape_within(text, FALLBACK_LIMIT))])


def progress_message(step: str) -> Message:
    """Build the sign of work in an answer's place: which of the STEPS is being done."""
    text = say(STEPS[step])
    return message(text, [context(f":hourglass_flowing_sand: {text}")])
