"""Build the windows in which a question is written: in other words, or about one message alone."""

import json
from dataclasses import asdict
from typing import Any

from slack_sdk.models.blocks import Block, InputBlock, PlainTextInputElement
from slack_sdk.models.views import View

from bot.blocks.modals import Interaction
from bot.blocks.text import section, warning
from core.language.i18n.translation import say, translatable

ASK_REWORDED = "ask_reworded"  # the window's callback id
ASK_ABOUT_MESSAGE = "ask_about_message"  # the shortcut's callback id, and the window's
QUESTION, TEXT = "question", "selected_text"  # ids of the blocks; each input has its block's id as well

_LONGEST_QUESTION = 1000  # characters
_MOST_CHARACTERS = 3000  # what Slack takes as the first value of an input

REWORDING_TITLE = translatable("Ask in other words")
CUT = translatable("Only the beginning of the message fits here. Your question is about that part.")
READING = translatable("I am reading it. The answer will be in our direct messages in a moment.")
_SELECTION_TITLE = translatable("Ask about a message")


def rewording_modal(interaction: Interaction, question: str) -> dict[str, Any]:
    """Build the window with a question, to be edited. interaction: what was pressed, in whose thread it is answered."""
    entered = PlainTextInputElement(
        action_id=QUESTION,
        multiline=True,
        initial_value=question[:_LONGEST_QUESTION] or None,
        max_length=_LONGEST_QUESTION,
        focus_on_load=True,
    )
    view = View(
        type="modal",
        callback_id=ASK_REWORDED,
        title=say(REWORDING_TITLE),
        submit=say("Ask"),
        close=say("Cancel"),
        private_metadata=json.dumps(asdict(interaction)),
        blocks=[
            InputBlock(
                block_id=QUESTION,
                label=say("Question"),
                hint=say("Try the words that a document would use, and ask for one thing at a time."),
                element=entered,
            )
        ],
    )
    return dict(view.to_dict())


def read_rewording(view: dict[str, Any]) -> tuple[Interaction, str]:
    """Return the pressed button, and the question that was sent with the window."""
    entered = view["state"]["values"][QUESTION][QUESTION]
    return Interaction(**json.loads(view["private_metadata"])), str(entered.get("value") or "")


def selection_modal(text: str, *, place: str) -> dict[str, Any]:
    """Build the window with the text of a message, to be edited, and an empty question. place: carried along unseen."""
    blocks: list[Block] = [
        InputBlock(
            block_id=QUESTION,
            label=say("Question"),
            hint=say("The answer uses only the text below, and only you see it."),
            element=PlainTextInputElement(action_id=QUESTION, max_length=_LONGEST_QUESTION, focus_on_load=True),
        ),
        InputBlock(
            block_id=TEXT,
            label=say("Text"),
            element=PlainTextInputElement(
                action_id=TEXT,
                multiline=True,
                initial_value=text[:_MOST_CHARACTERS] or None,
                max_length=_MOST_CHARACTERS,
            ),
        ),
    ]
    if len(text) > _MOST_CHARACTERS:
        blocks.append(warning(say(CUT)))
    view = View(
        type="modal",
        callback_id=ASK_ABOUT_MESSAGE,
        title=say(_SELECTION_TITLE),
        submit=say("Ask"),
        close=say("Cancel"),
        private_metadata=place,
        blocks=blocks,
    )
    return dict(view.to_dict())


def selection_receipt() -> dict[str, Any]:
    """Build the window's reply when the question is accepted."""
    view = View(type="modal", title=say(_SELECTION_TITLE), close=say("Close"), blocks=[section(say(READING))])
    return dict(view.to_dict())
