"""The Home tab: what somebody may read, what they asked, how answers are made, whom to ask."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from slack_sdk.models.blocks import Block, ButtonElement, ContextBlock, DividerBlock, HeaderBlock, SectionBlock
from slack_sdk.models.views import View

from bot.blocks.buttons import SHOW_QUOTES
from bot.blocks.guide import HOW_ANSWERS_ARE_MADE, NOBODY_NAMED, render_filters, render_usage
from bot.blocks.library import NO_SOURCES, render_collections
from bot.blocks.text import context, escape_within, section
from core.i18n.translation import day, say, translatable
from core.types import QueryState, ReadableCollection, RecentQuestion, RefusalReason

UNKNOWN = translatable(
    "I do not know you yet, so I may not show you anything. I recognise people by the e-mail address in their Slack "
    "profile. It must be the one that your organisation gave to Footnote, and it must be confirmed in Slack."
)
NO_QUESTIONS = translatable("You have not asked anything yet.")
_QUESTION_LIMIT = 200
_CONTACT_LIMIT = 500
_ENDS = {
    QueryState.COMPLETE: translatable("answered"),
    QueryState.NO_CONTENT_FOUND: translatable("nothing found"),
    QueryState.FAILED: translatable("not answered"),
}
# Refusals that tell more than that nothing was found.
_REFUSALS = {
    RefusalReason.UNSURE: translatable("closest passages shown"),
    RefusalReason.AMBIGUOUS: translatable("asked for clarification"),
}
_UNDER_WAY = translatable("in progress")


@dataclass(frozen=True, kw_only=True, slots=True)
class Home:
    """What the Home tab of one person shows."""

    collections: tuple[ReadableCollection, ...]
    questions: tuple[RecentQuestion, ...]
    contact: str  # whom to ask, in words; empty when nobody is named
    command: str  # the slash command, with its slash


def home(shown: Home) -> dict[str, Any]:
    """The Home tab of somebody we know."""
    blocks: list[Block] = [
        HeaderBlock(text=say("What you can read")),
        section(render_collections(shown.collections) if shown.collections else say(NO_SOURCES)),
        HeaderBlock(text=say("Your recent questions")),
        *([_question(question) for question in shown.questions] or [section(say(NO_QUESTIONS))]),
        DividerBlock(),
        HeaderBlock(text=say("How answers are made")),
        section(say(HOW_ANSWERS_ARE_MADE)),
        HeaderBlock(text=say("How to ask")),
        section(render_usage(shown.command)),
        section(render_filters()),
        *_contact(shown.contact),
    ]
    return _view(blocks)


def home_of_nobody(contact: str) -> dict[str, Any]:
    """The Home tab of somebody we do not know."""
    return _view([HeaderBlock(text=say("Welcome")), section(say(UNKNOWN)), *_contact(contact)])


def _view(blocks: list[Block]) -> dict[str, Any]:
    """The view, with what it shows as a digest: a view that is published already need not be published again."""
    shown = [block.to_dict() for block in blocks]
    digest = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()
    return dict(View(type="home", private_metadata=digest, blocks=shown).to_dict())


def _question(question: RecentQuestion) -> Block:
    asked = f"{day(question.asked_at)}, {say(_describe_end(question))}"
    # No accessory stands beside an answer that may not be read any more: nothing would open.
    button = ButtonElement(
        action_id=SHOW_QUOTES,
        text=say("Show quotes"),
        value=question.request_id,
        accessibility_label=say("Show the quoted passages"),
    )
    asked_for = escape_within(" ".join(question.question.split()), _QUESTION_LIMIT)
    said = section(f"{asked_for}\n_{asked}_")
    return SectionBlock(text=said.text, accessory=button) if question.is_readable else said


def _describe_end(question: RecentQuestion) -> str:
    """What came of a question, in words that are yet to be said."""
    told = _REFUSALS.get(question.refusal) if question.refusal else None
    return told or _ENDS.get(question.state, _UNDER_WAY)


def _contact(contact: str) -> list[Block]:
    said: ContextBlock = context(escape_within(contact, _CONTACT_LIMIT) if contact.strip() else say(NOBODY_NAMED))
    return [HeaderBlock(text=say("Whom to ask")), said]
