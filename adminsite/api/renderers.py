"""Reports for spreadsheets."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from rest_framework.renderers import BaseRenderer

from adminsite.api.serializers import BenchmarkJson
from adminsite.dashboard.usage import UsageRow
from core.infrastructure.csv_lines import defuse
from core.quality.oversharing import tables
from core.quality.reports import change_checks, contradictions, oversharing, proposals, receipts, research, sections
from core.quality.reports.editions import EditionRow
from core.quality.reports.spreadsheets import CSV_TYPE, XLSX_TYPE, to_csv, to_xlsx


class CsvRenderer(BaseRenderer):
    """Rows as CSV with a header line; an error as its detail and code."""

    media_type = CSV_TYPE
    format = "csv"
    charset = "utf-8"
    columns: Sequence[str] = ()

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> str:
        """The report as text. data: its rows, or a report that has them, or an error."""
        written = io.StringIO()
        rows = data if isinstance(data, list) else data.get("rows")
        writer = csv.DictWriter(written, ["detail", "code"] if rows is None else self.columns, extrasaction="ignore")
        writer.writeheader()
        for row in [data] if rows is None else rows:
            writer.writerow({name: defuse(cell) for name, cell in row.items()})
        return written.getvalue()


class UsageCsvRenderer(CsvRenderer):
    """The rows of a usage report."""

    columns = tuple(column.name for column in fields(UsageRow))


class EditionsCsvRenderer(CsvRenderer):
    """The rows of a report of editions."""

    columns = tuple(column.name for column in fields(EditionRow))


class BenchmarkCsvRenderer(CsvRenderer):
    """Measurements of search strategies."""

    columns = tuple(BenchmarkJson.Meta.fields)


class ContradictionsCsvRenderer(CsvRenderer):
    """The rows of a report of contradictions."""

    columns = tuple(contradictions.list_columns())


class ReportCsvRenderer(CsvRenderer):
    """A report."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> str:
        """Its rows; an error as its detail and code."""
        report = data.get("report")
        return to_csv(report) if report else super().render(data, accepted_media_type, renderer_context)


class ReportXlsxRenderer(BaseRenderer):
    """A report as a workbook; an error as the text of its detail."""

    media_type = XLSX_TYPE
    format = "xlsx"
    charset = None
    render_style = "binary"
    write: Callable[[Any], bytes] = staticmethod(to_xlsx)  # of the kind of report

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        """Return the workbook."""
        return self.write(data["report"]) if "report" in data else str(data.get("detail", "")).encode()


class ContradictionsXlsxRenderer(ReportXlsxRenderer):
    """A report of contradictions as a workbook; an error as the text of its detail."""

    write = staticmethod(contradictions.to_xlsx)


class SectionsCsvRenderer(CsvRenderer):
    """A report of restricted sections; an error as its detail and code."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> str:
        """Return the lines."""
        if "report" in data:
            return sections.to_csv(data["report"])
        return super().render(data, accepted_media_type, renderer_context)


class SectionsXlsxRenderer(ReportXlsxRenderer):
    """A report of restricted sections as a workbook; an error as the text of its detail."""

    write = staticmethod(sections.to_xlsx)


class ResearchCsvRenderer(CsvRenderer):
    """A report of researches; an error as its detail and code."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> str:
        """Return the lines."""
        if "report" in data:
            return research.to_csv(data["report"])
        return super().render(data, accepted_media_type, renderer_context)


class ResearchXlsxRenderer(ReportXlsxRenderer):
    """A report of researches as a workbook; an error as the text of its detail."""

    write = staticmethod(research.to_xlsx)


class ProposalsCsvRenderer(CsvRenderer):
    """The rows of a report of proposed changes."""

    columns = tuple(proposals.list_columns())


class ProposalsXlsxRenderer(ReportXlsxRenderer):
    """A report of proposed changes as a workbook; an error as the text of its detail."""

    write = staticmethod(proposals.to_xlsx)


class ReceiptsCsvRenderer(CsvRenderer):
    """The rows of a report of receipts."""

    columns = tuple(receipts.list_columns())


class ReceiptsXlsxRenderer(ReportXlsxRenderer):
    """A report of receipts as a workbook; an error as the text of its detail."""

    write = staticmethod(receipts.to_xlsx)


class ChangeChecksCsvRenderer(CsvRenderer):
    """The rows of a report of checks of changes."""

    columns = tuple(change_checks.list_columns())


class ChangeChecksXlsxRenderer(ReportXlsxRenderer):
    """A report of checks of changes as a workbook; an error as the text of its detail."""

    write = staticmethod(change_checks.to_xlsx)


class OversharingCsvRenderer(CsvRenderer):
    """The rows of a report of risks that too many read something."""

    columns = tuple(oversharing.list_columns())


class OversharingXlsxRenderer(ReportXlsxRenderer):
    """A report of risks that too many read something as a workbook; an error as the text of its detail."""

    write = staticmethod(oversharing.to_xlsx)


class RisksCsvRenderer(CsvRenderer):
    """Risks that too many read something."""

    columns = tuple(tables.list_columns())


class RisksXlsxRenderer(ReportXlsxRenderer):
    """Risks that too many read something as a workbook; an error as the text of its detail."""

    write = staticmethod(tables.to_xlsx)
