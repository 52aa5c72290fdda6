"""Take a question in: stored together with the job that answers it, before Slack hears that it arrived."""

import datetime as dt
import logging
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from bot.acknowledging import find_arrival
from bot.models import QuotedMessage, Reply, SlackEvent
from core.infrastructure import queue
from core.infrastructure.tracing.spans import begin_trace
from core.models import SlackIdentity, User
from core.signals import SURELY_OVER

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Incoming:
    """Holds something that a person said or pressed and that gets exactly one reply.

    event_id names it, however often Slack sends it: Slack's own id of an event, and for presses and commands one made
    of what was pressed. Without ts it is no message. What only the asker may read goes to the response_url, or, without
    one, to the direct messages with them.
    """

    event_id: str
    team_id: str
    channel_id: str
    user_id: str
    kind: SlackEvent.Kind
    ts: str = ""
    thread_ts: str = ""
    text: str = ""
    filters: dict[str, Any] = field(default_factory=dict)  # the JSON form of core.types.Filters
    selected_text: str = ""
    response_url: str = ""
    action_token: str = ""  # Slack's leave to search for this person; a token, which is kept to the end of the answer
    note_url: str = ""  # of a command, which is told there where its reply is
    context_channel_id: str = ""  # that a direct message means by "this channel"
    about: UUID | None = None  # the earlier query, of a private or shared answer


def receive(incoming: Incoming) -> bool:
    """Store what came in and queue its answer, both or neither. False when it was stored before.

    Slack repeats an event that was not acknowledged in time, and tells of a mention in two events: the second row
    breaks one of the two unique keys.
    """
    try:
        with transaction.atomic():
            stored = SlackEvent.objects.create(
                event_id=incoming.event_id,
                team_id=incoming.team_id,
                channel_id=incoming.channel_id,
                user_id=incoming.user_id,
                ts=incoming.ts,
                thread_ts=incoming.thread_ts,
                kind=incoming.kind,
                text=_make_storable(incoming.text),
                selected_text=_make_storable(incoming.selected_text),
                filters=incoming.filters,
                context_channel_id=incoming.context_channel_id,
                about_id=incoming.about,
                action_token=incoming.action_token,
            )
            # What only the asker may read has no place in a channel.
            is_typed_directly = stored.kind == SlackEvent.Kind.RESEARCH and bool(stored.ts)
            is_here = stored.is_public or stored.kind == SlackEvent.Kind.DIRECT or is_typed_directly
            Reply.objects.create(
                event=stored,
                channel_id=stored.channel_id if is_here else "",
                thread_ts=stored.thread_ts if is_here else "",
                response_url=incoming.response_url,
                note_url=incoming.note_url,
            )
            _queue_answer(stored)
    except IntegrityError:
        logger.info("event_known", extra={"event_id": incoming.event_id})
        return False
    started, transport = find_arrival()
    begin_trace(stored.pk, "slack.event", started=started, transport=transport, slack_event=stored.pk)
    logger.info("event_stored", extra={"event_id": stored.event_id, "slack_event": str(stored.pk)})
    return True


def take_up_again(reply_id: UUID) -> bool:
    """Queue a reply again that failed. False when it has not failed, or its question is not kept any more."""
    with transaction.atomic():
        replies = Reply.objects.select_for_update(of=("self",)).select_related("event", "query", "event__about")
        reply = replies.filter(pk=reply_id, state=Reply.State.FAILED).first()
        if reply is None:
            return False
        event, query = reply.event, reply.query or reply.event.about
        is_kept = bool(event.text) if query is None else query.erased_at is None
        if not is_kept:
            return False
        reply.state, reply.error_code = Reply.State.PENDING, ""
        event.state, event.finished_at, event.stop_asked_at = SlackEvent.State.RECEIVED, None, None
        reply.save(update_fields=["state", "error_code"])
        event.save(update_fields=["state", "finished_at", "stop_asked_at"])
        _queue_answer(event)
    return True


def forget_texts(*, before: dt.datetime, of: User | None, **_: Any) -> None:
    """Erase what came in before that time and never became a query, and which messages were quoted to whom.

    of: the person from whom it came; None: everybody. What is being answered now is left out.
    """
    is_now = Q(state=SlackEvent.State.RECEIVED, received_at__gte=timezone.now() - SURELY_OVER)
    events = SlackEvent.objects.filter(received_at__lt=before).exclude(is_now)
    if of is not None:
        accounts = SlackIdentity.objects.filter(user=of, team_id=OuterRef("team_id"), slack_user_id=OuterRef("user_id"))
        events = events.filter(Exists(accounts))
    with transaction.atomic():
        kept = events.exclude(text="", selected_text="", filters={}, context_channel_id="", action_token="")
        ids = list(kept.select_for_update(of=("self",)).values_list("pk", flat=True))
        SlackEvent.objects.filter(pk__in=ids).update(
            text="", selected_text="", filters={}, context_channel_id="", action_token=""
        )
        QuotedMessage.objects.filter(
            Q(reply__event__in=events.values("pk")) | Q(reply__query__erased_at__isnull=False)
        ).delete()


def name_lock(event: SlackEvent) -> str:
    """Name the lock of the jobs of an event: those of a thread are done one after the other; without one, of a person.

    The thread of an emoji's message is known only later, and is left out.
    """
    thread_ts = event.ts if event.kind == SlackEvent.Kind.REACTION else event.thread_ts
    place = f"{event.channel_id}/{thread_ts}" if thread_ts else event.user_id
    return f"slack/{event.team_id}/{place}"


def _queue_answer(event: SlackEvent) -> None:
    queue.enqueue(queue.ANSWER, lock=name_lock(event), event=str(event.pk))


def _make_storable(text: str) -> str:
    return text.replace("\x00", "")  # PostgreSQL's text holds no NUL
