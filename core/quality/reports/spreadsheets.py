"""A report as a file for spreadsheets. No cell of text is a formula, whatever somebody has called a role."""

import datetime as dt
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from core.infrastructure.csv_lines import defuse, write_lines
from core.quality.reports.figures import HEADINGS, Report, ReportRow
from core.quality.reports.grouping import Grouping
from core.types import FeedbackReason

CSV_TYPE = "text/csv"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

_WITH_IDS = frozenset({Grouping.PERSON, Grouping.CHANNEL})  # whose names are not unique
_NARROW, _WIDE = 12, 36  # characters of a column
_FILTER = 3  # characters that the button of a filter covers
_SCORE, _SECONDS = "0.00", "0.00"
_FORMATS = {
    "relevance": _SCORE,
    "groundedness": _SCORE,
    "answer_relevance": _SCORE,
    "confidence": _SCORE,
    "mean_similarity": _SCORE,
    "latency_p50_ms": _SECONDS,
    "latency_p95_ms": _SECONDS,
    "cost_usd": "0.0000",
}


@dataclass(frozen=True, slots=True)
class _Column:
    """Holds what a column of a workbook is called, and how its cells are read from a row."""

    heading: str
    read: Callable[[ReportRow], Any]
    width: int
    number_format: str = "General"


def list_columns() -> list[str]:
    """Return the headings: the fields of a row, and of the reasons one for each."""
    columns: list[str] = []
    for field in fields(ReportRow):
        own = [f"reason_{reason.value}" for reason in FeedbackReason] if field.name == "reasons" else [field.name]
        columns.extend(own)
    return columns


def to_csv(report: Report) -> str:
    """Its rows under a heading, and no total."""
    return "".join(write_lines([list_columns(), *(_list_cells(row) for row in report.rows)]))


def to_xlsx(report: Report) -> bytes:
    """Write a workbook for people: its rows as a table, and the total on a sheet of its own.

    Headings are those of the page, days are dates, and times are in seconds. Below the rows, the total would be added
    to them by whoever sums up a column.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    ids = report.by in _WITH_IDS
    named = [_Column(str(report.by).capitalize(), _read_name(report.by), _NARROW if report.by.is_of_time else _WIDE)]
    identified = [_Column(f"{str(report.by).capitalize()} id", lambda row: defuse(row.key), _WIDE)] if ids else []
    _add_table(book.create_sheet(f"By {report.by}"), [*named, *identified, *_list_figures()], report.rows)
    days = [
        _Column("First day", lambda _: report.period.since, _NARROW),
        _Column("Last day", lambda _: report.period.until, _NARROW),
    ]
    _add_table(book.create_sheet("All questions"), [*days, *_list_figures()], [report.total])
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _list_figures() -> Iterable[_Column]:
    """Yield the columns of figures, in the order of a row's fields."""
    for field in fields(ReportRow):
        name = field.name
        if name == "reasons":
            for reason in FeedbackReason:
                yield _Column(f"Reason: {reason.value.replace('_', ' ')}", partial(_read_reason, reason.value), _NARROW)
        elif name in HEADINGS:
            yield _Column(HEADINGS[name], partial(_read_figure, name), _NARROW, _FORMATS.get(name, "#,##0"))


def _read_name(by: Grouping) -> Callable[[ReportRow], Any]:
    """Return how a row's group is read: a day as a date, by which a spreadsheet can sort and chart."""
    return (lambda row: dt.date.fromisoformat(row.key)) if by.is_of_time else (lambda row: defuse(row.label))


def _read_reason(reason: str, row: ReportRow) -> int:
    return row.reasons[reason]


def _read_figure(name: str, row: ReportRow) -> Any:
    value = getattr(row, name)
    return value / 1000 if value is not None and name.endswith("_ms") else value


def _add_table(sheet: Any, columns: Sequence[_Column], rows: Sequence[ReportRow]) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    # A sheet that is written row by row has its widths and panes before its rows.
    sheet.freeze_panes = "B2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{len(rows) + 1}"
    for number, column in enumerate(columns, 1):
        sheet.column_dimensions[get_column_letter(number)].width = max(column.width, len(column.heading) + _FILTER)
    headings = [WriteOnlyCell(sheet, column.heading) for column in columns]
    for cell in headings:
        cell.font = Font(bold=True)
    sheet.append(headings)
    for row in rows:
        cells = [WriteOnlyCell(sheet, column.read(row)) for column in columns]
        for cell, column in zip(cells, columns, strict=True):
            if cell.data_type == "n":
                cell.number_format = column.number_format
        sheet.append(cells)


def _list_cells(row: ReportRow) -> Sequence[Any]:
    return list(_flatten_row(row))


def _flatten_row(row: ReportRow) -> Iterable[Any]:
    for field in fields(ReportRow):
        value = getattr(row, field.name)
        if field.name == "reasons":
            yield from (value[reason.value] for reason in FeedbackReason)
        else:
            yield defuse(value)


def write_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, width: int, names: int = 1
) -> bytes:
    """Write a workbook with rows as a table, below the names of its columns.

    width: of a column, in characters. names: how many columns, from the first on, say what a row is about and stay.
    """
    from openpyxl import Workbook
    from openpyxl.utils import get_column_letter

    book = Workbook(write_only=True)
    sheet = book.create_sheet(title)
    sheet.freeze_panes = f"{get_column_letter(names + 1)}2"
    for number in range(1, len(columns) + 1):
        is_wide = names > 1 and number <= names
        sheet.column_dimensions[get_column_letter(number)].width = _WIDE if is_wide else width
    sheet.append([name.replace("_", " ").capitalize() for name in columns])
    for row in rows:
        sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()
