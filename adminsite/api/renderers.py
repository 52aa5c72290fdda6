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
        rows = data["rows"] if "rows" in data else [data]
        columns = [column.name for column in fields(UsageRow)] if "rows" in data else ["detail", "code"]
        writer = csv.DictWriter(written, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
        return written.getvalue()
