"""Sections of documents and the rules for who reads them, as whoever decides who reads is shown them. Pure."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class SectionKind(StrEnum):
    """Lists what a rule knows sections by."""

    HEADING = "heading"
    SHEET = "sheet"
    LABEL = "label"


class SectionState(StrEnum):
    """Whether a section is restricted, and whether an administrator has to look at it."""

    OPEN = "open"  # whoever reads the document reads it
    RECOGNISED = "recognised"  # restricted
    UNRECOGNISED = "unrecognised"  # restricted, because it could not be told whether it has to be


class Decision(StrEnum):
    """Lists what an administrator may say of a part that is to be decided."""

    GONE = "gone"  # the restricted section is not in the document any more: the document is opened
    SECTION = "section"  # it is another one, which is named with the decision
    KEEP = "keep"  # what is restricted now stays restricted


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedRole:
    """Holds a role by its id and name."""

    role_id: UUID
    name: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleView:
    """Holds a rule as it is now."""

    rule_id: UUID
    kind: SectionKind
    pattern: str
    document_id: UUID | None  # of the one document that it is for
    collection_id: UUID | None  # or of the collection
    place: str  # the document's title, or the collection's name
    roles: tuple[NamedRole, ...]  # that read the sections, where they read the document; none: nobody
    documents: int  # in which it restricts something now
    undecided: int  # of these, to be decided
    waiting: int  # documents that the worker has still to split by it, as it is now
    created_by: str  # without address; "" where unknown
    created_at: dt.datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionView:
    """Holds a section of a document: passages in a row below the same headings, or all of a sheet."""

    name: str  # its headings joined by " > ", or the sheet's name
    kind: SectionKind  # by which a rule of this one document names it: HEADING or SHEET
    pattern: str  # and with which pattern
    chunk_count: int
    rules: tuple[UUID, ...]  # that restrict it now
    readers: tuple[NamedRole, ...]  # with a grant in force
    state: SectionState
    part_id: UUID | None = None  # where it is restricted; for `decide_unrecognised`


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedDocument:
    """Holds a document in which a rule would restrict something."""

    document_id: UUID
    title: str
    collection: str
    sections: tuple[str, ...]  # names, in order, 20 at most
    section_count: int
    chunk_count: int  # that would be restricted


@dataclass(frozen=True, kw_only=True, slots=True)
class LosingRole:
    """Holds a role that reads some of the documents now, and would not read those sections."""

    role: NamedRole
    documents: int
    people: int  # active, who hold it and no role that reads on


@dataclass(frozen=True, kw_only=True, slots=True)
class RulePreview:
    """Holds what a rule would do, before it is made. Nothing is stored."""

    documents: tuple[MatchedDocument, ...]  # 200 at most, by title
    document_count: int  # all that match
    checked: int  # documents that were looked at
    section_count: int
    losing: tuple[LosingRole, ...]  # the most documents first


@dataclass(frozen=True, kw_only=True, slots=True)
class UndecidedPart:
    """Holds a part that is to be decided."""

    part_id: UUID
    document_id: UUID
    title: str  # of the document
    collection: str
    sections: tuple[str, ...]  # names of those that it holds, 20 at most
    is_all: bool  # the whole document is in it, because none of its sections could be recognised
    rules: tuple[UUID, ...]
    readers: tuple[NamedRole, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleName:
    """Holds what a rule is known by."""

    rule_id: UUID
    kind: SectionKind
    pattern: str
    is_of_collection: bool  # not of the one document


@dataclass(frozen=True, kw_only=True, slots=True)
class RestrictedPart:
    """Holds the sections of one document that the same rules restrict."""

    part_id: UUID
    document_id: UUID  # of the whole document
    title: str
    collection_id: UUID
    collection: str
    sections: tuple[str, ...]  # names, 20 at most
    chunk_count: int
    rules: tuple[RuleName, ...]  # none: nobody reads it
    readers: tuple[NamedRole, ...]  # with a grant in force
    state: SectionState
    since: dt.datetime  # when it was parted off


@dataclass(frozen=True, kw_only=True, slots=True)
class RestrictedList:
    """Holds a page of what is restricted."""

    total: int
    rows: tuple[RestrictedPart, ...]  # those to be decided first
