"""Bring one reply from a stored event to a message that is final."""

import logging
from collections.abc import Callable
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.channels import unmentioned
from bot.channels.settings import SWITCHED_OFF, find_language, is_switched_off
from bot.delivery import after_reply, quota, rate_limiting, reactions, researches, sharing, unasked
from bot.delivery.courtesy import find_courtesy
from bot.delivery.messages import MessageSearch
from bot.delivery.progress import ProgressDisplay
from bot.delivery.refusals import render_refusal
from bot.delivery.rendering import render_result, render_sentence
from bot.delivery.results import Ask, find_result
from bot.delivery.sessions import Session
from bot.delivery.stopping import is_stop_asked
from bot.delivery.streams import StreamSurface, may_stream
from bot.delivery.summaries import find_summary
from bot.delivery.surfaces import FIRST_STEP, MessageSurface, Rendering, ResponseSurface, Surface
from bot.models import Reply, SlackEvent
from bot.slack.errors import SlackRefusedError
from bot.slack.idempotent import DeletedMessageError
from bot.slack.workspace import find_client
from core import api
from core.errors import FootnoteError, StoppedError
from core.infrastructure.measures.families import reply_seconds
from core.language.i18n.translation import say, speak_language, translatable
from core.types import Answer

logger = logging.getLogger(__name__)

APOLOGY = translatable(
    "Sorry, something went wrong on my side and I could not answer. Please ask me again in a few minutes."
)
# Who shares is told when they press; of what we overheard nobody knows.
_AWAITED_BY_NOBODY = frozenset({SlackEvent.Kind.SHARE, SlackEvent.Kind.UNASKED})
_EVENT_STATES = {
    Reply.State.POSTED: SlackEvent.State.ANSWERED,
    Reply.State.FAILED: SlackEvent.State.FAILED,
    Reply.State.SILENT: SlackEvent.State.SILENT,
    Reply.State.STOPPED: SlackEvent.State.STOPPED,
}
STOPPED = translatable("Stopped.")


def deliver(event_id: UUID, *, ask: Ask = api.ask) -> None:
    """Answer a stored event, or go on where an earlier attempt stopped. Does nothing when the reply is final.

    Raises SlackUnavailableError, or another error that says `retry`, when a later attempt may succeed; any other
    error is for `give_up`.
    """
    reply = _begin_attempt(event_id, before=rate_limiting.give_way)
    if reply is None:
        return
    with speak_language(find_language(reply.event.team_id, reply.event.channel_id)):
        _handle_event(reply, ask)


def _handle_event(reply: Reply, ask: Ask) -> None:
    client = find_client(reply.event.team_id)
    if reply.event.stop_asked_at:
        _stop_reply(client, reply)
        return
    match reply.event.kind:
        case SlackEvent.Kind.SHARE:
            code = sharing.share(client, reply)
            _finish_event(reply, Reply.State.FAILED if code else Reply.State.POSTED, code=code)
        case SlackEvent.Kind.UNASKED:
            code = unasked.answer_if_sure(client, reply, ask=ask)
            _finish_event(reply, Reply.State.SILENT if code else Reply.State.POSTED, code=code)
            if not code:
                unmentioned.watch_thread(reply)
        case SlackEvent.Kind.REACTION if not reactions.take_question(client, reply):
            _finish_event(reply, Reply.State.SILENT, code="no_question")
        case _:
            try:
                _answer_asker(client, reply, ask)
            except StoppedError:
                _stop_reply(client, reply)


def _answer_asker(client: WebClient, reply: Reply, ask: Ask) -> None:
    """Answer somebody who asked us, with a sign of work at once. StoppedError when they wish no answer any more."""
    surface, session = _choose_surface(client, reply), Session(client, reply)
    session.begin()
    surface.begin()
    rendering, code = _compose_reply(client, reply, surface, session, ask)
    if is_stop_asked(reply.event_id):
        raise StoppedError
    surface.finish(rendering)
    session.end()
    note_url = reply.note_url
    _finish_event(reply, Reply.State.POSTED, code=code)
    after_reply.point_to_reply(client, reply, note_url)
    if reply.event.is_public:
        unmentioned.watch_thread(reply)
    after_reply.offer_private_answer(client, reply)
    after_reply.notify_of_budget(client, reply)


def _stop_reply(client: WebClient, reply: Reply) -> None:
    """End an event whose asker wishes no answer any more: what stands there says so, and nothing new is posted."""
    surface = _choose_surface(client, reply)
    try:
        if surface.is_there():
            surface.finish(render_sentence(say(STOPPED)))
    except (SlackRefusedError, DeletedMessageError) as error:
        logger.info("stop_not_shown", extra={"reply": str(reply.pk), "code": error.code})
    Session(client, reply).end()
    _finish_event(reply, Reply.State.STOPPED)
    if reply.event.is_public and reply.ts:
        unmentioned.watch_thread(reply)


