"""Check if a gap is closed by asking its questions again, each with its asker's access of today.

Only the number of answered questions is stored.
"""

import datetime as dt

from django.db import transaction
from django.utils import timezone

from core import api
from core.errors import NotFoundError, NotReplayableError
from core.gaps.assigning import UNANSWERED
from core.models import ContentGap, GapCheck, GapQuestion, User

MOST_ASKED = 5  # questions of one check: the latest of as many people
_LIVELY = dt.timedelta(days=30)
_MOST_GAPS = 50  # of one night


def check_gap(gap: ContentGap, *, by: User | None = None) -> GapCheck | None:
    """Ask a gap's latest questions once more, one of each person; None when no text is left to ask.

    When all are answered, the gap is closed. by: who wants it so; None: the worker.
    """
    outcomes = [_is_answered(question) for question in _choose(gap)]
    known = [outcome for outcome in outcomes if outcome is not None]
    if not known:
        return None
    with transaction.atomic():
        check = GapCheck.objects.create(gap=gap, checked_by=by, asked=len(known), answered=sum(known))
        if all(known):
            open_ones = ContentGap.objects.filter(pk=gap.pk).exclude(state=ContentGap.State.NOT_OURS)
            open_ones.update(state=ContentGap.State.CLOSED, closed_at=timezone.now())
    return check


def check_lively_gaps() -> int:
    """Check the gaps that somebody was invited to write for and those asked of late, the most asked first."""
    lively = ContentGap.objects.filter(
        state__in=(ContentGap.State.OPEN, ContentGap.State.INVITED), last_seen__gte=timezone.now() - _LIVELY
    ).order_by("-people", "-asked", "pk")[:_MOST_GAPS]
    return sum(check_gap(gap) is not None for gap in lively)


def _choose(gap: ContentGap) -> list[GapQuestion]:
    latest = gap.questions.filter(query__erased_at=None, query__user__is_active=True, outcome__in=UNANSWERED)
    chosen: dict[object, GapQuestion] = {}
    for question in latest.select_related("query__answer")[:200]:
        chosen.setdefault(question.query.user_id, question)
    return list(chosen.values())[:MOST_ASKED]


def _is_answered(question: GapQuestion) -> bool | None:
    """Return True if a question is answered now, with another answer than the one voted down.

    None when it is unknown.
    """
    try:
        text = api.answer_now(question.query.request_id).text
    except (NotFoundError, NotReplayableError):
        return None
    return text is not None and text != question.query.answer.answer_text
