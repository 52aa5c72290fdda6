"""Report what became of proposed changes, by month: figures alone, never a document, a question or a person."""

import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncMonth

from core.errors import ReportForbiddenError
from core.models import LateAnswer, ProposedChange, User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table
from core.values.proposals import ProposalState

_WIDTH = 14  # characters of a column of a workbook
_DAY_S = 86_400


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalRow:
    """The figures of the changes that were proposed in one month."""

    month: str  # such as 2026-11
    proposed: int
    sent: int
    merged: int  # at their sources, in the library or not yet
    done: int  # in the library
    declined: int
    failed: int
    withdrawn: int
    median_days: float | None  # from the proposal to the library, of those that are there
    people: int  # who had asked, as of when the changes were proposed; of contradictions none are counted
    asked_again: int  # for whom their question was asked again
    answered: int  # of whom have an answer now
    told: int  # of whom were told
    others_answered: int  # who had asked something else that a change answers as well


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalReport:
    """The figures of a period."""

    period: Period
    rows: tuple[ProposalRow, ...]  # the months in which any was proposed, in their order


def report_proposals(period: Period, *, viewer: User) -> ProposalReport:
    """Report the changes that were proposed in a period. ReportForbiddenError for a viewer who may not."""
    if not viewer.has_perm(VIEW_REPORTS):
        raise ReportForbiddenError(explain_lacking(viewer, (VIEW_REPORTS,)))
    rows = ProposedChange.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    by_month = rows.order_by().annotate(key=TruncMonth("created_at"))
    days: defaultdict[Any, list[float]] = defaultdict(list)
    done = by_month.filter(state=ProposalState.DONE)
    for key, begun, ended in done.values_list("key", "created_at", "ended_at"):
        if ended is not None:
            days[key].append((ended - begun).total_seconds() / _DAY_S)
    late = {row.pop("key"): row for row in _count_late(period)}
    counted = by_month.values("key").annotate(
        proposed=Count("pk"),
        sent=Count("pk", filter=Q(sent_at__isnull=False)),
        merged=Count("pk", filter=Q(state__in=(ProposalState.MERGED, ProposalState.DONE))),
        **{
            state.value: Count("pk", filter=Q(state=state))
            for state in (
                ProposalState.DONE,
                ProposalState.DECLINED,
                ProposalState.FAILED,
                ProposalState.WITHDRAWN,
            )
        },
        asked=Sum("people"),
    )
    return ProposalReport(
        period=period,
        rows=tuple(_build_row(row, days[row["key"]], late.get(row["key"], {})) for row in counted.order_by("key")),
    )


def _count_late(period: Period) -> Any:
    found = LateAnswer.objects.filter(
        proposal__created_at__gte=period.start, proposal__created_at__lt=period.end
    ).order_by()
    has_answer = Q(asked_again__isnull=False)
    return found.values(key=TruncMonth("proposal__created_at")).annotate(
        late=Count("pk", filter=Q(is_beside=False)),
        answered=Count("pk", filter=has_answer & Q(is_beside=False)),
        told=Count("pk", filter=Q(state=LateAnswer.State.TOLD, is_beside=False)),
        others=Count("pk", filter=has_answer & Q(is_beside=True)),
    )


def _build_row(counted: dict[str, Any], days: list[float], late: dict[str, int]) -> ProposalRow:
    return ProposalRow(
        month=f"{counted.pop('key'):%Y-%m}",
        people=counted.pop("asked") or 0,
        median_days=round(statistics.median(days), 1) if days else None,
        **counted,
        asked_again=late.get("late", 0),
        answered=late.get("answered", 0),
        told=late.get("told", 0),
        others_answered=late.get("others", 0),
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(ProposalRow)]


def to_xlsx(report: ProposalReport) -> bytes:
    """Write a workbook with its rows as a table."""
    rows = (list(asdict(row).values()) for row in report.rows)
    return write_table("Proposed changes", list_columns(), rows, width=_WIDTH)
