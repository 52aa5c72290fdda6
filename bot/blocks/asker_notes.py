"""Write to the asker alone: where the reply to a slash command is, and the offer of a private answer."""

from slack_sdk.models.blocks import ActionsBlock, ButtonElement

from bot.blocks.message import Message, message
from bot.blocks.text import link, section
from core.language.i18n.translation import say, translatable

ANSWER_PRIVATELY = "answer_privately"
_LINK_LIMIT = 1000  # characters

# Each stays where it is, so it has to be true before the answer is there and after.
ELSEWHERE = translatable("You get the answer in our direct messages, where only you see it.")
PLAN_ELSEWHERE = translatable("You get the plan in our direct messages, where only you see it.")
ARRIVED = translatable("My reply to your command is in our direct messages.")

OFFER = translatable("I can tell you more in private: there are documents about this that not everyone here may read.")


def note_elsewhere(address: str, *, is_plan: bool = False) -> Message:
    """Say where the answer, or the plan, will be. address: of the direct messages; empty when it is not known."""
    return _build_note(say(PLAN_ELSEWHERE if is_plan else ELSEWHERE), address, say("Open them"))


def note_arrived(address: str) -> Message:
    """Say that the answer is there. address: its own."""
    return _build_note(say(ARRIVED), address, say("Open it"))


def _build_note(sentence: str, address: str, label: str) -> Message:
    return message(sentence, [section(f"{sentence} {link(address, label, _LINK_LIMIT)}" if address else sentence)])


def private_offer(request_id: str) -> Message:
    """Offer an answer from all that the asker may read."""
    button = ButtonElement(
        action_id=ANSWER_PRIVATELY,
        text=say("Answer privately"),
        value=request_id,
        accessibility_label=say("Answer only me, from everything that I may read"),
    )
    offer = say(OFFER)
    return message(offer, [section(offer), ActionsBlock(elements=[button])])
