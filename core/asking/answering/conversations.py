"""Open, continue and end conversations: which one a question belongs to, and when it is over."""

import datetime as dt
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.errors import NotFoundError
from core.models import Conversation, Query
from core.models.token_audiences import columns_of
from core.types import Asker, Origin


def open_conversation(
    *, origin: Origin, asker: Asker, slack_team: str = "", slack_channel: str = "", slack_thread: str = ""
) -> UUID:
    """Return the conversation of a Slack thread while it is active, or else a new one."""
    thread = {"slack_team": slack_team, "slack_channel": slack_channel, "slack_thread": slack_thread}
    with transaction.atomic():
        if origin == Origin.SLACK:
            active = Conversation.objects.select_for_update().filter(origin=origin, is_active=True, **thread).first()
            if active and active.updated_at >= _find_timeout():
                return active.pk
            if active:
                active.is_active = False
                active.save(update_fields=["is_active"])
        kept = {"user_id": asker.user_id, **columns_of(asker.asks_for), **thread}
        return Conversation.objects.create(origin=origin, **kept).pk


def continue_or_open(conversation: UUID | None, *, origin: Origin, asker: Asker) -> UUID:
    """Return the conversation that a request names, or a new one; see core.api.continue_or_open_conversation.

    One that was begun for another audience of a token is none: a question is understood by those before it.
    """
    if conversation is None:
        return open_conversation(origin=origin, asker=asker)
    own = Conversation.objects.filter(pk=conversation, origin=origin, **columns_of(asker.asks_for))
    if asker.user_id is None or not own.filter(user_id=asker.user_id).exists():
        raise NotFoundError("There is no such conversation. Ask without it to start a new one.")
    return conversation


def find_continued_conversation(conversation: UUID, asker: Asker) -> Conversation:
    """Return the conversation that a question says it continues. NotFoundError when it is over or somebody else's.

    A Slack thread belongs to all who write in it; every other conversation to the one who opened it.
    """
    found = Conversation.objects.filter(pk=conversation, is_active=True).first()
    is_own = found is not None and found.user_id == asker.user_id and found.asks_for == asker.asks_for
    if not found or (found.origin != Origin.SLACK and not is_own):
        raise NotFoundError("There is no such conversation, or it has ended. Ask without it to start a new one.")
    if found.updated_at < _find_timeout():
        found.is_active = False
        found.save(update_fields=["is_active"])
        raise NotFoundError("The conversation has ended because nobody asked anything for a while. Ask without it.")
    found.save(update_fields=["updated_at"])
    return found


def is_asked_again(text: str, conversation: Conversation | None, *, before: Query | None) -> bool:
    """Return True if a conversation holds the same question already: whoever repeats it wants another answer."""
    if conversation is None:
        return False
    earlier = Query.objects.filter(conversation=conversation, question_text=text)
    return (earlier.exclude(pk=before.pk) if before else earlier).exists()


def end(conversation: UUID, asker: Asker) -> None:
    """End a conversation of the asker's own. NotFoundError for any other; a Slack thread is nobody's own."""
    own = Conversation.objects.exclude(origin=Origin.SLACK).filter(pk=conversation, **columns_of(asker.asks_for))
    if asker.user_id is None or not own.filter(user_id=asker.user_id).update(is_active=False):
        raise NotFoundError("There is no such conversation.")


def end_thread(*, slack_team: str, slack_channel: str, slack_thread: str) -> bool:
    """End the conversation of a Slack thread, which is everybody's who writes in it. False where none was active."""
    thread = {"slack_team": slack_team, "slack_channel": slack_channel, "slack_thread": slack_thread}
    return bool(Conversation.objects.filter(origin=Origin.SLACK, is_active=True, **thread).update(is_active=False))


def close_inactive() -> int:
    """End the conversations that have timed out. Returns how many."""
    return Conversation.objects.filter(is_active=True, updated_at__lt=_find_timeout()).update(is_active=False)


def _find_timeout() -> dt.datetime:
    return timezone.now() - dt.timedelta(minutes=settings.CONVERSATION_TIMEOUT_MINUTES)
