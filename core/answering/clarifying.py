"""Asking back which of several is meant, where a question does not say. Sparing: an answer with sources is better.

What is offered comes from documents that the audience may read, and from nothing else.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from core.answering.library import OF_MEETINGS
from core.answering.understanding import Understood
from core.questions.values import Kind
from core.types import Filters, Passage

MOST_OPTIONS = 4
NEAR = 0.05  # of the best similarity: passages this near to it fit as well as the best
NOTHING_BEFORE = "I cannot tell what this refers to. Please ask in full, with the name of what you mean."
_BULLET = "• "

_THE_MEETING = re.compile(r"\b(?:at|in|during|of|after|before|from)\s+the\s+(?:\w+\s+)?meeting\b", re.IGNORECASE)
# One thing that happened, of which a library may hold the reports of several.
_THE_EVENT = re.compile(
    r"\bthe\s+(?:\w+\s+)?(?:accident|incident|crash|inspection|audit|trial|flight|case|event)\b", re.IGNORECASE
)
_CHANGING = re.compile(
    r"[\d\W_]+|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class AskBack:
    """A question to the person, and the documents whose titles or dates it names."""

    message: str
    documents: tuple[UUID, ...] = ()


def options_in(message: str) -> tuple[str, ...]:
    """The options that a message offered."""
    return tuple(line.removeprefix(_BULLET) for line in message.splitlines() if line.startswith(_BULLET))


def which_month(understood: Understood) -> AskBack | None:
    """Which year's month is meant, when documents of several are there."""
    if not understood.choices:
        return None
    offered = dict(list(understood.choices.items())[:MOST_OPTIONS])
    options = tuple(f"{month:%B %Y}" for month in offered)
    return AskBack(message=_message("Which of these do you mean?", options), documents=tuple(offered.values()))


def which_document(understood: Understood, passages: Sequence[Passage], given: Filters) -> AskBack | None:
    """Which meeting or event is meant, when the best passages are of several and the question names none.

    Only for one thing ("the meeting", "the accident") of a question without dates, places or filters.
    """
    reading = understood.reading
    if reading.kind != Kind.SINGLE or understood.filters != given or _is_narrow(given) or reading.selectors:
        return None
    if reading.date_from or reading.date_to or len(understood.aspects) > 1:
        return None
    best = [p for p in passages if p.document_id and p.similarity >= passages[0].similarity - NEAR]
    if _THE_MEETING.search(understood.question):
        return _ask("Which meeting do you mean?", [p for p in best if p.document_type in OF_MEETINGS], by_date=True)
    if _THE_EVENT.search(understood.question):
        return _ask("Which of these do you mean?", best, by_date=False)
    return None


def _is_narrow(filters: Filters) -> bool:
    return filters != Filters(max_results=filters.max_results)


def _ask(question: str, passages: Sequence[Passage], *, by_date: bool) -> AskBack | None:
    """Ask which of the documents that the passages are of, where they are of one family and can be told apart."""
    documents = {p.document_id: p for p in passages if p.document_id}
    if not by_date and len({_family(p.document_name) for p in documents.values()}) != 1:
        return None
    labels: dict[str, list[UUID]] = {}
    for pk, passage in documents.items():
        label = _label(passage, list(documents.values()), by_date=by_date)
        labels.setdefault(label, []).append(pk)
    labels.pop("", None)
    if len(labels) < 2 or (not by_date and len(labels) < len(documents)):
        return None
    offered = dict(list(labels.items())[:MOST_OPTIONS])
    named = tuple(pk for pks in offered.values() for pk in pks)
    return AskBack(message=_message(question, tuple(offered)), documents=named)


def _label(passage: Passage, others: Sequence[Passage], *, by_date: bool) -> str:
    """The date of a document, its title, or where titles are the same the name of its file; empty for none of them."""
    date = f"{passage.document_date:%-d %B %Y}" if passage.document_date else ""
    if by_date:
        return date
    same = [other for other in others if other.document_name == passage.document_name]
    if len(same) == 1:
        return f"“{passage.document_name}”"
    if date and len({other.document_date for other in same}) == len(same):
        return f"{date}, “{passage.document_name}”"
    name = passage.source_url.rstrip("/").rpartition("/")[2]
    return f"“{name}”" if name else ""


def _family(title: str) -> str:
    """A title without numbers and dates, which the titles of one series share."""
    return " ".join(_CHANGING.sub(" ", title).casefold().split())


def _message(question: str, options: Sequence[str]) -> str:
    return "\n".join([question, *(f"{_BULLET}{option}" for option in options[:MOST_OPTIONS])])
