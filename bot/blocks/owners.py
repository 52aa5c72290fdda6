"""Offering to ask the owner of a source that may be out of date; the question to the owner, and what the owner says."""

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ConfirmObject,
    InputBlock,
    PlainTextInputElement,
    PlainTextObject,
)
from slack_sdk.models.views import View

from bot.blocks.message import Message, message
from bot.blocks.text import context, escape, escape_within, link, section
from core.language.i18n.translation import day, say, translatable

ASK_OWNER = "ask_owner"
OWNER_SAYS_HOLDS = "owner_says_holds"
OWNER_SAYS_OUTDATED = "owner_says_outdated"
OWNER_WRITES = "owner_writes"
OWNER_WROTE = "owner_wrote"  # the callback_id of the window
WORDS = "words"  # the id of its block and of its input
LONGEST_WORDS = 2000  # characters that an owner writes

_TITLE = translatable("Your answer")
_SAID = {
    "holds": translatable("It still holds."),
    "outdated": translatable("It is out of date."),
    "written": translatable("You have answered."),
}
_QUESTION_LIMIT, _NAME_LIMIT, _CONFIRM_LIMIT, _LABEL_LIMIT = 2000, 200, 300, 75


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnersQuestion:
    """Holds what the owner of a document is asked."""

    question_id: str
    asker: str  # id of the Slack account of who wants to know
    question: str  # that was answered from the document, as it was typed
    document_name: str
    document_date: dt.date | None
    opens_at: str  # address of the document; empty where there is none


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnersWord:
    """Holds what the owner of a document says to somebody who asked."""

    owner: str  # name
    document_name: str  # empty where the reader may not read the document any more
    question: str  # empty where it is erased
    verdict: str  # of OwnerQuestion.Verdict
    words: str  # that the owner wrote; empty where they pressed a button


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnerOffer:
    """Holds a source that may be out of date, and its owner."""

    document_id: str
    document_name: str
    owner: str  # name
    confirmed_on: dt.date | None  # the day from which it is too old; None where that is not the reason
    is_contradicted: bool = False  # another document says otherwise; else somebody said that it is out of date


def offer_blocks(request_id: str, offer: OwnerOffer) -> list[Block]:
    """Build the note that a source may be out of date, with a button that asks its owner."""
    name, owner = escape_within(offer.document_name, _NAME_LIMIT), offer.owner
    if offer.is_contradicted:
        note = say(":hourglass: “{name}” may be out of date, since another document says otherwise.", name=name)
    elif offer.confirmed_on:
        when = day(offer.confirmed_on)
        note = say(":hourglass: “{name}” was last confirmed on {day}. It may be out of date.", name=name, day=when)
    else:
        note = say(":hourglass: Somebody has said that “{name}” is out of date.", name=name)
    confirm = ConfirmObject(
        title=say("Ask the owner?"),
        text=PlainTextObject(
            text=say(
                "I will send {owner} your name, the question and the name of this source, and bring you the answer.",
                owner=owner,
            )[:_CONFIRM_LIMIT],
            emoji=False,
        ),
        confirm=say("Ask"),
        deny=say("Cancel"),
    )
    button = ButtonElement(
        action_id=ASK_OWNER,
        text=say("Ask {owner}", owner=owner)[:_LABEL_LIMIT],
        value=f"{request_id} {offer.document_id}",
        accessibility_label=say("Ask whether this source still holds"),
        confirm=confirm,
    )
    return [context(note), ActionsBlock(elements=[button])]


def question_message(asked: OwnersQuestion, *, verdict: str = "") -> Message:
    """Build the question to the owner, with buttons, or with what they said in the place of these."""
    name = link(asked.opens_at, asked.document_name, _NAME_LIMIT)
    if asked.document_date:
        name = f"{name}, {escape(day(asked.document_date))}"
    quoted = "\n".join(f"> {line}" for line in escape_within(asked.question, _QUESTION_LIMIT).splitlines())
    blocks: list[Block] = [
        section(
            say(
                "<@{asker}> got an answer from a source of yours, {name}. Does it still hold?",
                asker=asked.asker,
                name=name,
            )
        ),
        section(quoted or "> …"),
    ]
    if verdict:
        blocks.append(context(say(":white_check_mark: {said} I pass it on.", said=say(_SAID[verdict]))))
    else:
        blocks.append(ActionsBlock(elements=[*_build_answer_buttons(asked.question_id)]))
    return message(say("Does this source of yours still hold?"), blocks)


def words_modal(question_id: str, channel_id: str) -> dict[str, Any]:
    """Build the window in which the owner writes an answer."""
    entered = PlainTextInputElement(action_id=WORDS, multiline=True, max_length=LONGEST_WORDS, focus_on_load=True)
    view = View(
        type="modal",
        callback_id=OWNER_WROTE,
        title=say(_TITLE),
        submit=say("Send"),
        close=say("Cancel"),
        private_metadata=json.dumps({"question": question_id, "channel": channel_id}),
        blocks=[InputBlock(block_id=WORDS, label=say("What should they know?"), element=entered)],
    )
    return dict(view.to_dict())


def read_words(view: dict[str, Any]) -> tuple[str, str, str]:
    """Read the id of the question, the channel in which it stands, and what the owner wrote."""
    place = json.loads(view["private_metadata"])
    words = str(view["state"]["values"][WORDS][WORDS].get("value") or "").replace("\x00", "").strip()
    return str(place["question"]), str(place["channel"]), words[:LONGEST_WORDS]


def word_message(word: OwnersWord) -> Message:
    """Build what somebody who asked is told."""
    name = escape_within(word.document_name, _NAME_LIMIT)
    about = (
        say("{owner} about “{name}”:", owner=escape_within(word.owner, _NAME_LIMIT), name=name)
        if name
        else say("{owner} about a source of your answer:", owner=escape_within(word.owner, _NAME_LIMIT))
    )
    said = word.words or say(_SAID[word.verdict])
    quoted = "\n".join(f"> {line}" for line in escape_within(said, LONGEST_WORDS).splitlines())
    blocks: list[Block] = [section(about), section(quoted)]
    if word.question:
        blocks.append(context(say("You asked: {question}", question=escape_within(word.question, _CONFIRM_LIMIT))))
    return message(say("An answer from the owner of a source."), blocks)


def not_reached_message(owner: str, document_name: str) -> Message:
    """Build what somebody is told whose question did not reach the owner."""
    name = escape_within(document_name, _NAME_LIMIT)
    owner = escape_within(owner, _NAME_LIMIT)
    text = (
        say("I could not reach {owner} about “{name}”. Ask an administrator who else knows.", owner=owner, name=name)
        if name
        else say("I could not reach {owner}. Ask an administrator who else knows.", owner=owner)
    )
    return message(say("I could not reach the owner of a source."), [section(text)])


def _build_answer_buttons(question_id: str) -> list[ButtonElement]:
    labels = {
        OWNER_SAYS_HOLDS: (say("Still holds"), say("The source still holds")),
        OWNER_SAYS_OUTDATED: (say("Out of date"), say("The source is out of date")),
        OWNER_WRITES: (say("Write an answer"), say("Write an answer to who asked")),
    }
    return [
        ButtonElement(action_id=action_id, text=text, value=question_id, accessibility_label=label)
        for action_id, (text, label) in labels.items()
    ]
