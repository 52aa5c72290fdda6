"""Render a result in the words and blocks of the place where it is read."""

from collections.abc import Sequence
from dataclasses import replace

from bot.blocks.additions import put_channel_above, put_question_above
from bot.blocks.answer import answer, render_answer_pieces
from bot.blocks.buttons import Buttons
from bot.blocks.message import FALLBACK_LIMIT, Message, notice
from bot.blocks.refusal import refusal, render_refusal_pieces
from bot.blocks.streaming import render_pieces
from bot.delivery.surfaces import Rendering
from bot.handoff.people_to_ask import describe_readers
from bot.models import SlackEvent
from bot.owners.asking import build_offer
from core.types import Answer, Guidance, Refusal


def render_result(
    result: Answer | Refusal,
    event: SlackEvent,
    *,
    bots: Sequence[str] = (),
    is_undecided: bool = False,
    guidance: Guidance | None = None,
    nothing_to_read: str = "",
    may_share: bool = False,
) -> Rendering:
    """Render an answer or a refusal, with the buttons that make sense in its place, and its question where it is alone.

    bots, is_undecided, nothing_to_read: why nothing is shown, and guidance: what helps, as of `refusal`. may_share: the
    channel beside which it was asked may read it.
    """
    buttons = Buttons(
        share=may_share,
        is_beside_thread=bool(event.thread_ts),
        remove_by=event.user_id if event.kind in SlackEvent.REMOVABLE else "",
        ask_again=event.kind != SlackEvent.Kind.SELECTION,  # the window would not hold the text that it is about
        ask_a_person=describe_readers(event),
    )
    if isinstance(result, Answer):
        whole, streamed_as = answer(result, buttons), render_answer_pieces(result.text)
        # Of the first source that may be out of date, the owner can be asked.
        whole = replace(whole, blocks=[*whole.blocks, *(block.to_dict() for block in build_offer(result))])
    else:
        whole = refusal(
            result,
            buttons,
            bots=bots,
            is_undecided=is_undecided,
            guidance=guidance,
            is_public=event.is_public,
            nothing_to_read=nothing_to_read,
        )
        streamed_as = render_refusal_pieces(result)
    if not event.stands_below_question:
        whole = put_question_above(whole, result.asked, asked_by=event.user_id if event.is_public else "")
    if event.context_channel_id:
        whole = put_channel_above(whole, event.context_channel_id)
    return Rendering(whole=whole, streamed="".join(streamed_as))


def render_message(whole: Message) -> Rendering:
    """Render a message of ours; a stream says its plain text."""
    return Rendering(whole=whole, streamed=_render_stream(whole.text))


def render_sentence(sentence: str) -> Rendering:
    """Render one sentence of ours."""
    return Rendering(whole=notice(sentence), streamed=_render_stream(sentence))


def _render_stream(sentence: str) -> str:
    return "".join(render_pieces(sentence, FALLBACK_LIMIT))