def give_up(event_id: UUID, *, code: str, sentence: str = APOLOGY) -> None:
    """End an event without an answer: tell the asker so if Slack lets us, and record why."""
    reply = _begin_attempt(event_id)
    if reply is None:
        return
    event, note_url = reply.event, reply.note_url
    client: WebClient | None = None
    with speak_language(find_language(event.team_id, event.channel_id)):
        try:
            client = find_client(event.team_id)
            if event.kind not in _AWAITED_BY_NOBODY:
                try:
                    if not event.stop_asked_at:
                        _choose_surface(client, reply).finish(render_sentence(say(sentence)))
                finally:
                    Session(client, reply).end()
        except FootnoteError:
            logger.warning("asker_not_told", extra={"slack_event": str(event_id), "code": code})
        _finish_event(reply, Reply.State.STOPPED if event.stop_asked_at else Reply.State.FAILED, code=code)
        if client:
            after_reply.point_to_reply(client, reply, note_url)


def _begin_attempt(event_id: UUID, *, before: Callable[[Reply], None] = lambda reply: None) -> Reply | None:
    """Return the reply, with an attempt counted; None when it is final. What `before` raises is no attempt."""
    with transaction.atomic():
        replies = Reply.objects.select_for_update(of=("self",)).select_related("event", "event__about", "query")
        reply = replies.get(event_id=event_id)
        if reply.event.state != SlackEvent.State.RECEIVED:
            return None
        before(reply)
        reply.attempts += 1
        reply.save(update_fields=["attempts"])
    return reply


def _choose_surface(client: WebClient, reply: Reply) -> Surface:
    if reply.response_url:
        return ResponseSurface(client, reply)
    if reply.is_stream or may_stream(reply):
        return StreamSurface(client, reply)
    return MessageSurface(client, reply)


def _compose_reply(
    client: WebClient, reply: Reply, surface: Surface, session: Session, ask: Ask
) -> tuple[Rendering, str]:
    """Compose the reply; return it with a code when it is no result."""
    event = reply.event
    if event.is_public and is_switched_off(event.team_id, event.channel_id):
        return render_sentence(say(SWITCHED_OFF)), "switched_off"
    is_research = event.kind == SlackEvent.Kind.RESEARCH
    said = None if is_research else find_courtesy(client, event)
    if said:
        return said, "no_question"
    over = quota.check_quota(event)
    if over:
        return render_sentence(over), "over_quota"
    if is_research:
        return researches.compose_plan(client, reply)
    summary = find_summary(client, event)
    if summary:
        return summary, "thread_summary"
    search = MessageSearch(client, reply)
    search.begin()
    with ProgressDisplay(surface.show, shown=FIRST_STEP) as progress:
        preview = progress.preview if surface.streams else None
        result = find_result(client, reply, ask=ask, on_step=progress.show_step, preview=preview)
    session.rename(result)
    if isinstance(result, Answer):
        rendering = render_result(result, event, may_share=sharing.may_be_shared(client, event, result))
    else:
        rendering = render_refusal(client, event, result)
    return search.add_to(rendering, result), ""


def _finish_event(reply: Reply, state: Reply.State, *, code: str = "") -> None:
    """Record the end of an event. StoppedError where its asker wished no answer before the answer was recorded."""
    with transaction.atomic():
        if state == Reply.State.POSTED and SlackEvent.objects.select_for_update().get(pk=reply.event_id).stop_asked_at:
            raise StoppedError
        _record_end(reply, state, code)
    event = reply.event
    waited_s = (timezone.now() - event.received_at).total_seconds()
    reply_seconds.labels(state.value).observe(waited_s)
    logger.info(
        "reply_finished",
        extra={"reply": str(reply.pk), "state": state.value, "code": code, "waited_ms": round(waited_s * 1000)},
    )


def _record_end(reply: Reply, state: Reply.State, code: str) -> None:
    event = reply.event
    reply.state, reply.error_code, reply.note_url, event.finished_at = state, code, "", timezone.now()
    event.state, event.action_token = _EVENT_STATES[state], ""
    if state == Reply.State.POSTED:
        reply.posted_at = event.finished_at
    # What was asked and failed keeps its text, so that it can be tried again.
    if state != Reply.State.FAILED or event.kind == SlackEvent.Kind.UNASKED:
        reply.is_stream, reply.response_url = False, ""
        event.text, event.selected_text, event.context_channel_id = "", "", ""
    reply.save(update_fields=["state", "error_code", "posted_at", "is_stream", "response_url", "note_url"])
    event.save(update_fields=["state", "text", "selected_text", "context_channel_id", "action_token", "finished_at"])
