"""Report the signed receipts that were issued, by month: figures alone, never a question, an answer or a person."""

from dataclasses import asdict, dataclass, fields

from django.db.models import BooleanField, Count, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, TruncMonth

from core.errors import ReportForbiddenError
from core.models import AuditEvent, User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table

_WIDTH = 14  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class ReceiptRow:
    """Holds the figures of the receipts that were issued in one month."""

    month: str  # such as 2026-11
    issued: int
    own: int  # to who had asked
    others: int  # of others' questions, by right
    shortened: int  # their taker left something out
    people: int  # who took any
    questions: int  # of which any was taken
    keys: int  # that signed any


@dataclass(frozen=True, kw_only=True, slots=True)
class ReceiptReport:
    """Holds the figures of a period."""

    period: Period
    rows: tuple[ReceiptRow, ...]  # the months in which any was issued, in their order


def report_receipts(period: Period, *, viewer: User) -> ReceiptReport:
    """Report the receipts that were issued in a period. ReportForbiddenError for a viewer who may not."""
    if not viewer.has_perm(VIEW_REPORTS):
        raise ReportForbiddenError(explain_lacking(viewer, (VIEW_REPORTS,)))
    events = AuditEvent.objects.filter(
        object_type="receipt",  # by which events have an index
        action=AuditEvent.Action.ISSUE_RECEIPT,
        created_at__gte=period.start,
        created_at__lt=period.end,
    )
    is_own = Q(is_own=True)
    counted = (
        events.order_by()
        .annotate(is_own=Cast(KT("details__is_own"), BooleanField()), key=TruncMonth("created_at"))
        .values("key")
        .annotate(
            issued=Count("pk"),
            own=Count("pk", filter=is_own),
            others=Count("pk", filter=~is_own),
            shortened=Count("pk", filter=~Q(details__left_out=[])),
            people=Count("actor", distinct=True),
            questions=Count(KT("details__query"), distinct=True),
            keys=Count(KT("details__key"), distinct=True),
        )
        .order_by("key")
    )
    rows = (ReceiptRow(month=f"{row.pop('key'):%Y-%m}", **row) for row in counted)
    return ReceiptReport(period=period, rows=tuple(rows))


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(ReceiptRow)]


def to_xlsx(report: ReceiptReport) -> bytes:
    """Write a workbook with its rows as a table."""
    rows = (list(asdict(row).values()) for row in report.rows)
    return write_table("Receipts", list_columns(), rows, width=_WIDTH)
