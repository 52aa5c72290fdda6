"""The asker presses stop: what is being answered is answered no more.

A wish to stop is kept with the question, before Slack hears that it arrived. Whoever works on the question looks there,
and ends it; where nobody works on it, a job does. What counts is which comes first, the wish or the record that the
answer stands: so there is one end, whatever is repeated, late or killed.

Only the asker of a question stops it: others in a channel may want to read the answer.
"""

import logging
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from bot import intake
from bot.models import Reply, SlackEvent
from core.infrastructure import queue

logger = logging.getLogger(__name__)


def ask_to_stop(*, team_id: str, channel_id: str, thread_ts: str, slack_user_id: str, pressed_at: float) -> int:
    """Keep the wish of a person that their questions in a thread are answered no more. How many that stops.

    pressed_at: by Slack's clock. What was asked after that is not meant. Where no question is open in a thread that
    has a session of ours, the session is left once more: an earlier attempt to leave it may have been lost.
    """
    with transaction.atomic():
        here = SlackEvent.objects.filter(
            team_id=team_id,
            kind__in=SlackEvent.IN_SESSIONS,
            reply__channel_id=channel_id,
            reply__thread_ts=thread_ts,
        )
        open_here = list(here.filter(state=SlackEvent.State.RECEIVED).select_for_update(of=("self",)).order_by("pk"))
        stopped = [
            event
            for event in open_here
            if event.user_id == slack_user_id and event.stop_asked_at is None and _find_time(event) <= pressed_at
        ]
        for event in stopped:
            event.stop_asked_at = timezone.now()
            event.save(update_fields=["stop_asked_at"])
            queue.enqueue(queue.STOP, lock=intake.name_lock(event), event=str(event.pk))
        last = None if open_here else here.order_by("-received_at").first()
        if last:
            lock = intake.name_lock(last)
            queue.enqueue_once(queue.LEAVE_SESSION, lock, event=str(last.pk))
    logger.info("stop_asked", extra={"stopped": len(stopped), "open": len(open_here)})
    return len(stopped)


def _find_time(event: SlackEvent) -> float:
    """Return when something was asked: by Slack's clock where it is a message, and else by ours."""
    is_message = event.ts and event.kind != SlackEvent.Kind.REACTION
    return float(event.ts) if is_message else event.received_at.timestamp()


def is_stop_asked(event_id: UUID) -> bool:
    """Return True if the asker has stopped the question."""
    return SlackEvent.objects.filter(pk=event_id, stop_asked_at__isnull=False).exists()


def may_be_stopped(reply: Reply) -> bool:
    """Return True if this reply can be stopped."""
    return reply.event.kind in SlackEvent.IN_SESSIONS
