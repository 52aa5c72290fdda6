"""Reports as files, from the admin and over REST: their kinds and names, and the audit row of each that is taken."""

from collections.abc import Callable
from dataclasses import dataclass

from core.models import AuditEvent, User
from core.quality.reports.figures import Report
from core.quality.reports.spreadsheets import CSV_TYPE, XLSX_TYPE, to_csv, to_xlsx


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """A kind of file."""

    ending: str
    content_type: str
    write: Callable[[Report], str | bytes]


CSV = File(ending="csv", content_type=f"{CSV_TYPE}; charset=utf-8", write=to_csv)
XLSX = File(ending="xlsx", content_type=XLSX_TYPE, write=to_xlsx)
FILES = {file.ending: file for file in (CSV, XLSX)}


def file_name(report: Report, file: File) -> str:
    """Return the name of the downloaded file."""
    return f"footnote-{report.by}-{report.period.since}-{report.period.until}.{file.ending}"


def record_export(actor: User, report: Report, file: File) -> None:
    """Write into the audit trail who took which report; figures only."""
    AuditEvent.objects.create(
        actor=actor,
        action=AuditEvent.Action.EXPORT,
        object_type="report",
        details={
            "by": str(report.by),
            "since": report.period.since.isoformat(),
            "until": report.period.until.isoformat(),
            "rows": len(report.rows),
            "format": file.ending,
        },
    )
