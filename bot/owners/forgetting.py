"""Forgetting what owners of documents wrote, where it is still kept."""

import datetime as dt
from typing import Any

from django.utils import timezone

from bot.models import OwnerQuestion
from core.models import User
from core.signals import SURELY_OVER


def forget_words(*, before: dt.datetime, of: User | None, **_: Any) -> None:
    """Erase what owners wrote before that time and could not be passed on. of: the owner; None: everybody."""
    rows = OwnerQuestion.objects.filter(answered_at__lt=min(before, timezone.now() - SURELY_OVER))
    if of is not None:
        rows = rows.filter(owner=of)
    rows.exclude(words="").update(words="")
