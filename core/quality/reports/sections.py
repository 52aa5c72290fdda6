"""Report which sections of documents are restricted, and who reads them; for who decides that. No text of a section."""

import datetime as dt
from dataclasses import asdict, dataclass, fields
from typing import Any
from uuid import UUID

from core import api
from core.access.audiences import DECIDE_WHO_READS
from core.errors import ReportForbiddenError
from core.infrastructure.csv_lines import defuse, write_lines
from core.models import User
from core.quality.reports.grouping import VIEW_REPORTS, explain_lacking
from core.quality.reports.spreadsheets import write_table
from core.values.sections import RestrictedPart

_NEEDED = (VIEW_REPORTS, "core.view_role", "core.view_document", "core.view_collection", DECIDE_WHO_READS)
_WIDTH = 24  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionsRow:
    """The sections of one document that the same rules restrict."""

    document_id: UUID
    document: str
    collection: str
    sections: tuple[str, ...]  # names, 20 at most
    passages: int
    readers: tuple[str, ...]  # roles
    rules: tuple[str, ...]
    state: str
    since: dt.datetime


def report_sections(*, viewer: User) -> tuple[SectionsRow, ...]:
    """Report what is restricted now, what is to be decided first. ReportForbiddenError for a viewer who may not."""
    if not all(viewer.has_perm(permission) for permission in _NEEDED):
        raise ReportForbiddenError(explain_lacking(viewer, _NEEDED))
    return tuple(_build_row(part) for part in api.list_restricted_sections(by=viewer).rows)


def _build_row(part: RestrictedPart) -> SectionsRow:
    return SectionsRow(
        document_id=part.document_id,
        document=part.title,
        collection=part.collection,
        sections=part.sections,
        passages=part.chunk_count,
        readers=tuple(role.name for role in part.readers),
        rules=tuple(f"{rule.kind}: {rule.pattern}" for rule in part.rules),
        state=part.state.value,
        since=part.since,
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(SectionsRow)]


def to_csv(rows: tuple[SectionsRow, ...]) -> str:
    """Write the rows under a heading."""
    return "".join(write_lines([list_columns(), *(_list_cells(row) for row in rows)]))


def to_xlsx(rows: tuple[SectionsRow, ...]) -> bytes:
    """Write a workbook with the rows as a table."""
    return write_table("Sections", list_columns(), map(_list_cells, rows), width=_WIDTH)


def _list_cells(row: SectionsRow) -> list[Any]:
    """Return the cells of a row, of which no text is a formula. Several names are joined by semicolons."""
    made = {**asdict(row), "document_id": str(row.document_id), "since": f"{row.since:%Y-%m-%d}"}
    return [defuse("; ".join(cell) if isinstance(cell, tuple) else cell) for cell in made.values()]
