"""Pairs of documents that contradict each other, as a viewer may see them. Pure."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from core.types import Edition


@dataclass(frozen=True, kw_only=True, slots=True)
class ContradictingSide:
    """Holds what one of the two documents says."""

    side: str  # "newer" or "older", as of when the pair was found
    edition: Edition
    document_name: str
    document_date: dt.date | None
    ingested_on: dt.date
    collection: str
    quote: str  # word for word from its passage; empty where the pair is gone
    value: tuple[int, int]  # where the quote says it, in characters of the quote
    section: str
    page_number: int | None
    place: str  # of the quote, as an address has it; empty where the pair is gone
    opens_at: str  # the address of its page at the quote; empty without PUBLIC_URL, and where the pair is gone
    roles: tuple[str, ...] | None  # that may read it; None for viewers who may not see roles
    owner: str  # whom a question about it goes to: who may read both; empty where there is nobody
    holds: bool  # somebody said so


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptContradiction:
    """Holds a pair, for a viewer who may read both editions."""

    contradiction_id: UUID
    question: str  # that both answer; empty where the pair is gone
    state: str
    sides: tuple[ContradictingSide, ContradictingSide]  # the newer one first, by the dates of now
    reason: str  # why both hold
    decided_by: str
    decided_at: dt.datetime | None
    owner_asked: str
    asked_at: dt.datetime | None
    found_at: dt.datetime
    gone_at: dt.datetime | None
    may_decide: bool  # the viewer


@dataclass(frozen=True, kw_only=True, slots=True)
class ContradictionList:
    """Holds a page of the pairs that a viewer may see."""

    rows: tuple[KeptContradiction, ...]
    total: int  # that the filters leave
    by_state: dict[str, int]  # of all that the viewer may see
    collections: tuple[tuple[UUID, str], ...]  # of the documents of all these
