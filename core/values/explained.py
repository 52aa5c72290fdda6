"""Explain a question's answer to one viewer, as values. Pure."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from core.types import Answer, ReadableCollection, Refusal


class LeftOut(StrEnum):
    """The reason for which a written statement is not in the answer, in as few kinds as a reader needs."""

    QUOTE = "quote"  # it had none, or one that does not occur in the passage, or proves nothing
    FIGURES = "figures"  # a number, date, name or address in it is not the one in its quote
    CONTRADICTED = "contradicted"  # its quote says the opposite
    BEYOND_QUOTE = "beyond_quote"  # it says more than its quote, or something else
    FORM = "form"  # it repeats another one, or cannot be one sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadPassage:
    """A passage that was read for a question."""

    document_id: UUID
    document_name: str
    document_date: dt.date | None
    chapter: str
    section: str
    page_number: int | None
    address: str  # where it is opened; empty where there is no address
    is_quoted: bool  # by the answer; or it is among the passages that are shown as the closest


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The explanation of a question for one viewer. It shows what they may read now, and no more."""

    result: Answer | Refusal
    question: str  # as it was typed
    understood: str  # as it was searched for; empty where that is as it was typed
    collections: tuple[ReadableCollection, ...]  # that the viewer may read and the filters leave
    passages: tuple[ReadPassage, ...]  # that were read, the quoted ones first
    left_out: tuple[tuple[LeftOut, int], ...]  # statements that were written and left out, the most first
    is_at_limit: bool  # as many passages were read as a question gets
    receipt_at: str = ""  # the address of its signed receipt, which its asker can take; empty where there is none

    @property
    def quoted(self) -> tuple[ReadPassage, ...]:
        """The passages that are quoted."""
        return tuple(passage for passage in self.passages if passage.is_quoted)
