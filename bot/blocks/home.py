"""Build the Home tab: what somebody asked, may read and has to decide, how answers are made, whom to ask."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ContextBlock,
    DividerBlock,
    HeaderBlock,
    InputBlock,
    PlainTextInputElement,
    SectionBlock,
)
from slack_sdk.models.views import View

from bot.blocks.buttons import SHOW_QUOTES
from bot.blocks.guide import HOW_ANSWERS_ARE_MADE, NOBODY_NAMED, render_filters, render_usage
from bot.blocks.library import NO_SOURCES, fit_lines, render_collections
from bot.blocks.text import context, escape, escape_within, link, section
from core.language.i18n.translation import day, number, say, translatable
from core.types import QueryState, ReadableCollection, RefusalReason
from core.values.lists import ChangedDocument, NewDocument, RecentQuestion

UNKNOWN = translatable(
    "I do not know you yet, so I may not show you anything. I recognise people by the e-mail address in their Slack "
    "profile. It must be the one that your organisation gave to Footnote, and it must be confirmed in Slack."
)
NO_QUESTIONS = translatable("You have not asked anything yet.")
NOTHING_NEW = translatable("Nothing new in the last 30 days.")
ANSWERING = translatable("I am looking it up. The answer comes in our direct messages, under *Messages*.")
ASK_AT_HOME = "ask_at_home"  # the field, by Enter
ASK_AT_HOME_BUTTON = "ask_at_home_button"
LONGEST_QUESTION = 1000
_TITLE_LIMIT = 300  # characters of one document's title with its link
_QUESTION_LIMIT = 200
_CONTACT_LIMIT = 500
_ENDS = {
    QueryState.COMPLETE: translatable("answered"),
    QueryState.NO_CONTENT_FOUND: translatable("nothing found"),
    QueryState.FAILED: translatable("not answered"),
    QueryState.STOPPED: translatable("stopped"),
}
# Refusals that tell more than that nothing was found.
_REFUSALS = {
    RefusalReason.UNSURE: translatable("closest passages shown"),
    RefusalReason.AMBIGUOUS: translatable("asked for clarification"),
}
_UNDER_WAY = translatable("in progress")
_NEW_EDITION = translatable("there is a new edition.")
_QUOTE_GONE = translatable("words that I quoted to you are no longer in it. Ask again.")

MOST_MATTERS = 5  # lines
_MATTER_LIMIT = 300  # characters
# By the value of core.quality.reports.open_matters.Kind: where it is decided, below the admin's address, and what it is
# called.
PAGES = {
    "workspaces": (
        "core/slackworkspace/",
        translatable("Workspaces for which nobody decided what everyone may be shown: {count}"),
    ),
    "sources": ("core/syncrun/?state__exact=asking", translatable("Data sources that wait for a decision: {count}")),
    "changes": (
        "core/changecheck/?state__exact=held",
        translatable("Changes that wait for a yes before they are live: {count}"),
    ),
    "risks": (
        "core/oversharingrisk/",
        translatable("Risks that more people read something than anybody expects: {count}"),
    ),
    "sections": (
        "core/sectionrule/?state=unrecognised",
        translatable("Documents with restricted sections that were not recognised: {count}"),
    ),
    "roles": ("core/role/?review=due", translatable("Roles that are due for a review: {count}")),
    "answers": (
        "core/verifiedanswer/?review=mine",
        translatable("Verified answers of yours whose sources changed or that are due: {count}"),
    ),
    "alerts": ("core/alert/", translatable("Open alerts: {count}")),
    "ingestion": ("core/ingestionjob/", translatable("Uploads with files that could not be read: {count}")),
    "gaps": ("core/contentgap/", translatable("Topics that people asked about in vain: {count}")),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenMatter:
    """Holds open matters of one kind."""

    kind: str  # a value of core.quality.reports.open_matters.Kind
    count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Home:
    """Holds what the Home tab of one person shows."""

    collections: tuple[ReadableCollection, ...]
    new: tuple[NewDocument, ...]  # newest first
    questions: tuple[RecentQuestion, ...]
    threads: Mapping[str, str] = field(default_factory=dict)  # where a question was answered in Slack, by its request
    changed: tuple[ChangedDocument, ...] = ()  # of what was quoted to them, newest first
    matters: tuple[OpenMatter, ...] = ()  # that wait for their decision, the most pressing first
    contact: str  # whom to ask, in words; empty when nobody is named
    command: str  # the slash command, with its slash
    direct_channel: str  # the direct messages with this person
    admin_url: str = ""  # empty for who may not use the admin
    docs_url: str = ""
    asked: str = ""  # what tells the last question that was asked here from the one before; a field is emptied by it
    note: str = ""  # what became of it
    fault: str = ""  # what is wrong with what was asked, where that was no question


def home(shown: Home) -> dict[str, Any]:
    """Build the Home tab of somebody we know."""
    named = ((shown.docs_url, say("Documentation")), (shown.admin_url, say("Administration")))
    # What is no address of a web page would be shown as a bare word.
    links = [one for url, label in named if (one := link(url, label, _TITLE_LIMIT)).startswith("<")]
    questions = [_build_question(one, shown.threads.get(one.request_id, "")) for one in shown.questions]
    blocks: list[Block] = [
        *_build_field(shown),
        *_list_below(say("Waiting for your decision"), render_matters(shown.matters, shown.admin_url)),
        HeaderBlock(text=say("Your recent questions")),
        *(questions or [section(say(NO_QUESTIONS))]),
        *_list_below(
            say("Changed since I quoted it to you"), fit_lines([_render_changed(one) for one in shown.changed])
        ),
        HeaderBlock(text=say("What is new")),
        section(fit_lines([_render_new(one) for one in shown.new]) or say(NOTHING_NEW)),
        HeaderBlock(text=say("What you can read")),
        section(render_collections(shown.collections) if shown.collections else say(NO_SOURCES)),
        DividerBlock(),
        HeaderBlock(text=say("How answers are made")),
        section(say(HOW_ANSWERS_ARE_MADE)),
        HeaderBlock(text=say("How to ask")),
        section(render_usage(shown.command)),
        section(render_filters()),
        *_name_contact(shown.contact),
        *([section(" · ".join(links))] if links else []),
    ]
    return _build_view(blocks, shown.direct_channel)


def read_question(view: dict[str, Any]) -> str:
    """Read the field of a Home tab that was published."""
    entered = [values[ASK_AT_HOME] for values in view["state"]["values"].values() if ASK_AT_HOME in values]
    return str(entered[0].get("value") or "").strip() if entered else ""


def read_asked(view: dict[str, Any]) -> str:
    """Read what set the field of a published Home tab apart from the one before: with it, the field keeps its text."""
    ids = [str(block.get("block_id")) for block in view.get("blocks") or [] if block.get("type") == "input"]
    return ids[0].removeprefix(f"{ASK_AT_HOME}-") if ids else ""


def read_direct_channel(view: dict[str, Any]) -> str:
    """Read the direct messages with the person whose Home tab it is."""
    return str(view.get("private_metadata") or "").partition(" ")[0]


def home_of_nobody(contact: str) -> dict[str, Any]:
    """Build the Home tab of somebody we do not know."""
    return _build_view([HeaderBlock(text=say("Welcome")), section(say(UNKNOWN)), *_name_contact(contact)])


def _build_view(blocks: list[Block], direct_channel: str = "-") -> dict[str, Any]:
    """Build the view, with what it shows as a digest: a view that is published already need not be published again."""
    shown = [block.to_dict() for block in blocks]
    digest = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()
    return dict(View(type="home", private_metadata=f"{direct_channel} {digest}", blocks=shown).to_dict())


def _build_field(shown: Home) -> list[Block]:
    """Build a field and a button to ask. What was typed goes away with the field's block, whose id changes then."""
    field = PlainTextInputElement(
        action_id=ASK_AT_HOME,
        placeholder=say("Ask in your own words"),
        max_length=LONGEST_QUESTION,
        dispatch_action_config={"trigger_actions_on": ["on_enter_pressed"]},
    )
    button = ButtonElement(action_id=ASK_AT_HOME_BUTTON, text=say("Ask"), style="primary")
    return [
        InputBlock(
            block_id=f"{ASK_AT_HOME}-{shown.asked}"[:255],
            label=say("What would you like to know?"),
            element=field,
            dispatch_action=True,
        ),
        ActionsBlock(elements=[button]),
        *([section(f":warning: {escape(shown.fault)}")] if shown.fault else []),
        *([context(shown.note)] if shown.note else []),
    ]


