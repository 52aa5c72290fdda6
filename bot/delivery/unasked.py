"""A question that nobody put to us: its answer is posted when it is sure, and else there is no sign of us at all.

So nothing is posted before the end, and whatever goes wrong on the way ends in silence too.
"""

from functools import partial

from slack_sdk import WebClient

from bot.channels.unmentioned import answers_unasked
from bot.delivery import quota
from bot.delivery.rendering import render_result
from bot.delivery.results import Ask, AudienceChangedError, find_result
from bot.delivery.surfaces import MessageSurface
from bot.models import Reply, SlackEvent
from core import api
from core.types import Answer, ConfidenceLevel


def answer_if_sure(client: WebClient, reply: Reply, *, ask: Ask) -> str:
    """Post the answer that everyone who reads it now may see. Returns why nothing is said, as a code; else empty."""
    surface = MessageSurface(client, reply)
    if not surface.is_there():
        silence = _find_reason_for_silence(reply.event)
        if silence:
            return silence
        try:
            result = find_result(client, reply, ask=partial(ask, overheard=True), on_step=lambda step: None)
        except AudienceChangedError:
            return "audience_changed"
        if not isinstance(result, Answer) or result.confidence_level is not ConfidenceLevel.HIGH:
            return "not_sure"
        surface.finish(render_result(result, reply.event))
    if reply.query:
        api.note_told(reply.query.request_id)
    return ""


def _find_reason_for_silence(event: SlackEvent) -> str:
    if not answers_unasked(event.team_id, event.channel_id):  # any more
        return "switched_off"
    if event.others_of_message.exists():  # somebody has asked us, by an emoji
        return "asked"
    return "over_quota" if quota.check_quota(event) else ""
