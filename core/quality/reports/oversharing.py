"""Report risks that too many read something, by month, and those that are open now: figures alone."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

from django.utils import timezone

from core.access.audiences import SEE_WHO_READS
from core.errors import ReportForbiddenError
from core.models import OversharingRisk, User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table
from core.values.oversharing import Level, RiskKind, RiskState, find_level

_NEEDED = (VIEW_REPORTS, "core.view_oversharing", *SEE_WHO_READS)
_WIDTH = 14  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class OversharingRow:
    """Holds what was found and decided in one month, or in the days of it that the period has."""

    month: str  # such as 2026-11
    found: int
    opened: int  # found, or opened again; a risk counts where it was opened last
    narrowed: int
    found_right: int
    gone: int  # that nobody decided about
    open: int  # at the end of it
    open_high: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenRisks:
    """The risks of one kind that are open now."""

    kind: str
    high: int
    medium: int
    low: int


@dataclass(frozen=True, kw_only=True, slots=True)
class OversharingReport:
    """The figures of a period, and those of now."""

    period: Period
    rows: tuple[OversharingRow, ...]  # its months, in their order
    open: tuple[OpenRisks, ...]  # each kind


@dataclass(frozen=True, kw_only=True, slots=True)
class _Course:
    """Holds when something became of a risk, as far as its row has it."""

    kind: str
    state: str
    level: Level
    found_at: dt.datetime
    opened_at: dt.datetime
    decided_at: dt.datetime | None
    gone_at: dt.datetime | None

    @property
    def ended_at(self) -> dt.datetime | None:
        """When it was open no more: by a decision, or before anybody took one. None: it is open."""
        return self.decided_at or self.gone_at


def report_oversharing(period: Period, *, viewer: User) -> OversharingReport:
    """Report what was found and decided in a period. ReportForbiddenError for a viewer who may not see risks."""
    if not viewer.has_perms(_NEEDED):
        raise ReportForbiddenError(explain_lacking(viewer, _NEEDED))
    columns = ("kind", "state", "score", "found_at", "opened_at", "decided_at", "gone_at")
    courses = [
        _Course(
            kind=kind,
            state=state,
            level=find_level(score),
            found_at=found_at,
            opened_at=opened_at,
            decided_at=decided_at,
            gone_at=gone_at,
        )
        for kind, state, score, found_at, opened_at, decided_at, gone_at in OversharingRisk.objects.order_by()
        .filter(found_at__lt=period.end)
        .values_list(*columns)
    ]
    now = OversharingRisk.objects.filter(state=RiskState.OPEN).order_by().values_list("kind", "score")
    counts = Counter((kind, find_level(score)) for kind, score in now)
    return OversharingReport(
        period=period,
        rows=tuple(_build_row(month, courses) for month in _list_months(period)),
        open=tuple(
            OpenRisks(kind=kind.value, **{level.value: counts[kind.value, level] for level in Level})
            for kind in RiskKind
        ),
    )


def _list_months(period: Period) -> Iterable[Period]:
    """Yield the months of a period, the first and the last as far as it has them."""
    first = period.since
    while first <= period.until:
        following = (first.replace(day=1) + dt.timedelta(days=31)).replace(day=1)
        yield Period(since=first, until=min(following - dt.timedelta(days=1), period.until))
        first = following


def _build_row(month: Period, courses: Sequence[_Course]) -> OversharingRow:
    end = min(month.end, timezone.now())
    still_open = [
        one for one in courses if one.opened_at <= end and not (one.ended_at is not None and one.ended_at <= end)
    ]
    decided = [one for one in courses if _is_in(one.decided_at, month)]
    narrowed = sum(one.state == RiskState.NARROWED for one in decided)
    return OversharingRow(
        month=f"{month.since:%Y-%m}",
        found=sum(_is_in(one.found_at, month) for one in courses),
        opened=sum(_is_in(one.opened_at, month) for one in courses),
        narrowed=narrowed,
        found_right=len(decided) - narrowed,
        gone=sum(one.decided_at is None and _is_in(one.gone_at, month) for one in courses),
        open=len(still_open),
        open_high=sum(one.level == Level.HIGH for one in still_open),
    )


def _is_in(moment: dt.datetime | None, month: Period) -> bool:
    return moment is not None and month.start <= moment < month.end


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(OversharingRow)]


def to_xlsx(report: OversharingReport) -> bytes:
    """Write a workbook with its rows as a table."""
    rows = (list(asdict(row).values()) for row in report.rows)
    return write_table("Oversharing", list_columns(), rows, width=_WIDTH)
