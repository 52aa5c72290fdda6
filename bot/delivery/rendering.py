"""A result in the words and blocks of the place where it is read."""

from collections.abc import Sequence

from bot.blocks.answer import answer, streamed_text
from bot.blocks.asked import below_question
from bot.blocks.buttons import Buttons
from bot.blocks.message import FALLBACK_LIMIT, notice
from bot.blocks.refusal import refusal, streamed_refusal
from bot.blocks.streaming import streamed
from bot.delivery.surfaces import Said
from bot.handoff.people_to_ask import who_would_read
from bot.models import SlackEvent
from core.types import Answer, Guidance, Refusal


def said(
    result: Answer | Refusal,
    event: SlackEvent,
    *,
    bots: Sequence[str] = (),
    is_undecided: bool = False,
    guidance: Guidance | None = None,
) -> Said:
    """An answer or a refusal, with the buttons that make sense where it stands, and its question where it is alone.

    bots, is_undecided: why nothing is shown here, and guidance: what helps, as of `refusal`.
    """
    buttons = _buttons(event)
    if isinstance(result, Answer):
        whole, streamed_as = answer(result, buttons), streamed_text(result.text)
    else:
        whole = refusal(
            result, buttons, bots=bots, is_undecided=is_undecided, guidance=guidance, is_public=event.is_public
        )
        streamed_as = streamed_refusal(result)
    if not event.stands_below_question:
        whole = below_question(whole, result.asked, asked_by=event.user_id if event.is_public else "")
    return Said(whole=whole, streamed="".join(streamed_as))


def said_plainly(sentence: str) -> Said:
    """One sentence of ours."""
    return Said(whole=notice(sentence), streamed=_streamed(sentence))


def _streamed(sentence: str) -> str:
    return "".join(streamed(sentence, FALLBACK_LIMIT))


def _buttons(event: SlackEvent) -> Buttons:
    # What somebody got alone beside a channel may be shown there; a direct message is beside no channel.
    is_beside = event.kind in SlackEvent.BESIDE_A_CHANNEL
    return Buttons(share=is_beside and not event.channel_id.startswith("D"), ask_a_person=who_would_read(event))
