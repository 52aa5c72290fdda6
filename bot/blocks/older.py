"""A message in the blocks that every workspace takes, where one refuses those that came to Slack later. Pure.

Newer blocks are given up in two steps, since tables came long before the others.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    RichTextBlock,
    RichTextElementParts,
    RichTextPreformattedElement,
)

from bot.blocks.buttons import FEEDBACK_DOWN, FEEDBACK_UP, read_vote
from bot.blocks.markdown import Table, render_lines
from bot.blocks.message import Message
from bot.blocks.text import context, link, section
from core.language.i18n.translation import say

MOST_STEPS = 2
_LINK_LIMIT = 600  # characters of a linked name
_MARKED = re.compile(r"^(\[\d{1,4}\]) (.*)$", re.DOTALL)  # the head of a card: the mark of a citation, and a document

Json = dict[str, Any]


def make_older(said: Message, step: int) -> Message:
    """Return the message in older blocks. step: how much is given up, from 0, nothing, to MOST_STEPS."""
    return replace(said, blocks=_make_blocks_older(said.blocks, step))


def make_view_older(view: Json) -> Json:
    """Return a view without any of the newer blocks."""
    return {**view, "blocks": _make_blocks_older(view["blocks"], MOST_STEPS)}


def _make_blocks_older(blocks: list[Json], step: int) -> list[Json]:
    older = [after for block in blocks for after in _replace_block(block, step)]
    return _join_rows(older) if step else older


def _replace_block(block: Json, step: int) -> Iterator[Json]:
    since, make = _NEWER.get(block["type"], (MOST_STEPS + 1, None))
    if make is None or step < since:
        yield block
        return
    made = [each.to_dict() for each in make(block)]
    if made and "block_id" in block:
        made[0]["block_id"] = block["block_id"]  # by which the message is found again
    yield from made


def _votes_as_buttons(block: Json) -> list[Block]:
    """Return the votes as two buttons. A bin that one person alone sees has no older form."""
    buttons = [
        ButtonElement(action_id=action_id, text=text, value=request_id, accessibility_label=label)
        for element in block["elements"]
        if element["type"] == "feedback_buttons"
        for request_id, _ in [read_vote(element["positive_button"]["value"])]
        for action_id, text, label in (
            (FEEDBACK_UP, say("👍 Helpful"), say("This answer helped")),
            (FEEDBACK_DOWN, say("👎 Not helpful"), say("This answer did not help")),
        )
    ]
    return [ActionsBlock(elements=buttons)] if buttons else []


def _card_as_text(block: Json) -> list[Block]:
    """Return a card as its quote, and below it where that stands."""
    url = next((button["url"] for button in block.get("actions") or []), "")
    mark, name = match.groups() if (match := _MARKED.match(block["title"]["text"])) else ("", block["title"]["text"])
    named = link(url, _unescape(name), _LINK_LIMIT) if url else name
    place = (block.get("subtitle") or {}).get("text", "")
    where = ", ".join(part for part in (f"{mark} {named}".strip(), place) if part)
    quote = (block.get("body") or {}).get("text", "")
    return [*([section(quote)] if quote else []), context(where)]


def _table_as_code(block: Json) -> list[Block]:
    table = Table(tuple(tuple(str(cell["text"]) for cell in row) for row in block["rows"]))
    lines = RichTextElementParts.Text(text=render_lines(table))
    return [RichTextBlock(elements=[RichTextPreformattedElement(elements=[lines])])]


def _join_rows(blocks: list[Json]) -> list[Json]:
    """Let a row of buttons that follows another be a part of it."""
    joined: list[Json] = []
    for block in blocks:
        if joined and block["type"] == joined[-1]["type"] == "actions":
            joined[-1] = {**joined[-1], "elements": [*joined[-1]["elements"], *block["elements"]]}
        else:
            joined.append(block)
    return joined


def _unescape(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


# The step at which each is given up, and what takes its place.
_NEWER: dict[str, tuple[int, Callable[[Json], list[Block]]]] = {
    "context_actions": (1, _votes_as_buttons),
    "card": (1, _card_as_text),
    "alert": (1, lambda block: [section(block["text"]["text"])]),
    "table": (2, _table_as_code),
}
