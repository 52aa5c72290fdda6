"""Asking the owner of a document which of two documents holds that answer one question differently."""

import datetime as dt
from dataclasses import dataclass

from slack_sdk.models.blocks import ActionsBlock, Block, ButtonElement

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape, escape_within, link, section
from core.language.i18n.translation import day, say

NEWER_HOLDS = "contradiction_newer_holds"
OLDER_HOLDS = "contradiction_older_holds"
_NAME_LIMIT, _QUOTE_LIMIT, _QUESTION_LIMIT, _LABEL_LIMIT = 200, 1000, 500, 75


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidSide:
    """Holds what one of the two documents says."""

    action_id: str  # of the button that says that it holds
    document_name: str
    document_date: dt.date | None
    quote: str
    opens_at: str  # empty without an address
    holds: bool


def contradiction_message(
    contradiction_id: str, question: str, sides: tuple[SaidSide, ...], *, both_hold: bool
) -> Message:
    """Build the question to an owner, with a button for each document, or with what holds in the place of these."""
    blocks: list[Block] = [
        section(say("Two documents answer a question differently, and one of them is yours. Which one holds?")),
        section(f"*{escape_within(question, _QUESTION_LIMIT)}*"),
    ]
    for side in sides:
        name = link(side.opens_at, side.document_name, _NAME_LIMIT)
        if side.document_date:
            name = f"{name}, {escape(day(side.document_date))}"
        quoted = "\n".join(f"> {line}" for line in escape_within(side.quote, _QUOTE_LIMIT).splitlines())
        blocks.append(section(f"{name}\n{quoted}"))
    holding = next((side for side in sides if side.holds), None)
    if holding:
        name = escape_within(holding.document_name, _NAME_LIMIT)
        blocks.append(context(say(":white_check_mark: “{name}” holds.", name=name)))
    elif both_hold:
        blocks.append(context(say(":white_check_mark: Both hold.")))
    else:
        blocks.append(ActionsBlock(elements=[_build_button(contradiction_id, side) for side in sides]))
    return message(say("Which of two documents holds?"), blocks)


def _build_button(contradiction_id: str, side: SaidSide) -> ButtonElement:
    text = say("“{name}” holds", name=side.document_name)
    return ButtonElement(
        action_id=side.action_id,
        text=text if len(text) <= _LABEL_LIMIT else f"{text[: _LABEL_LIMIT - 1]}…",
        value=contradiction_id,
        accessibility_label=text[:_LABEL_LIMIT],
    )
