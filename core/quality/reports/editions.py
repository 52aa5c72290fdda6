"""Report what new editions of documents, withdrawals and deletions did to earlier answers. No text of answers.

It has titles of documents, and is for those who may see the list of documents.
"""

import datetime as dt
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.db.models.functions import Coalesce

from core.access.audiences import may_decide_who_reads
from core.errors import ReportForbiddenError
from core.models import Document, FootnoteChange, SourceChange
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period

_NEEDED = (VIEW_REPORTS, "core.view_document")
_Verdict, _State = FootnoteChange.Verdict, FootnoteChange.State


@dataclass(frozen=True, kw_only=True, slots=True)
class EditionRow:
    """The effect of one change of a document on the answers of FOOTNOTES_DAYS before it."""

    document_id: UUID
    title: str  # as it is now; empty where the document was deleted
    version: int  # that the document had afterwards
    kind: str  # replaced, withdrawn or deleted
    checked_at: dt.datetime
    answers: int  # that quoted the document
    standing: int  # of them: whose quotes still occur there
    holds: int  # whose words do not, and which hold nevertheless
    says_otherwise: int  # to whose question the documents say something else now
    not_found: int  # to whose question nothing is found any more
    unchecked: int  # whose question was not asked again: over a limit, turned off, or not readable
    told: int  # whose asker was notified


@dataclass(frozen=True, kw_only=True, slots=True)
class EditionReport:
    """The changes of a period that concerned any answer, the last first."""

    period: Period
    rows: tuple[EditionRow, ...]


def may_report_editions(user: Any) -> bool:
    """Return True if a user may have this report. user: a person, or nobody who is signed in."""
    return all(user.has_perm(permission) for permission in _NEEDED)


def report_editions(period: Period, *, viewer: Any) -> EditionReport:
    """Report the changes of a period. ReportForbiddenError for a viewer who may not. viewer: who will see it."""
    if not may_report_editions(viewer):
        raise ReportForbiddenError(explain_lacking(viewer, _NEEDED))
    changes = SourceChange.objects.filter(checked_at__gte=period.start, checked_at__lt=period.end)
    if not may_decide_who_reads(viewer):  # who is told of no restricted section, nor of how many answers cite it
        changes = changes.exclude(document_id__in=Document.objects.filter(part_of__isnull=False).values("pk"))
    counted = list(
        changes.annotate(
            changed=Count("changes"),
            unchecked=Count("changes", filter=Q(changes__verdict="")),
            told=Count("changes", filter=Q(changes__state=_State.TOLD)),
            **{verdict.value: Count("changes", filter=Q(changes__verdict=verdict)) for verdict in _Verdict},
        ).order_by("-checked_at", "pk")
    )
    rows = Document.objects.filter(pk__in=[one.document_id for one in counted])
    # That of a part has the names of its sections.
    titles = dict(rows.values_list("pk", Coalesce("part_of__title", "title")))
    return EditionReport(period=period, rows=tuple(_build_row(one, titles) for one in counted))


def _build_row(change: Any, titles: dict[UUID, str]) -> EditionRow:
    return EditionRow(
        document_id=change.document_id,
        title=titles.get(change.document_id, ""),
        version=change.version,
        kind=change.kind,
        checked_at=change.checked_at,
        answers=change.answers,
        standing=max(0, change.answers - change.changed),
        holds=change.holds,
        says_otherwise=change.says_otherwise,
        not_found=change.not_found,
        unchecked=change.unchecked,
        told=change.told,
    )
