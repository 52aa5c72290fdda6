"""Report how pages about topics came about, by month or person: figures alone, never a topic or a question."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import TruncMonth

from core.errors import ReportForbiddenError
from core.infrastructure.csv_lines import defuse, write_lines
from core.models import Research, ResearchLine, User
from core.quality.reports.grouping import VIEW_PERSONS, VIEW_REPORTS, explain_lacking
from core.quality.reports.period import Period
from core.quality.reports.spreadsheets import write_table
from core.values.research import Outcome, ResearchState, StopReason

_WIDTH = 14  # characters of a column of a workbook


class ResearchGrouping(StrEnum):
    """The property that the researches of one row have in common."""

    MONTH = "month"  # in which they were planned
    PERSON = "person"


_NEEDED = {ResearchGrouping.MONTH: (VIEW_REPORTS,), ResearchGrouping.PERSON: (VIEW_REPORTS, VIEW_PERSONS)}


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchRow:
    """The figures of one month or person, over the researches that are still there."""

    key: str  # such as 2026-11, or a person's id
    label: str  # the same for people to read
    planned: int
    started: int
    done: int
    stopped_by_asker: int
    stopped_by_minutes: int
    stopped_by_cost: int
    stopped_by_budget: int  # for models, which an administrator set
    stopped_by_account: int  # its person's account ended
    failed: int
    questions: int  # of all plans
    asked: int
    answered: int
    quoted: int
    unproven: int
    citations: int  # of what was answered and quoted
    minutes: float  # from start to end
    tokens: int  # of the plans and the answers, sent and written
    cost_usd: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchReport:
    """The figures of a period in groups."""

    period: Period
    by: ResearchGrouping
    rows: tuple[ResearchRow, ...]  # months in their order; of people who planned the most first


def report_researches(period: Period, by: ResearchGrouping, *, viewer: User) -> ResearchReport:
    """Report the researches that were planned in a period. ReportForbiddenError for a viewer who may not."""
    needed = _NEEDED[by]
    if not all(viewer.has_perm(permission) for permission in needed):
        raise ReportForbiddenError(explain_lacking(viewer, needed))
    planned = Research.objects.filter(created_at__gte=period.start, created_at__lt=period.end).order_by()
    lines = ResearchLine.objects.filter(research__in=planned.values("pk")).order_by()
    key = F("user_id") if by is ResearchGrouping.PERSON else TruncMonth("created_at")
    key_of_line = F("research__user_id") if by is ResearchGrouping.PERSON else TruncMonth("research__created_at")
    asked = {row.pop("key"): row for row in _count_questions(lines.values(key=key_of_line))}
    figures = {row.pop("key"): row for row in _count_researches(planned.values(key=key))}
    labels = _name_groups(by, figures)
    rows = [_build_row(labels[key], found, asked.get(key, {})) for key, found in figures.items()]
    rows.sort(key=lambda row: row.key if by is ResearchGrouping.MONTH else (-row.planned, row.label))
    return ResearchReport(period=period, by=by, rows=tuple(rows))


def _count_researches(grouped: QuerySet[Research, Any]) -> Iterable[dict[str, Any]]:
    stopped = {
        f"stopped_by_{reason.value}": Count("pk", filter=Q(state=ResearchState.STOPPED, stop_reason=reason))
        for reason in StopReason
        if reason is not StopReason.ERROR
    }
    return grouped.annotate(
        planned=Count("pk"),
        started=Count("pk", filter=~Q(state=ResearchState.PLANNED)),
        done=Count("pk", filter=Q(state=ResearchState.DONE)),
        failed=Count("pk", filter=Q(state=ResearchState.FAILED)),
        **stopped,
        took=Sum(F("finished_at") - F("started_at")),
        planning_tokens_sum=Sum("planning_tokens"),
        planning_usd_sum=Sum("planning_usd"),
    )


def _count_questions(grouped: QuerySet[ResearchLine, Any]) -> Iterable[dict[str, Any]]:
    found = Q(outcome__in=(Outcome.ANSWERED, Outcome.QUOTED))
    return grouped.annotate(
        questions=Count("pk"),
        asked=Count("pk", filter=~Q(outcome=Outcome.OPEN)),
        answered=Count("pk", filter=Q(outcome=Outcome.ANSWERED)),
        quoted=Count("pk", filter=Q(outcome=Outcome.QUOTED)),
        unproven=Count("pk", filter=Q(outcome=Outcome.UNPROVEN)),
        citations=Sum("query__log__citation_count", filter=found),
        sent=Sum("query__answer__prompt_tokens"),
        written=Sum("query__answer__completion_tokens"),
        answers_usd=Sum("query__answer__cost_usd"),
    )


def _name_groups(by: ResearchGrouping, keys: Iterable[Any]) -> dict[Any, tuple[str, str]]:
    """Return the key and the label of each group."""
    if by is ResearchGrouping.MONTH:
        return {month: (f"{month:%Y-%m}", f"{month:%Y-%m}") for month in keys}
    people: Mapping[UUID, User] = User.objects.in_bulk(list(keys))
    return {pk: (str(pk), str(people.get(pk, pk))) for pk in keys}


def _build_row(named: tuple[str, str], figures: dict[str, Any], asked: dict[str, Any]) -> ResearchRow:
    took, tokens = figures.pop("took"), figures.pop("planning_tokens_sum")
    tokens += sum(asked.pop(name, None) or 0 for name in ("sent", "written"))
    cost = figures.pop("planning_usd_sum") + (asked.pop("answers_usd", None) or Decimal(0))
    counted = dict.fromkeys(("questions", "asked", "answered", "quoted", "unproven", "citations"), 0)
    return ResearchRow(
        key=named[0],
        label=named[1],
        **figures,
        **{**counted, **{name: value or 0 for name, value in asked.items()}},
        minutes=round(took.total_seconds() / 60, 1) if took else 0.0,
        tokens=tokens,
        cost_usd=round(float(cost), 6),
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(ResearchRow)]


def to_csv(report: ResearchReport) -> str:
    """Write its rows under a heading."""
    return "".join(write_lines([list_columns(), *(_list_cells(row) for row in report.rows)]))


def to_xlsx(report: ResearchReport) -> bytes:
    """Write a workbook with its rows as a table."""
    return write_table("Research", list_columns(), map(_list_cells, report.rows), width=_WIDTH, names=2)


def _list_cells(row: ResearchRow) -> list[Any]:
    """Return the cells of a row, of which no text is a formula."""
    return [defuse(cell) for cell in asdict(row).values()]
