"""Words for the asker alone, beside what a channel reads."""

from slack_sdk.models.blocks import ActionsBlock, ButtonElement

from bot.blocks.message import Message, message
from bot.blocks.text import section

ANSWER_PRIVATELY = "answer_privately"

OFFER = "I can tell you more privately: there are documents about this that not everyone here may read."


def private_offer(request_id: str) -> Message:
    """The offer of an answer from all that the asker may read."""
    button = ButtonElement(
        action_id=ANSWER_PRIVATELY,
        text="Answer privately",
        value=request_id,
        accessibility_label="Answer me alone, from all that I may read",
    )
    return message(OFFER, [section(OFFER), ActionsBlock(elements=[button])])
