"""Hold risks as they are found, before they are stored."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.quality.oversharing.reach import Readership, Roles
from core.values.oversharing import SENSITIVITY, RiskKind

PLAIN = 2  # the sensitivity of what nothing was found in, where its readers are odd or became more


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Holds a risk as it is found now."""

    kind: RiskKind
    sensitivity: int
    reach: int
    people: int
    people_before: int | None = None
    documents: int = 1
    subjects: tuple[str, ...] = ()
    document_id: UUID | None = None
    document_version: int | None = None
    role_id: UUID | None = None
    usergroup_id: UUID | None = None
    data_source_id: UUID | None = None
    collection_id: UUID | None = None
    since: dt.date | None = None

    @property
    def score(self) -> int:
        """Sensitivity times reach, 1 to 25."""
        return self.sensitivity * self.reach

    @property
    def key(self) -> str:
        """The kind and what the risk is of."""
        of = (self.document_id, self.role_id, self.usergroup_id, self.data_source_id, self.collection_id)
        return "/".join([self.kind, *(str(pk) for pk in of if pk is not None)])

    def as_columns(self) -> dict[str, Any]:
        """Return the columns of its row."""
        names = """
            kind sensitivity reach score people people_before documents document_id document_version role_id
            usergroup_id data_source_id collection_id since
        """.split()  # noqa: SIM905
        return {name: getattr(self, name) for name in names} | {"subjects": list(self.subjects)}


def rank_document(
    document_id: UUID, version: int, kind: RiskKind, subjects: Iterable[str], roles: Roles, readership: Readership
) -> Found:
    """Rank what was found in a document by its most sensitive subject and by who may read it."""
    ordered = order_subjects(subjects)
    return Found(
        kind=kind,
        sensitivity=SENSITIVITY[ordered[0]],
        reach=readership.measure(roles),
        people=readership.count(roles),
        subjects=ordered,
        document_id=document_id,
        document_version=version,
    )


def order_subjects(subjects: Iterable[str]) -> tuple[str, ...]:
    """Return subjects, the most sensitive first."""
    return tuple(sorted(subjects, key=lambda subject: (-SENSITIVITY[subject], subject)))


def find_sensitivity(subjects: Iterable[str]) -> int:
    """Return the sensitivity of the most sensitive of some subjects; of none, that of plain documents."""
    return max((SENSITIVITY[subject] for subject in subjects), default=PLAIN)