def _render_new(document: NewDocument) -> str:
    name, on = link(document.source_url, " ".join(document.title.split()), _TITLE_LIMIT), day(document.ingested_at)
    if document.is_new_edition:
        return say("• {name}, changed on {day}", name=name, day=on)
    return say("• {name}, added on {day}", name=name, day=on)


def _render_changed(document: ChangedDocument) -> str:
    name = link(document.source_url, " ".join(document.title.split()), _TITLE_LIMIT)
    told = say(_QUOTE_GONE if document.is_quote_gone else _NEW_EDITION)
    return say("• {name}, changed on {day}", name=name, day=day(document.changed_at)) + f": {told}"


def _list_below(head: str, text: str) -> list[Block]:
    """Build a header and the text below it; nothing where that is empty."""
    return [HeaderBlock(text=head), section(text)] if text else []


def _build_question(question: RecentQuestion, thread: str) -> Block:
    refusal = _REFUSALS.get(question.refusal) if question.refusal else None
    asked = f"_{day(question.asked_at)}, {say(refusal or _ENDS.get(question.state, _UNDER_WAY))}_"
    leads_to = link(thread, say("Open the thread"), _TITLE_LIMIT) if thread else ""
    # No accessory stands beside an answer that may not be read any more: nothing would open.
    button = ButtonElement(
        action_id=SHOW_QUOTES,
        text=say("Show quotes"),
        value=question.request_id,
        accessibility_label=say("Show the quoted passages"),
    )
    asked_for = escape_within(" ".join(question.question.split()), _QUESTION_LIMIT)
    said = section("\n".join((asked_for, " · ".join(filter(None, (asked, leads_to))))))
    return SectionBlock(text=said.text, accessory=button) if question.is_readable else said


def _name_contact(contact: str) -> list[Block]:
    named = escape_within(contact, _CONTACT_LIMIT).strip()  # of characters that Slack cannot show nothing is left
    said: ContextBlock = context(named or say(NOBODY_NAMED))
    return [HeaderBlock(text=say("Whom to ask")), said]


def render_matters(matters: Sequence[OpenMatter], admin_url: str) -> str:
    """Write a line of mrkdwn for each, at most MOST_MATTERS. admin_url: the admin's; empty: the lines lead nowhere."""
    lines = []
    for matter in matters[:MOST_MATTERS]:
        page, words = PAGES[matter.kind]
        label = say(words, count=number(matter.count))
        lines.append(f"• {link(f'{admin_url}{page}' if admin_url else '', label, _MATTER_LIMIT)}")
    return "\n".join(lines)
