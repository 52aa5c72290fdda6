"""Report what checks of changes found and what became of them, by month: figures alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

from django.utils import timezone

from core.errors import ReportForbiddenError
from core.models import ChangeCheck, User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table
from core.values.change_checks import CheckState

_WIDTH = 14  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeCheckRow:
    """The figures of the checks that were asked for in one month."""

    month: str  # such as 2026-11
    checks: int
    held: int  # that waited, or wait, for a yes
    made: int
    made_by_itself: int  # of those made: they crossed no limit
    declined: int
    stopped: int
    failed: int
    questions: int  # that were asked without the change and with it
    worse: int  # answers that got worse or vanished in the checks


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeCheckReport:
    """The figures of a period."""

    period: Period
    rows: tuple[ChangeCheckRow, ...]  # the months in which any was asked for, in their order


def report_change_checks(period: Period, *, viewer: User) -> ChangeCheckReport:
    """Report the checks that were asked for in a period. ReportForbiddenError for a viewer who may not."""
    if not viewer.has_perm(VIEW_REPORTS):
        raise ReportForbiddenError(explain_lacking(viewer, (VIEW_REPORTS,)))
    by_month: defaultdict[str, list[ChangeCheck]] = defaultdict(list)
    checks = ChangeCheck.objects.filter(created_at__gte=period.start, created_at__lt=period.end)
    for check in checks.only("state", "is_gate", "figures", "created_at", "decided_at").order_by("created_at"):
        by_month[f"{timezone.localtime(check.created_at):%Y-%m}"].append(check)
    return ChangeCheckReport(period=period, rows=tuple(_build_row(month, found) for month, found in by_month.items()))


def _build_row(month: str, checks: Sequence[ChangeCheck]) -> ChangeCheckRow:
    made = [check for check in checks if check.state == CheckState.MADE]
    return ChangeCheckRow(
        month=month,
        checks=len(checks),
        held=sum(
            check.is_gate and (check.state == CheckState.HELD or check.decided_at is not None) for check in checks
        ),
        made=len(made),
        made_by_itself=sum(check.decided_at is None for check in made),
        declined=sum(check.state == CheckState.DECLINED for check in checks),
        stopped=sum(check.state == CheckState.STOPPED for check in checks),
        failed=sum(check.state == CheckState.FAILED for check in checks),
        questions=sum(check.figures.get("questions", 0) for check in checks),
        worse=sum(check.figures.get("worse", 0) for check in checks),
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(ChangeCheckRow)]


def to_xlsx(report: ChangeCheckReport) -> bytes:
    """Write a workbook with its rows as a table."""
    rows = (list(asdict(row).values()) for row in report.rows)
    return write_table("Checks of changes", list_columns(), rows, width=_WIDTH)
