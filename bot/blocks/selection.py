"""The window in which somebody asks about one message alone."""

from typing import Any

from slack_sdk.models.blocks import Block, InputBlock, PlainTextInputElement
from slack_sdk.models.views import View

from bot.blocks.text import section, warning
from core.language.i18n.translation import say, translatable

ASK_ABOUT_MESSAGE = "ask_about_message"  # the shortcut's callback id, and the window's
QUESTION, TEXT = "question", "selected_text"  # ids of the blocks; each input has its block's id as well

_MOST_CHARACTERS = 3000  # what Slack takes as the first value of an input
_LONGEST_QUESTION = 1000

CUT = translatable("Only the beginning of the message fits here. Your question is about that part.")
READING = translatable("I am reading it. The answer will be in our direct messages in a moment.")
_TITLE = translatable("Ask about a message")


def selection_modal(text: str, *, place: str) -> dict[str, Any]:
    """The window with the text of a message, to be edited, and an empty question. place: carried along unseen."""
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
        title=say(_TITLE),
        submit=say("Ask"),
        close=say("Cancel"),
        private_metadata=place,
        blocks=blocks,
    )
    return dict(view.to_dict())


def selection_receipt() -> dict[str, Any]:
    """Build the window's reply when the question is accepted."""
    view = View(type="modal", title=say(_TITLE), close=say("Close"), blocks=[section(say(READING))])
    return dict(view.to_dict())
