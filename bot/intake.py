"""Taking a question in: stored together with the job that answers it, before Slack hears that it arrived."""

import logging
from typing import Any

from django.db import IntegrityError, transaction

from bot.models import Reply, SlackEvent
from core import jobs

logger = logging.getLogger(__name__)

# A message of a person has no subtype, except when it brings a file along or is shown in the channel as well.
_PERSONS_SUBTYPES = frozenset({"", "file_share", "thread_broadcast"})
_SLACKBOT = "USLACKBOT"


def is_from_person(body: dict[str, Any]) -> bool:
    """True for a message that a person typed: not by a bot (us included), no edit, no join, no other notice."""
    event = body["event"]
    author = event.get("user")
    return (
        bool(author)
        and author != _SLACKBOT
        and author != own_user_id(body)
        and not event.get("bot_id")
        and not event.get("hidden")
        and (event.get("subtype") or "") in _PERSONS_SUBTYPES
    )


def own_user_id(body: dict[str, Any]) -> str:
    """Our own Slack user, as the event's authorizations name it; empty when they do not."""
    for authorization in body.get("authorizations") or []:
        if authorization.get("is_bot"):
            return str(authorization.get("user_id") or "")
    return ""


def receive(body: dict[str, Any], *, team_id: str, kind: SlackEvent.Kind) -> bool:
    """Store a question and queue its answer, both or neither. False when it was stored before.

    Slack repeats an event that was not acknowledged in time, and tells of a mention in two events: the second row
    breaks one of the two unique keys.
    """
    event = body["event"]
    thread_ts = event.get("thread_ts") or event["ts"]
    try:
        with transaction.atomic():
            stored = SlackEvent.objects.create(
                event_id=body["event_id"],
                team_id=team_id,
                channel_id=event["channel"],
                user_id=event["user"],
                ts=event["ts"],
                thread_ts=thread_ts,
                kind=kind,
                text=(event.get("text") or "").replace("\x00", ""),  # PostgreSQL's text holds no NUL
            )
            Reply.objects.create(event=stored, channel_id=stored.channel_id, thread_ts=thread_ts)
            lock = f"slack/{team_id}/{stored.channel_id}/{thread_ts}"  # one after the other within a thread
            jobs.enqueue(jobs.ANSWER, lock=lock, event=str(stored.pk))
    except IntegrityError:
        logger.info("event_known", extra={"event_id": body["event_id"]})
        return False
    logger.info("event_stored", extra={"event_id": stored.event_id, "slack_event": str(stored.pk)})
    return True
