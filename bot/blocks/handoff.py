"""A question that is handed to people: the message that asks them, and what becomes of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from slack_sdk.models.blocks import ActionsBlock, Block, ButtonElement

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape_within, section
from core.language.i18n.translation import say

RESOLVE = "resolve_hand_over"
RESOLVE_AND_KEEP = "resolve_hand_over_and_keep"
_QUESTION_LIMIT = 2500
_NAME_LIMIT = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffQuestion:
    """Holds a question, and the people who are asked to answer it."""

    people: Sequence[str] = ()  # ids of Slack accounts
    usergroup: str = ""  # id of one of Slack's usergroups
    names: Sequence[str] = ()  # of those whose account is not known: they are named without being notified
    asker: str  # id of the Slack account of who wants to know
    question: str  # as it was written


def handoff_message(hand_over_id: str, asked: HandoffQuestion, *, resolved_by: str = "") -> Message:
    """Build the mentions of who is asked, the question quoted, and buttons to end it, or by whom it was ended."""
    whom = [f"<@{person}>" for person in asked.people]
    whom += [f"<!subteam^{asked.usergroup}>"] if asked.usergroup else []
    whom += [escape_within(name, _NAME_LIMIT) for name in asked.names]
    quoted = "\n".join(f"> {line}" for line in escape_within(asked.question, _QUESTION_LIMIT).splitlines())
    asker = f"<@{asked.asker}>"
    blocks: list[Block] = [
        section(say("{people}: {asker} would like a person to answer this.", people=", ".join(whom), asker=asker)),
        section(quoted or "> …"),
    ]
    if resolved_by:
        blocks.append(context(say(":white_check_mark: Resolved by {person}", person=f"<@{resolved_by}>")))
    else:
        button = ButtonElement(
            action_id=RESOLVE,
            text=say("Mark as resolved"),
            value=hand_over_id,
            accessibility_label=say("This was answered"),
        )
        keep = ButtonElement(
            action_id=RESOLVE_AND_KEEP,
            text=say("Resolved: keep the reply"),
            value=hand_over_id,
            accessibility_label=say("This was answered. Keep the reply as a draft"),
        )
        blocks.append(ActionsBlock(elements=[button, keep]))
    return message(say("Resolved.") if resolved_by else say("A question for a person."), blocks)
