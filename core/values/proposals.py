"""Proposed changes: from a gap or a contradiction to the place where the document lives. Pure."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

LONGEST_TITLE = 120  # characters
LONGEST_QUESTION = 500
LONGEST_TEXT = 300_000  # characters: of a whole file
LONGEST_PLACE = 400  # characters: of a path


class ChangeWay(StrEnum):
    """Lists the ways in which a change is proposed."""

    BRANCH = "branch"  # of a Git repository; somebody merges it by hand
    MERGE_REQUEST = "merge_request"  # a branch, and a request to merge it
    DRAFT_PAGE = "draft_page"  # nobody but its editors sees it until it is published
    MAIL = "mail"  # to the document's owner


WAYS_IN_WORDS = {
    ChangeWay.BRANCH: "branch",
    ChangeWay.MERGE_REQUEST: "merge request",
    ChangeWay.DRAFT_PAGE: "draft page",
    ChangeWay.MAIL: "mail to the owner",
}


class ProposalState(StrEnum):
    """Lists the steps of a proposed change; the last four are ends."""

    WAITING = "waiting"  # for the worker to send it
    SENT = "sent"
    MERGED = "merged"  # at its source; the library does not have it yet
    DONE = "done"  # in the library: those who asked are told
    DECLINED = "declined"
    FAILED = "failed"  # it could not be sent
    WITHDRAWN = "withdrawn"


STATES_IN_WORDS = {
    ProposalState.WAITING: "waiting to be sent",
    ProposalState.SENT: "proposed",
    ProposalState.MERGED: "merged, not read yet",
    ProposalState.DONE: "in the library",
    ProposalState.DECLINED: "declined",
    ProposalState.FAILED: "not sent",
    ProposalState.WITHDRAWN: "withdrawn",
}
UNDER_WAY = (ProposalState.WAITING, ProposalState.SENT, ProposalState.MERGED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """Holds the gap or the contradiction for which a change is proposed; one of the two."""

    gap: UUID | None = None
    contradiction: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeTarget:
    """Holds a document that can be changed, or a source that takes new ones."""

    way: ChangeWay | None  # None: it cannot be changed from here
    why_not: str  # a sentence; empty where there is a way
    document_id: UUID | None = None
    document_name: str = ""
    source_id: UUID | None = None
    source_name: str = ""
    place: str = ""  # its path or name at the source
    recipient: str = ""  # of a mail
    is_near: bool = False  # the search found it near to the questions, or it is a side of the contradiction


@dataclass(frozen=True, kw_only=True, slots=True)
class NearestPassage:
    """Holds the passage of a document that is nearest to a question."""

    chunk_id: UUID
    section: str
    quote: str
    start: int  # characters in its chunk
    end: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeForm:
    """Holds what a person starts from who writes a change."""

    target: ChangeTarget
    title: str
    question: str  # that goes along, in words that the person may change
    people: int  # how many asked; 0 for a contradiction that nobody asked about
    nearest: NearestPassage | None
    text: str  # of a file all of it as it is in the library; else empty
    edits_file: bool  # the text is the whole file
    version: int  # of the document; 0 for a new one
    unread_people: int = 0  # who had asked and may not read the document now; for who decides who reads


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenChange:
    """Holds what a person wrote."""

    title: str
    question: str
    text: str
    document_id: UUID | None = None
    version: int = 0  # of the document that the text was written for
    source_id: UUID | None = None  # for a new document
    place: str = ""  # its path, or the key of a space
    quotes_nearest: bool = True  # the nearest passage goes along
    key: UUID | None = None  # of the proposal, so that it is made once however often it is sent; None: a new one


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """Holds how probably the text would answer a question that was asked."""

    question: str
    probability: float | None  # 0..1, by the reader; None without one


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangePreview:
    """Holds a change as it will be sent, before it is."""

    way: ChangeWay
    description: str  # Markdown, as who decides about it will read it
    diff: tuple[str, ...]  # lines of a unified diff; of what is added the lines with "+"
    found: tuple[Found, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedProposal:
    """Holds a proposed change, as a viewer may see it."""

    proposal_id: UUID
    state: ProposalState
    way: ChangeWay
    gap_id: UUID | None
    contradiction_id: UUID | None
    document_id: UUID | None  # None also where the viewer may not read it
    document_name: str  # empty where the viewer may not read it
    source_name: str
    place: str  # of a new document, or of a document that the viewer may read
    branch: str  # of a repository
    url: str  # of the merge request or draft; empty where the viewer may not read the document
    recipient: str
    error: str  # why it could not be sent
    people: int  # who had asked
    answered: int  # of whom have an answer now
    told: int  # of whom were told
    others: int  # who had asked something else that the change answers as well, and have an answer now
    proposed_by: str
    is_own: bool
    created_at: dt.datetime
    sent_at: dt.datetime | None
    merged_at: dt.datetime | None
    ended_at: dt.datetime | None
    may_decide: bool  # the viewer may withdraw it, or say what became of it
    may_write_again: bool  # what its author wrote is still there, and the viewer is the author


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalList:
    """Holds a page of proposed changes."""

    rows: tuple[ListedProposal, ...]
    total: int
    by_state: dict[str, int]  # of all that the viewer may see
