"""What stands where somebody typed the slash command: the answer itself is in their direct messages."""

from bot.blocks.message import Message, message
from bot.blocks.text import link, section
from core.language.i18n.translation import say, translatable

# Each stays where it is, so it has to be true before the answer is there and after.
ELSEWHERE = translatable("You get the answer in our direct messages, where only you see it.")
ARRIVED = translatable("My reply to your command is in our direct messages.")

_LINK_LIMIT = 1000  # characters


def note_elsewhere(address: str) -> Message:
    """Where the answer will be. address: of the direct messages; empty when it is not known."""
    return _note(say(ELSEWHERE), address, say("Open them"))


def note_arrived(address: str) -> Message:
    """The answer is there. address: its own."""
    return _note(say(ARRIVED), address, say("Open it"))


def _note(sentence: str, address: str, label: str) -> Message:
    return message(sentence, [section(f"{sentence} {link(address, label, _LINK_LIMIT)}" if address else sentence)])
