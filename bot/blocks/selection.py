"""The window in which somebody asks about one message alone."""

from typing import Any

from slack_sdk.models.blocks import Block, InputBlock, PlainTextInputElement
from slack_sdk.models.views import View

from bot.blocks.text import context, section

ASK_ABOUT_MESSAGE = "ask_about_message"  # the shortcut's callback id, and the window's
QUESTION, TEXT = "question", "selected_text"  # ids of the blocks; each input has its block's id as well

_MOST_CHARACTERS = 3000  # what Slack takes as the first value of an input
_LONGEST_QUESTION = 1000

CUT = "The message is longer than fits here: only its beginning is shown, and asked about."
READING = "I am reading it. The answer is in our direct messages in a moment."


def selection_modal(text: str, *, place: str) -> dict[str, Any]:
    """The window with the text of a message, to be edited, and an empty question. place: carried along unseen."""
    blocks: list[Block] = [
        InputBlock(
            block_id=QUESTION,
            label="Question",
            hint="It is answered from the text below alone, for you alone.",
            element=PlainTextInputElement(action_id=QUESTION, max_length=_LONGEST_QUESTION, focus_on_load=True),
        ),
        InputBlock(
            block_id=TEXT,
            label="Text",
            element=PlainTextInputElement(
                action_id=TEXT,
                multiline=True,
                initial_value=text[:_MOST_CHARACTERS] or None,
                max_length=_MOST_CHARACTERS,
            ),
        ),
    ]
    if len(text) > _MOST_CHARACTERS:
        blocks.append(context(CUT))
    view = View(
        type="modal",
        callback_id=ASK_ABOUT_MESSAGE,
        title="Ask about a message",
        submit="Ask",
        close="Cancel",
        private_metadata=place,
        blocks=blocks,
    )
    return dict(view.to_dict())


def selection_taken() -> dict[str, Any]:
    """What the window says when the question is taken in."""
    view = View(type="modal", title="Ask about a message", close="Close", blocks=[section(READING)])
    return dict(view.to_dict())
