"""Reports for spreadsheets."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from rest_framework.renderers import BaseRenderer

from adminsite.api.serializers import BenchmarkJson
from adminsite.dashboard.usage import UsageRow


class CsvRenderer(BaseRenderer):
    """Rows as CSV with a header line; an error as its detail and code."""

    media_type = "text/csv"
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
        writer.writerows([data] if rows is None else rows)
        return written.getvalue()


class UsageCsvRenderer(CsvRenderer):
    """The rows of a usage report."""

    columns = tuple(column.name for column in fields(UsageRow))


class BenchmarkCsvRenderer(CsvRenderer):
    """Measurements of search strategies."""

    columns = tuple(BenchmarkJson.Meta.fields)
