"""Detect a clause that obliges where its source only allows. Pure."""

import re
from collections.abc import Sequence

from core.asking.verification.clauses import Clause

_OBLIGES = re.compile(
    r"\b(?:must|shall|mandatory|obligatory|compulsory|obliged|obligations?|requir(?:e|es|ed|ing|ements?)|needs?|needed"
    r"|necessary|essential|ha(?:ve|s|d) to|never|always|cannot|may not|should|responsib\w+|only|make sure|be sure"
    r"|ensure|important)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|shall|mandatory|obligatory|compulsory|obliged|required to|ha(?:ve|s) to)\b", re.IGNORECASE
)
_MODAL = re.compile(r"\b(?:must|shall|may|might|can|could|should|ought|required|mandatory|optional)\b", re.IGNORECASE)


def has_modality(text: str) -> bool:
    """Return True if a text has a word such as must, may or can."""
    return bool(_MODAL.search(text))


def obliges_more(said: Clause, quoted: Sequence[Clause]) -> bool:
    """True when a clause says that something must be, and what it is about says nothing of the kind.

    quoted: the clauses and sentences of the source that it is about.
    """
    if not _MUST.search(said.text):
        return False
    return not any(_OBLIGES.search(part.text) for part in quoted)
