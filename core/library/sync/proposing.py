"""Define how a change is proposed at a data source: a branch with a merge request, or a draft page.

A kind of source that can take changes names how in its settings (`Kind.find_way`) and connects with credentials of
their own (`Kind.connect_for_changes`), so that what reads documents need not be able to write any.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.values.proposals import ChangeWay as ChangeWay

EDITS_FILES = (ChangeWay.BRANCH, ChangeWay.MERGE_REQUEST)  # the text is the whole new file; else it is what is added


class ChangeOutcome(StrEnum):
    """Lists what became of a proposed change at its source."""

    OPEN = "open"
    MERGED = "merged"  # or published
    DECLINED = "declined"  # closed, or deleted, without that
    UNKNOWN = "unknown"  # the source does not tell: a branch without a merge request


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """Holds a change as it is proposed to a source."""

    proposal_id: str  # 32 hexadecimal digits: a second attempt finds by them what the first one made
    key: str  # of the item that is changed, as it was listed; of a new one its path, or the space of a page
    is_new: bool
    fingerprint: str  # of the content for which the text was written, as of the item; "" for a new one
    title: str  # one line, at most 120 characters
    description: str  # Markdown, for who decides about it
    text: str  # of a file all of it; of a page what is to be added, as Markdown


@dataclass(frozen=True, kw_only=True, slots=True)
class SentChange:
    """Holds what a source made of a change."""

    item_key: str  # of the item that has the text once it is merged, as it will be listed
    url: str = ""  # of the merge request or the draft, for people; "" where there is none
    number: str = ""  # what identifies it at the source
    branch: str = ""
    fingerprint: str = ""  # of the item when it is merged as it was sent; "": not known beforehand


class TakesChanges(Protocol):
    """A data source at which changes can be proposed.

    All methods call `Access.pause` before each request and raise `SourceError` when the source cannot be asked,
    `SourceRefusedError` when the credentials may not write.
    """

    def check(self) -> None:
        """Return if changes can be proposed with these credentials. Nothing is written.

        SourceRefusedError, which says what to do, otherwise. What only a particular change shows, such as a protected
        name of a branch, is not found by it.
        """

    def propose(self, change: Change) -> SentChange:
        """Propose a change, once however often this is called with its id.

        ChangedMeanwhileError where the item has another fingerprint by now, GoneError where it is not there any more,
        AlreadyThereError where a new one has the key of another item.
        """

    def find_outcome(self, sent: SentChange) -> ChangeOutcome:
        """Return what became of a change."""


def name_branch(proposal_id: str) -> str:
    """Return the name of the branch of a proposal: the same at each attempt."""
    return f"footnote/change-{proposal_id[:12]}"
