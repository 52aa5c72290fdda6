"""Words for the asker alone, beside what a channel reads."""

from slack_sdk.models.blocks import ActionsBlock, ButtonElement

from bot.blocks.message import Message, message
from bot.blocks.text import section
from core.language.i18n.translation import say, translatable

ANSWER_PRIVATELY = "answer_privately"

OFFER = translatable("I can tell you more in private: there are documents about this that not everyone here may read.")


def private_offer(request_id: str) -> Message:
    """The offer of an answer from all that the asker may read."""
    button = ButtonElement(
        action_id=ANSWER_PRIVATELY,
        text=say("Answer privately"),
        value=request_id,
        accessibility_label=say("Answer only me, from everything that I may read"),
    )
    offer = say(OFFER)
    return message(offer, [section(offer), ActionsBlock(elements=[button])])
