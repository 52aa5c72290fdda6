"""The usage report for spreadsheets."""

import csv
import io
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rest_framework.renderers import BaseRenderer

from adminsite.dashboard.figures import UsageRow


class UsageCsvRenderer(BaseRenderer):
    """The rows of a usage report as CSV with a header line; an error as its detail and code."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> str:
        """The report as text."""
        written = io.StringIO()
        is_report = "rows" in data
        columns = [column.name for column in fields(UsageRow)] if is_report else ["detail", "code"]
        writer = csv.DictWriter(written, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(data["rows"] if is_report else [data])
        return written.getvalue()
