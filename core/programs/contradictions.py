"""List documents that contradict each other for programs, over REST and MCP, under the rights of all who are shown."""

from collections.abc import Sequence
from typing import TypedDict

from core import api
from core.errors import NotFoundError
from core.programs.asking import Program
from core.serialization import AudienceJson, Day, Id, Moment, write_moment
from core.values.contradictions import ContradictingSide, KeptContradiction


class ContradictingSideJson(TypedDict):
    """Holds what one of the two documents says."""

    side: str
    document_id: Id
    document_version: int
    document_name: str
    document_date: Day | None
    collection: str
    quote: str | None
    value: str | None
    section: str | None
    page_number: int | None
    opens_at: str | None
    owner: str | None
    holds: bool


class ContradictionJson(TypedDict):
    """Holds two documents that answer one question differently."""

    id: Id
    question: str | None
    state: str
    sides: list[ContradictingSideJson]
    reason: str | None
    decided_by: str | None
    decided_at: Moment | None
    owner_asked: str | None
    asked_at: Moment | None
    found_at: Moment
    gone_at: Moment | None


class ContradictionsJson(TypedDict):
    """Holds a page of them."""

    count: int
    contradictions: list[ContradictionJson]
    audience: AudienceJson


def list_contradictions(
    program: Program, *, states: Sequence[str] = (), limit: int, offset: int = 0
) -> ContradictionsJson:
    """Return the pairs that the program's person may see, and of which all who are shown them may read both documents.

    NotFoundError that says why where nothing can be shown to the readers whom the token names.
    """
    readers = program.find_readers()
    if readers.problem:
        raise NotFoundError(readers.problem)
    found = api.list_contradictions(
        program.person, audience=readers.audience, states=states, limit=limit, offset=offset
    )
    return {
        "count": found.total,
        "contradictions": [_write_pair(row) for row in found.rows],
        "audience": readers.as_json(),
    }


def _write_pair(row: KeptContradiction) -> ContradictionJson:
    return {
        "id": str(row.contradiction_id),
        "question": row.question or None,
        "state": row.state,
        "sides": [_write_side(side) for side in row.sides],
        "reason": row.reason or None,
        "decided_by": row.decided_by or None,
        "decided_at": write_moment(row.decided_at) if row.decided_at else None,
        "owner_asked": row.owner_asked or None,
        "asked_at": write_moment(row.asked_at) if row.asked_at else None,
        "found_at": write_moment(row.found_at),
        "gone_at": write_moment(row.gone_at) if row.gone_at else None,
    }


def _write_side(side: ContradictingSide) -> ContradictingSideJson:
    return {
        "side": side.side,
        "document_id": str(side.edition.document_id),
        "document_version": side.edition.version,
        "document_name": side.document_name,
        "document_date": side.document_date.isoformat() if side.document_date else None,
        "collection": side.collection,
        "quote": side.quote or None,
        "value": side.quote[slice(*side.value)] or None,
        "section": side.section or None,
        "page_number": side.page_number,
        "opens_at": side.opens_at or None,
        "owner": side.owner or None,
        "holds": side.holds,
    }
