"""The lists that people see of their library and of their questions, as values. Pure."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from core.types import QueryState, RefusalReason


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadableDocument:
    """A document that an audience may read."""

    document_id: UUID
    title: str
    collection: str
    document_type: str
    document_date: dt.date | None
    source_url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NewDocument:
    """A document that came into the library, or came anew, a short time ago."""

    title: str
    source_url: str  # where it is on the web, or here, as PUBLIC_URL says; empty without either
    ingested_at: dt.datetime
    is_new_edition: bool  # an earlier one was in the library before


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedDocument:
    """A document that an answer to a person quoted, and that has got a new edition since."""

    title: str  # as it is now
    source_url: str
    changed_at: dt.datetime
    is_quote_gone: bool  # words that were quoted to them do not occur in it any more


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentList:
    """The first of the documents that were asked for, and how many there are of them."""

    documents: tuple[ReadableDocument, ...]
    total: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RecentQuestion:
    """A question that a person asked."""

    request_id: str
    question: str
    asked_at: dt.datetime
    state: QueryState
    is_readable: bool  # there is an answer, and all that it cites may be read now; or a closest passage that may
    refusal: RefusalReason | None = None  # why there is no answer, as shown to its asker now
