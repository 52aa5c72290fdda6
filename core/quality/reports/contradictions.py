"""Report contradictions by the day they were found and by state: those alone that the viewer may read. No text."""

import datetime as dt
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db.models.functions import TruncDate

from core.access.audiences import audience_of
from core.errors import ReportForbiddenError
from core.library.contradictions.listing import select_visible
from core.models import User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table
from core.types import Audience

_NEEDED = (VIEW_REPORTS, "core.view_contradictions")
_WIDTH = 14  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class ContradictionRow:
    """The pairs that were found on one day, by their state now."""

    day: dt.date
    found: int
    open: int
    asked: int
    one_holds: int
    both_hold: int
    gone: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ContradictionReport:
    """The pairs found in a period of which everyone who is shown the report may read both documents."""

    period: Period
    rows: tuple[ContradictionRow, ...]  # the days on which any was found, in their order


def may_report_contradictions(user: Any) -> bool:
    """Return True if a user may have this report. user: a person, or nobody who is signed in."""
    return all(user.has_perm(permission) for permission in _NEEDED)


def report_contradictions(period: Period, *, viewer: User, audience: Audience | None = None) -> ContradictionReport:
    """Report the pairs found in a period. ReportForbiddenError for a viewer who may not.

    audience: everyone who will see it; None: the viewer alone.
    """
    if not may_report_contradictions(viewer):
        raise ReportForbiddenError(explain_lacking(viewer, _NEEDED))
    readers = audience_of([viewer.pk]) if audience is None else audience
    visible = select_visible(viewer, readers).filter(found_at__gte=period.start, found_at__lt=period.end)
    days: defaultdict[dt.date, Counter[str]] = defaultdict(Counter)
    for day, state in visible.order_by().annotate(day=TruncDate("found_at")).values_list("day", "state"):
        days[day][state] += 1
    return ContradictionReport(period=period, rows=tuple(_build_row(day, days[day]) for day in sorted(days)))


def _build_row(day: dt.date, states: Counter[str]) -> ContradictionRow:
    return ContradictionRow(
        day=day,
        found=states.total(),
        open=states["open"],
        asked=states["asked"],
        one_holds=states["one_holds"],
        both_hold=states["both_hold"],
        gone=states["gone"],
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(ContradictionRow)]


def to_xlsx(report: ContradictionReport) -> bytes:
    """Write a workbook with its rows as a table."""
    rows = (list(asdict(row).values()) for row in report.rows)
    return write_table("Contradictions", list_columns(), rows, width=_WIDTH)
