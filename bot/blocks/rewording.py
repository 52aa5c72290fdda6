"""The window in which somebody puts a question in other words."""

import json
from dataclasses import asdict
from typing import Any

from slack_sdk.models.blocks import InputBlock, PlainTextInputElement
from slack_sdk.models.views import View

from bot.blocks.interaction import Interaction
from core.language.i18n.translation import say, translatable

ASK_REWORDED = "ask_reworded"  # the callback_id
QUESTION = "question"  # the id of the block and of its input
TITLE = translatable("Ask in other words")
_LONGEST_QUESTION = 1000  # characters


def rewording_modal(interaction: Interaction, question: str) -> dict[str, Any]:
    """The question, to be edited. interaction: what was pressed; its thread is where the new question is answered."""
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
        title=say(TITLE),
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
