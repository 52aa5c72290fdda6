"""The buttons below an answer or a refusal. The value of each is the request's id."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from slack_sdk.models.blocks import ActionsBlock, Block, ButtonElement, ConfirmObject, PlainTextObject

from core.i18n.translation import say

FEEDBACK_UP = "feedback_up"
FEEDBACK_DOWN = "feedback_down"
SHOW_QUOTES = "show_quotes"
ASK_A_PERSON = "ask_a_person"
SHARE = "share_answer"
ASK_IN_OTHER_WORDS = "ask_in_other_words"

_CONFIRM_LIMIT = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Buttons:
    """Which buttons there are; each shows only where it makes sense."""

    show_quotes: bool = True
    feedback: bool = True
    share: bool = False  # offer to show a private answer in the channel's thread
    ask_again: bool = True  # below what is no answer: a window in which the question is put in other words
    ask_a_person: str = ""  # who reads a question that is handed on, as a sentence; empty: nobody is there to ask


def answer_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """The row of buttons below an answer; none without a button."""
    return _row(request_id, replace(buttons, ask_again=False), has_quotes=True)


def closest_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """The row of buttons below the passages that come closest: no answer that could be shared, but quotes to read."""
    return _row(request_id, replace(buttons, share=False), has_quotes=True)


def refusal_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """The row of buttons below a refusal, which has no quotes and nothing to share; none without a button."""
    return _row(request_id, buttons, has_quotes=False)


def _row(request_id: str, buttons: Buttons, *, has_quotes: bool) -> list[Block]:
    elements = list(_elements(request_id, buttons, has_quotes=has_quotes))
    return [ActionsBlock(elements=elements)] if elements else []


def _elements(request_id: str, buttons: Buttons, *, has_quotes: bool) -> Iterator[ButtonElement]:
    def button(action_id: str, text: str, label: str, confirm: ConfirmObject | None = None) -> ButtonElement:
        return ButtonElement(
            action_id=action_id, text=text, value=request_id, accessibility_label=label, confirm=confirm
        )

    if has_quotes and buttons.show_quotes:
        yield button(SHOW_QUOTES, say("Show quotes"), say("Show the quoted passages"))
    if buttons.feedback:
        yield button(FEEDBACK_UP, say("👍 Helpful"), say("This answer helped"))
        yield button(FEEDBACK_DOWN, say("👎 Not helpful"), say("This answer did not help"))
    if buttons.ask_again:
        yield button(ASK_IN_OTHER_WORDS, say("Ask in other words"), say("Ask this question in other words"))
    if has_quotes and buttons.share:
        yield button(SHARE, say("Share to thread"), say("Show this answer to everyone in the thread"))
    if buttons.ask_a_person:
        confirm = ConfirmObject(
            title=say("Ask a person?"),
            text=PlainTextObject(text=buttons.ask_a_person[:_CONFIRM_LIMIT], emoji=False),
            confirm=say("Ask"),
            deny=say("Cancel"),
        )
        yield button(ASK_A_PERSON, say("Ask a person"), say("Hand this question to a person"), confirm)
