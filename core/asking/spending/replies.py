"""Keep replies of models, to give them again: to the same audience, from the same library, and to nobody else.

What follows a reply is done anew each time: its quotes are verified, access is checked, everything is recorded.
"""

import datetime as dt
import hashlib
import json
import logging
from typing import Any

from django.conf import settings
from django.db import DataError, transaction
from django.utils import timezone

from core.models import ModelReply
from core.models.versions import Versions, current_versions
from core.signals import texts_erased
from core.types import Audience

logger = logging.getLogger(__name__)

# Goes up when Footnote reads replies otherwise, so that those of an earlier release are not found. What is sent to the
# model, with all prompts, is a part of the key anyhow.
FORM = 1


class KeptReplies:
    """The replies that one audience may be given. See core.llm.calls.Replies."""

    def __init__(self, audience: Audience) -> None:
        self._audience = json.dumps([sorted(str(role) for role in roles) for roles in audience.role_sets])
        self._asked: dict[str, Versions] = {}  # the state of the library when each reply was looked for

    def find(self, key: str) -> dict[str, Any] | None:
        """Return the reply to a request, if one was kept for this audience since chunks or grants last changed."""
        versions = current_versions()
        self._asked[key] = versions
        return ModelReply.objects.find(self._name_reply(key, versions), since=_find_oldest())

    def keep(self, key: str, reply: dict[str, Any]) -> None:
        """Keep a reply, unless the library or its grants have changed since it was looked for."""
        versions = self._asked.get(key)
        if versions is None or versions != current_versions():
            return
        try:
            with transaction.atomic():
                ModelReply.objects.keep(self._name_reply(key, versions), _name_state(versions), reply)
        except DataError:  # what PostgreSQL cannot hold, such as a NUL character
            logger.info("reply_not_kept")

    def _name_reply(self, key: str, versions: Versions) -> str:
        return _hash_parts([FORM, key, self._audience, versions.chunks, versions.grants])


def replies_for(audience: Audience) -> KeptReplies | None:
    """Return the replies that this audience may be given; None where the settings keep none."""
    return KeptReplies(audience) if settings.MODEL_CACHE_HOURS and settings.MODEL_CACHE_MOST else None


def forget_old() -> int:
    """Delete the replies that can no longer be found, and the oldest of too many. Returns how many."""
    versions = _name_state(current_versions())
    return ModelReply.objects.forget(before=_find_oldest(), version=versions, most=settings.MODEL_CACHE_MOST)


def connect() -> None:
    """Let every reply go when texts are erased: it may hold the words of a question."""
    texts_erased.connect(_forget_all, dispatch_uid="core.asking.spending.replies")


def _forget_all(**_: Any) -> None:
    ModelReply.objects.all().delete()


def _find_oldest() -> dt.datetime:
    return timezone.now() - dt.timedelta(hours=settings.MODEL_CACHE_HOURS)


def _name_state(versions: Versions) -> str:
    return _hash_parts([versions.chunks, versions.grants])


def _hash_parts(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
