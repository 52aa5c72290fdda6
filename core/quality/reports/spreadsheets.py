"""A report as a file for spreadsheets. No cell of text is a formula, whatever somebody has called a role."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from core.infrastructure.csv_lines import defuse, write_lines
from core.quality.reports.figures import Report, ReportRow
from core.types import FeedbackReason

CSV_TYPE = "text/csv"
XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_MOST_TITLE = 31  # characters of a sheet's title


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
    """Its rows under a heading, and the total below them."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet(f"{report.by} {report.period.since} {report.period.until}"[:_MOST_TITLE])
    sheet.freeze_panes = "C2"
    sheet.append(list_columns())
    for row in (*report.rows, report.total):
        sheet.append(_list_cells(row))
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _list_cells(row: ReportRow) -> Sequence[Any]:
    return list(_flatten_row(row))


def _flatten_row(row: ReportRow) -> Iterable[Any]:
    for field in fields(ReportRow):
        value = getattr(row, field.name)
        if field.name == "reasons":
            yield from (value[reason.value] for reason in FeedbackReason)
        else:
            yield defuse(value)
