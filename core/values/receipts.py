"""The parts of a signed receipt of an answer, by the names under which a receipt holds them, and a receipt as issued.

Each numbered part belongs to the quote of that number: quote_2, readers_2 and file_2 are of the second quote.
"""

import datetime as dt
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.types import Answer, Refusal

# The parts that whoever takes a receipt may leave out of it, and what they are called. Their digests stay in it, so
# that it can be verified without them.
OPTIONAL = {
    "question": "The question",
    "asked_by": "Who asked, and who takes this receipt",
    "origin": "Where it was asked",
    "model": "The model",
    "confidence": "How sure the answer was",
    "verified": "Who verified the answer",
    "files": "Hashes of the documents' files",
    "readers": "Roles that could read the documents",
}
# What goes with a part that is left out. A name that ends in "_" stands for all parts of that kind.
LEFT_OUT_WITH: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "understood", "selected_text"),
    "asked_by": ("asked_by", "asked_by_name", "issued_to_name"),
    "verified": ("verified", "verified_by_name"),
    "files": ("file_",),
    "readers": ("readers_", "audience"),
}


def is_left_out(name: str, left_out: frozenset[str]) -> bool:
    """Return True if a part goes with those that are left out. left_out: keys of OPTIONAL."""
    return any(
        name.startswith(part) if part.endswith("_") else name == part
        for chosen in left_out
        for part in LEFT_OUT_WITH.get(chosen, (chosen,))
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ReceiptPreview:
    """Holds what a receipt would be of, for whoever is about to take it."""

    request_id: str
    question: str
    result: Answer | Refusal  # as they may see it now
    asked_at: dt.datetime
    is_own: bool
    can_leave_out: Mapping[str, str]  # of OPTIONAL, what would be in it
    key: str  # the thumbprint of the key that would sign


@dataclass(frozen=True, kw_only=True, slots=True)
class IssuedReceipt:
    """Holds a receipt that was issued, and what is withheld in it."""

    request_id: str
    content: Mapping[str, Any]  # an SD-JWT in JSON, RFC 9901
    key: str  # the thumbprint of the key that it is signed with, RFC 7638
    withheld: tuple[str, ...]  # names of the parts whose digest alone it holds
    is_late: bool  # the answer was recorded before receipts, and sealed when this or an earlier one was issued

    @property
    def file_name(self) -> str:
        """The name of the file that it is saved as."""
        return f"receipt-{self.request_id}.json"

    def write(self) -> str:
        """Write the file."""
        return json.dumps(self.content, indent=1)
