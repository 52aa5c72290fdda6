"""A message as it is posted: blocks, and the plain text that notifications and screen readers use."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from slack_sdk.models.blocks import Block

from bot.blocks.text import context, escape_within, section

FALLBACK_LIMIT = 3000  # characters of the plain text


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """Blocks and their plain text, both within Slack's limits."""

    text: str
    blocks: list[dict[str, Any]]


def message(text: str, blocks: Sequence[Block]) -> Message:
    """A message from plain, unescaped text and blocks. SlackObjectFormationError for a block Slack would refuse."""
    return Message(text=escape_within(text, FALLBACK_LIMIT), blocks=[block.to_dict() for block in blocks])


def notice(text: str) -> Message:
    """One plain sentence of ours."""
    return message(text, [section(escape_within(text, FALLBACK_LIMIT))])


def placeholder() -> Message:
    """What stands in the thread until the answer does."""
    text = "Searching the documents…"
    return message(text, [context(f":mag: {text}")])
