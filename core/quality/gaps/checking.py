"""Check if a gap is closed by asking its questions again, each with its asker's access of today.

Only the number of answered questions is stored.
"""

import datetime as dt

from django.db import transaction
from django.db.models import F, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from core import api
from core.errors import NotFoundError, NotReplayableError
from core.models import ContentGap, Document, GapCheck, GapQuestion, User
from core.quality.gaps.assigning import UNANSWERED
from core.quality.gaps.documents import has_new_documents
from core.quality.gaps.refusals import note_answered_again

MOST_ASKED = 5  # questions of one check: the latest of as many people
_OPEN = (ContentGap.State.OPEN, ContentGap.State.INVITED)
_LIVELY = dt.timedelta(days=30)
_MOST_GAPS = 50  # of one night


def check_gap(gap: ContentGap, *, by: User | None = None) -> GapCheck | None:
    """Ask a gap's latest questions once more, one of each person; None when no text is left to ask.

    When all are answered, the gap is closed. by: who wants it so; None: the worker.
    """
    outcomes = [_is_answered(question) for question in _choose_questions(gap)]
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
    lively = ContentGap.objects.filter(state__in=_OPEN, last_seen__gte=timezone.now() - _LIVELY).order_by(
        "-people", "-asked", "pk"
    )[:_MOST_GAPS]
    return sum(check_gap(gap) is not None for gap in lively)


def check_gaps_near_new_documents() -> int:
    """Check the open gaps near to which a document has changed since they were asked and checked; how many."""
    checked = GapCheck.objects.filter(gap=OuterRef("pk")).order_by("-created_at").values("created_at")[:1]
    since = Greatest(Coalesce(Subquery(checked), F("last_seen")), F("last_seen"))
    lively = ContentGap.objects.filter(state__in=_OPEN, last_seen__gte=timezone.now() - _LIVELY)
    changed = Document.objects.aggregate(last=Max("ingested_at"))["last"]
    if changed is None:
        return 0
    waiting = lively.annotate(since=since).filter(since__lt=changed).order_by("-people", "-asked", "pk")
    near = [gap for gap in waiting[:_MOST_GAPS] if has_new_documents(gap, since=gap.since)]
    return sum(check_gap(gap) is not None for gap in near)


def _choose_questions(gap: ContentGap) -> list[GapQuestion]:
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
        run = api.answer_now(question.query.request_id)
    except (NotFoundError, NotReplayableError):
        return None
    if run.text is None or run.text == question.query.answer.answer_text:
        return False
    note_answered_again(question, {citation.chunk_id for citation in run.citations if citation.chunk_id})
    return True
