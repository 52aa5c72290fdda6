"""Erase the text of questions, and of what came of them. Ids, times and figures stay, so reports do not change."""

import datetime as dt
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.models import (
    Answer,
    AnswerSeal,
    AuditEvent,
    Citation,
    CitationWords,
    Feedback,
    FootnoteChange,
    GapQuestion,
    LateAnswer,
    ProposalWords,
    Query,
    Research,
    ResearchLine,
    User,
    VerifiedAnswer,
)
from core.models.row_security import bypass_row_security
from core.signals import SURELY_OVER, texts_erased
from core.types import FINAL_STATES

ERASED = "The text of this question has been erased. Its figures are kept."

_AT_ONCE = 1_000  # questions of one transaction, so that none holds locks for long


def retention_moment() -> dt.datetime | None:
    """Return the time before which texts are to be erased by the setting RETENTION_DAYS; None when they are kept."""
    if not settings.RETENTION_DAYS:
        return None
    return timezone.now() - dt.timedelta(days=settings.RETENTION_DAYS)


def count_erasable_texts(*, before: dt.datetime, of: User | None = None) -> int:
    """Count the questions whose text `erase_texts` would erase."""
    return _select_erasable(before=before, of=of).count()


def erase_texts(*, before: dt.datetime, of: User | None = None, by: User | None = None) -> int:
    """Erase the text of those questions, of their answers, quotes and comments, wherever it is kept.

    by: who wants it so, for the audit trail; None: the retention period, or the command line. Returns how many
    questions had any.
    """
    erased = 0
    while count := _erase_some(_select_erasable(before=before, of=of), of=of, by=by):
        erased += count
    _erase_researches(before=before, of=of)
    texts_erased.send(sender=Query, before=before, of=of)
    return erased


def _erase_researches(*, before: dt.datetime, of: User | None) -> None:
    """Erase the topics and plans of researches from before that time; what was asked for them is erased as all else."""
    rows = Research.objects.filter(created_at__lt=before, erased_at=None)
    ids = list((rows if of is None else rows.filter(user=of)).values_list("pk", flat=True))
    ResearchLine.objects.filter(research__in=ids).update(heading="", text="", filters={})
    Research.objects.filter(pk__in=ids).update(topic="", filters={}, erased_at=timezone.now())


def erase_texts_of(query_ids: Iterable[UUID]) -> int:
    """Erase the text of these questions once more, as `erase_texts` did. Returns how many there are."""
    ids = sorted(query_ids)
    for some in (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE)):
        with transaction.atomic():
            _erase_questions([*some, *_list_asked_again(some)])
            AuditEvent.objects.create(
                action=AuditEvent.Action.ERASE_TEXT, object_type="query", details={"questions": len(some)}
            )
    return len(ids)


def _select_erasable(*, before: dt.datetime, of: User | None = None) -> QuerySet[Query]:
    """Return the questions from before that time whose text is still there, without those that are being answered now.

    of: the person who asked; None: everybody.
    """
    is_over = Q(state__in=FINAL_STATES) | Q(created_at__lt=timezone.now() - SURELY_OVER)
    asked = Query.objects.filter(is_over, created_at__lt=before, erased_at=None)
    return asked if of is None else asked.filter(user=of)


def _erase_some(queries: QuerySet[Query], *, of: User | None, by: User | None) -> int:
    with transaction.atomic():
        some = queries.select_for_update(of=("self",)).order_by("pk")[:_AT_ONCE]
        ids = list(some.values_list("pk", flat=True))
        if ids:
            _erase_questions([*ids, *_list_asked_again(ids)])
            whose = (
                {"object_type": "user", "object_id": str(of.pk)} if of else {"object_type": "query", "object_id": ""}
            )
            AuditEvent.objects.create(
                actor=by, action=AuditEvent.Action.ERASE_TEXT, details={"questions": len(ids)}, **whose
            )
    return len(ids)


def _list_asked_again(query_ids: Sequence[UUID]) -> list[UUID]:
    """List the questions that Footnote asked again by itself: these go as well."""
    changes = FootnoteChange.objects.filter(answer__query__in=query_ids, asked_again__erased_at=None)
    late = LateAnswer.objects.filter(query__in=query_ids, asked_again__erased_at=None)
    return [
        pk for rows in (changes, late) for pk in rows.exclude(asked_again=None).values_list("asked_again_id", flat=True)
    ]


def _erase_questions(query_ids: Sequence[UUID]) -> None:
    Query.objects.filter(pk__in=query_ids).update(
        question_text="",
        selected_text=None,
        standalone_question="",
        named_documents=[],
        filters={},
        applied_filters={},
        erased_at=timezone.now(),
    )
    answers = Answer.objects.filter(query__in=query_ids)
    answers.filter(answer_text__isnull=True).update(message=ERASED)  # a refusal always says something
    answers.filter(answer_text__isnull=False).update(answer_text="", message="")
    AnswerSeal.objects.filter(answer__query__in=query_ids).delete()
    erase_quotes(Citation.objects.filter(answer__query__in=query_ids))
    Feedback.objects.filter(answer__query__in=query_ids).exclude(comment="").update(comment="")
    GapQuestion.objects.filter(query__in=query_ids).update(embedding=None)
    with bypass_row_security():  # a proposal that was not sent has a question of its gap in it
        ProposalWords.objects.filter(proposal__gap__questions__query__in=query_ids).delete()
    # What somebody verified has become the organisation's own; a draft is still the asker's words.
    VerifiedAnswer.objects.filter(origin__in=query_ids, verified_at=None, given=None).delete()


def erase_quotes(citations: QuerySet[Citation]) -> None:
    """Erase the words of citations. Their numbers, scores and places stay."""
    with bypass_row_security():
        CitationWords.objects.filter(citation__in=citations.order_by().values("pk")).delete()
