"""A result in the words and blocks of the place where it is read."""

from bot.blocks.answer import answer, refusal
from bot.blocks.message import notice
from bot.delivery.places import Said
from bot.models import SlackEvent
from core.types import Answer, Refusal


def said(result: Answer | Refusal, event: SlackEvent) -> Said:
    """An answer or a refusal, with the buttons that make sense where it stands."""
    whole = answer(result) if isinstance(result, Answer) else refusal(result)
    return Said(whole=whole, streamed=whole.text)


def said_plainly(sentence: str) -> Said:
    """One sentence of ours."""
    whole = notice(sentence)
    return Said(whole=whole, streamed=whole.text)
