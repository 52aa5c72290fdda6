"""Choose questions of people that can be asked again without storing anything."""

import datetime as dt
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from core.models import Feedback, Query
from core.types import NOBODY_ASKED, ContextMode, QueryState

_LIKED = 2  # one in so many is one whose answer was voted up, as far as there are


def choose_asked(most: int, *, since: dt.datetime | None = None, among: Q | None = None) -> list[Query]:
    """Return at most so many questions of people: those with answers that were voted up first, then the last ones.

    since: leaves out what was asked earlier. among: narrows the questions further.
    """
    ended = (
        Query.objects.filter(
            state__in=[QueryState.COMPLETE, QueryState.NO_CONTENT_FOUND],
            context_mode=ContextMode.FULL_CORPUS,
            erased_at=None,
            is_overheard=False,
            user__is_active=True,
            log__isnull=False,
            answer__isnull=False,
        )
        .exclude(conversation__origin__in=NOBODY_ASKED)
        .select_related("answer", "conversation")
        .order_by("-created_at", "pk")
    )
    if since is not None:
        ended = ended.filter(created_at__gte=since)
    if among is not None:
        ended = ended.filter(among)
    liked = ended.filter(pk__in=find_liked())
    chosen: dict[tuple[UUID | None, str], Query] = {}
    for rows, upto in ((liked, most // _LIKED), (ended, most)):
        for query in rows[: most * 3]:
            if len(chosen) >= upto:
                break
            chosen.setdefault((query.user_id, query.question_text), query)
    return list(chosen.values())


def find_liked() -> QuerySet[Query, Any]:
    """Return the keys of questions whose answers were voted up and never down, as a subquery."""
    up = Feedback.objects.filter(verdict=Feedback.Verdict.UP).values("answer")
    down = Feedback.objects.filter(verdict=Feedback.Verdict.DOWN).values("answer")
    return Query.objects.filter(answer__in=up).exclude(answer__in=down).order_by().values("pk")
