"""The buttons below an answer or a refusal. The value of each is the request's id; a vote's names the verdict too.

The votes are Slack's own pair of feedback buttons, and whoever asked may take an answer away by its bin, the one icon
that Slack has: https://docs.slack.dev/reference/block-kit/blocks/context-actions-block.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ConfirmObject,
    ContextActionsBlock,
    FeedbackButtonsElement,
    IconButtonElement,
    PlainTextObject,
)
from slack_sdk.models.blocks.basic_components import FeedbackButtonObject

from core.language.i18n.translation import say

FEEDBACK = "feedback"  # the pair
FEEDBACK_UP = "feedback_up"  # a button of its own, below older messages and where Slack does not take the pair
FEEDBACK_DOWN = "feedback_down"
REMOVE = "remove_answer"
SHOW_QUOTES = "show_quotes"
WHY = "why_this_answer"
ASK_A_PERSON = "ask_a_person"
SHARE = "share_answer"
ASK_IN_OTHER_WORDS = "ask_in_other_words"

_CONFIRM_LIMIT = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Buttons:
    """Holds which buttons there are; each shows only where it makes sense."""

    show_quotes: bool = True
    why: bool = True
    feedback: bool = True
    remove_by: str = ""  # the Slack user who may take the message away; empty: nobody
    share: bool = False  # offer to show a private answer in the channel
    is_beside_thread: bool = True  # it would be shown in a thread there
    ask_again: bool = True  # below what is no answer: a window in which the question is put in other words
    ask_a_person: str = ""  # who reads a question that is handed on, as a sentence; empty: nobody is there to ask


def answer_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """Build the row of buttons below an answer; none without a button."""
    return _build_rows(request_id, replace(buttons, ask_again=False), has_quotes=True, is_answer=True)


def closest_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """Build the row of buttons below the passages that come closest: no answer to share, but quotes to read."""
    return _build_rows(request_id, replace(buttons, share=False), has_quotes=True)


def refusal_buttons(request_id: str, buttons: Buttons) -> list[Block]:
    """Build the row of buttons below a refusal, which has no quotes and nothing to share; none without a button.

    Nothing is there to be called helpful: in place of the votes a button asks what the person was looking for.
    """
    return _build_rows(request_id, buttons, has_quotes=False)


def read_vote(value: str) -> tuple[str, str]:
    """Return the request's id and the verdict, "up" or "down", of one of the pair that was pressed; else empty."""
    verdict, _, request_id = value.partition(" ")
    return (request_id, verdict) if verdict in ("up", "down") else ("", "")


def _build_rows(request_id: str, buttons: Buttons, *, has_quotes: bool, is_answer: bool = False) -> list[Block]:
    elements = list(_list_buttons(request_id, buttons, has_quotes=has_quotes, is_answer=is_answer))
    rows: list[Block] = [ActionsBlock(elements=elements)] if elements else []
    may_vote = buttons.feedback and has_quotes
    beside = list(_list_small_buttons(request_id, replace(buttons, feedback=may_vote)))
    return [*rows, ContextActionsBlock(elements=beside)] if beside else rows


def _list_small_buttons(request_id: str, buttons: Buttons) -> Iterator[FeedbackButtonsElement | IconButtonElement]:
    """Yield what is small below the row: the votes, and the bin."""
    if buttons.feedback:
        yield FeedbackButtonsElement(
            action_id=FEEDBACK,
            positive_button=FeedbackButtonObject(
                text=say("Helpful"), accessibility_label=say("This answer helped"), value=f"up {request_id}"
            ),
            negative_button=FeedbackButtonObject(
                text=say("Not helpful"), accessibility_label=say("This answer did not help"), value=f"down {request_id}"
            ),
        )
    if buttons.remove_by:
        confirm = ConfirmObject(
            title=say("Remove the answer?"),
            text=PlainTextObject(
                text=say(
                    "Nobody here will see it any more. Administrators still find it in the history, with its votes."
                ),
                emoji=False,
            ),
            confirm=say("Remove"),
            deny=say("Cancel"),
            style="danger",
        )
        yield IconButtonElement(
            action_id=REMOVE,
            icon="trash",
            text=say("Remove"),
            accessibility_label=say("Remove this answer from the conversation"),
            value=request_id,
            visible_to_user_ids=[buttons.remove_by],
            confirm=confirm,
        )


def _list_buttons(request_id: str, buttons: Buttons, *, has_quotes: bool, is_answer: bool) -> Iterator[ButtonElement]:
    def button(action_id: str, text: str, label: str, confirm: ConfirmObject | None = None) -> ButtonElement:
        return ButtonElement(
            action_id=action_id, text=text, value=request_id, accessibility_label=label, confirm=confirm
        )

    if has_quotes and buttons.show_quotes:
        yield button(SHOW_QUOTES, say("Show quotes"), say("Show the quoted passages"))
    if buttons.why:
        yield button(
            WHY, say("Why this answer?") if is_answer else say("Why no answer?"), say("Show how this came about")
        )
    if buttons.ask_again:
        yield button(ASK_IN_OTHER_WORDS, say("Ask in other words"), say("Ask this question in other words"))
    if has_quotes and buttons.share and buttons.is_beside_thread:
        yield button(SHARE, say("Share to thread"), say("Show this answer to everyone in the thread"))
    elif has_quotes and buttons.share:
        yield button(SHARE, say("Share in the channel"), say("Show this answer to everyone in the channel"))
    if buttons.ask_a_person:
        confirm = ConfirmObject(
            title=say("Ask a person?"),
            text=PlainTextObject(text=buttons.ask_a_person[:_CONFIRM_LIMIT], emoji=False),
            confirm=say("Ask"),
            deny=say("Cancel"),
        )
        yield button(ASK_A_PERSON, say("Ask a person"), say("Hand this question to a person"), confirm)
    if buttons.feedback and not has_quotes:
        yield button(FEEDBACK_DOWN, say("What were you looking for?"), say("Say what you were looking for"))
