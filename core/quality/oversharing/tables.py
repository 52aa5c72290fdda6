"""Write risks as a table for spreadsheets: figures and names, no word of a document."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.infrastructure.csv_lines import defuse
from core.models import OversharingRisk
from core.quality.oversharing.listing import name_subject
from core.quality.reports.spreadsheets import write_table
from core.values.oversharing import find_level

_WIDTH = 24  # characters of a column of a workbook


@dataclass(frozen=True, kw_only=True, slots=True)
class RiskRow:
    """Holds the cells of one risk."""

    id: str
    kind: str
    level: str
    score: int
    sensitivity: int
    reach: int
    state: str
    of: str  # what it is of, by name
    subjects: str  # joined by semicolons
    people: int
    people_before: int | None
    documents: int
    since: str  # a day such as 2026-11-30, or empty
    reason: str
    found_at: str  # a moment such as 2026-11-30T08:15:00+00:00
    opened_at: str


def build_row(risk: OversharingRisk) -> RiskRow:
    """Build the row of a risk, with which listing.RELATED was fetched."""
    return RiskRow(
        id=str(risk.pk),
        kind=risk.kind,
        level=find_level(risk.score).value,
        score=risk.score,
        sensitivity=risk.sensitivity,
        reach=risk.reach,
        state=risk.state,
        of=name_subject(risk),
        subjects="; ".join(risk.subjects),
        people=risk.people,
        people_before=risk.people_before,
        documents=risk.documents,
        since=risk.since.isoformat() if risk.since else "",
        reason=risk.reason,
        found_at=risk.found_at.isoformat(timespec="seconds"),
        opened_at=risk.opened_at.isoformat(timespec="seconds"),
    )


def list_columns() -> list[str]:
    """Return the names of a row's fields, in their order."""
    return [field.name for field in fields(RiskRow)]


def to_xlsx(rows: Iterable[RiskRow]) -> bytes:
    """Write a workbook with the rows as a table, of which no text is a formula."""
    return write_table("Oversharing", list_columns(), map(_list_cells, rows), width=_WIDTH)


def _list_cells(row: RiskRow) -> list[Any]:
    return [defuse(cell) for cell in asdict(row).values()]
