"""Conversations: which one a question belongs to, and follow-ups made self-contained from it."""

import datetime as dt
import re
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.errors import NotFoundError
from core.models import Conversation, Query
from core.text import content_stems
from core.types import Asker, ContextMode

_OPENING = re.compile(
    r"^(?:and|but|or|so|also|then|what about|how about|what else|why not|why|when|who)\b", re.IGNORECASE
)
_REFERRING = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|there|one|ones)\b", re.IGNORECASE
)
FEW_WORDS = 4  # content words up to which a question that refers back is taken for a follow-up


def open_conversation(
    *, origin: str, asker: Asker, slack_team: str = "", slack_channel: str = "", slack_thread: str = ""
) -> UUID:
    """The conversation of a Slack thread while it is active, or else a new one."""
    thread = {"slack_team": slack_team, "slack_channel": slack_channel, "slack_thread": slack_thread}
    with transaction.atomic():
        if origin == Conversation.Origin.SLACK:
            active = Conversation.objects.select_for_update().filter(origin=origin, is_active=True, **thread).first()
            if active and active.updated_at >= _timeout():
                return active.pk
            if active:
                active.is_active = False
                active.save(update_fields=["is_active"])
        return Conversation.objects.create(origin=origin, user_id=asker.user_id, **thread).pk


def continued(conversation: UUID, asker: Asker) -> Conversation:
    """The conversation that a question says it continues. NotFoundError when it is over or somebody else's.

    A Slack thread belongs to all who write in it; every other conversation to the one who opened it.
    """
    found = Conversation.objects.filter(pk=conversation, is_active=True).first()
    if not found or (found.origin != Conversation.Origin.SLACK and found.user_id != asker.user_id):
        raise NotFoundError("There is no such conversation, or it is over. Ask without it to begin a new one.")
    if found.updated_at < _timeout():
        found.is_active = False
        found.save(update_fields=["is_active"])
        raise NotFoundError("The conversation has ended after a time without questions. Ask without it.")
    found.save(update_fields=["updated_at"])
    return found


def close_inactive() -> int:
    """End the conversations that have timed out. Returns how many."""
    return Conversation.objects.filter(is_active=True, updated_at__lt=_timeout()).update(is_active=False)


def self_contained(question: str, conversation: Conversation, *, before: dt.datetime | None = None) -> str:
    """The question with the previous question's words before it when it cannot stand alone, else as it is.

    before: when it was asked, if that is over; what was asked after it does not count.
    Only questions are used, never an earlier answer: an answer was made for the audience of its own moment.
    """
    if not _refers_back(question):
        return question
    earlier = (
        Query.objects.filter(conversation=conversation, context_mode=ContextMode.FULL_CORPUS, erased_at=None)
        .exclude(question_text=question)
        .filter(**({"created_at__lt": before} if before else {}))
        .order_by("-created_at")
        .values_list("question_text", flat=True)
    )
    for previous in earlier[:5]:
        if not _refers_back(previous):
            return f"{previous} {question}"
    return question


def _refers_back(question: str) -> bool:
    few = len(content_stems(question)) <= FEW_WORDS
    return few and bool(_OPENING.search(question) or _REFERRING.search(question))


def _timeout() -> dt.datetime:
    return timezone.now() - dt.timedelta(minutes=settings.CONVERSATION_TIMEOUT_MINUTES)
