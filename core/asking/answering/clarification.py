"""Ask back which of several is meant, where a question does not say. Sparing: an answer with sources is better.

What is offered comes from documents that the audience may read, and from nothing else. Options are in English in every
language, because the one that is chosen becomes a part of the question, which is read by English rules.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.asking.answering.series import family
from core.asking.reading.readings import Read
from core.language.i18n.translation import say, translatable
from core.language.nlp.answer_types import DEGREES
from core.language.nlp.text import content_stems, words_of
from core.language.query_understanding.values import Kind, Understood
from core.library.retrieval.catalogue import OF_MEETINGS
from core.models import Document
from core.types import Audience, Edition, Filters, Passage

MOST_OPTIONS = 4
NEAR = 0.05  # of the best similarity: passages this near to it fit as well as the best
NOTHING_BEFORE = translatable("I cannot tell what this refers to. Please ask in full, and name what you mean.")
_WHICH = translatable("Which of these do you mean?")
_BULLET = "• "

_THE_MEETING = re.compile(r"\b(?:at|in|during|of|after|before|from)\s+the\s+(?:\w+\s+)?meeting\b", re.IGNORECASE)
# One thing that happened, of which a library may hold the reports of several.
_THE_EVENT = re.compile(
    r"\bthe\s+(?:\w+\s+)?(?:accident|incident|crash|inspection|audit|trial|flight|case|event)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<!^)(?<![.?!]\s)\b[A-Z][\w-]+")
# One thing among others of its kind, "the deadline", "it": of which documents may each have their own. Decision 0093.
_ONE_THING = re.compile(
    r"\b(?:the|that|this)\s+(?!(?:most|next|last|first|current|latest|newest)\b)\w|\bit\b", re.IGNORECASE
)
_NAMED = re.compile(r"(?<!^)\b[A-Z]\w|\d")
# "How old was the pilot" names the pilot alone; "when is the boiler inspected" says more of the one boiler.
_HOW = re.compile(rf"\bhow (?:{DEGREES})\b", re.IGNORECASE)
_MOST_STEMS = 1  # beside that, of a question that says nothing further of the thing
_RIVAL_WITHIN = 1.5  # logits: of passages whose logits are this near, none is read to answer better
_RIVAL_FROM = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class AskBack:
    """A question to the person, and the editions whose titles or dates it names."""

    message: str
    named: tuple[Edition, ...] = ()


def options_in(message: str) -> tuple[str, ...]:
    """Return the options that a message offered."""
    return tuple(line.removeprefix(_BULLET) for line in message.splitlines() if line.startswith(_BULLET))


def which_month(understood: Understood) -> AskBack | None:
    """Ask which year's month is meant, where documents of several are there."""
    if not understood.choices:
        return None
    offered = dict(list(understood.choices.items())[:MOST_OPTIONS])
    options = tuple(f"{month:%B %Y}" for month in offered)
    return AskBack(message=_write_message(say(_WHICH), options), named=tuple(offered.values()))


def which_document(
    understood: Understood, passages: Sequence[Passage], *, given: Filters, audience: Audience
) -> AskBack | None:
    """Ask which meeting or event is meant, where the best passages are of several and none is named.

    Only for one thing ("the meeting", "the accident") of a question without dates, places or filters.
    """
    reading = understood.reading
    is_narrow = given != Filters(collections=given.collections, max_results=given.max_results)
    if reading.kind != Kind.SINGLE or understood.filters != given or is_narrow or reading.selectors:
        return None
    if reading.date_from or reading.date_to or len(understood.sub_queries) > 1:
        return None
    near = [p for p in passages if p.document_id and p.similarity >= passages[0].similarity - NEAR]
    if _THE_MEETING.search(understood.question):
        return _which_meeting(p for p in near if p.document_type in OF_MEETINGS)
    if not _THE_EVENT.search(understood.question) or _names_one(understood.question, near):
        return None
    return _which_event(near, audience)


def find_rivals(typed: str, understood: Understood, passages: Sequence[Passage], *, read: Read) -> tuple[Passage, ...]:
    """Return the passages that answer equally well of different things, the best one of each document; or none.

    Only for a question that says no more of a thing than its kind: "how old was the pilot", where three reports have a
    pilot each. Passages with the same answer are no rivals. typed: the question as it was typed.
    """
    reading = understood.reading
    if reading.kind != Kind.SINGLE or reading.date_from or reading.date_to or reading.selectors or understood.newest:
        return ()
    is_bare = _ONE_THING.search(typed) and len(content_stems(_HOW.sub("", typed))) <= _MOST_STEMS
    if not is_bare or _NAMED.search(typed) or len(understood.sub_queries) > 1 or understood.whole:
        return ()
    readings = read(understood.bare, [(passage.source, passage.content) for passage in passages])
    found = [
        (one, passage) for one, passage in zip(readings, passages, strict=True) if one and one.answers >= _RIVAL_FROM
    ]
    found.sort(key=lambda pair: -pair[0].answers)
    best: dict[object, tuple[str, Passage]] = {}
    for one, passage in found:
        if one.answers >= found[0][0].answers - _RIVAL_WITHIN and (spans := one.best):
            said = " ".join(words_of(passage.content[spans[0].start : spans[0].end].casefold()))
            best.setdefault(passage.document_id, (said, passage))
    return tuple(passage for _, passage in best.values()) if len({said for said, _ in best.values()}) > 1 else ()


def narrow_to(passage: Passage, understood: Understood, audience: Audience) -> Understood:
    """Return a question as one that is asked of the passage's document alone."""
    readable = Document.objects.visible_to(audience).filter(pk__in=[passage.document_id])
    source = readable.values_list("source", flat=True).first()
    searches = tuple(
        replace(search, filters=replace(search.filters, source=source or "")) for search in understood.sub_queries
    )
    return replace(understood, sub_queries=searches)


def which_source(rivals: Sequence[Passage], audience: Audience) -> AskBack | None:
    """Ask in which document the thing is meant that several answer for, where their titles differ."""
    pks = [passage.document_id for passage in rivals[:MOST_OPTIONS] if passage.document_id]
    readable = {document.pk: document for document in Document.objects.visible_to(audience).filter(pk__in=pks)}
    documents = [readable[pk] for pk in pks if pk in readable]
    return _ask_among(documents)


def _names_one(question: str, passages: Sequence[Passage]) -> bool:
    """Return True if the question has a name ("the accident in Elyria") that is not in the titles of all that fit."""
    names = _NAME.findall(question)
    return any(name not in passage.document_name for name in names for passage in passages)


def _which_meeting(passages: Iterable[Passage]) -> AskBack | None:
    """Ask by dates, the newest first, when what was written about several meetings fits as well."""
    by_date: dict[dt.date, list[Edition]] = {}
    for passage in passages:
        if passage.document_date and passage.edition:
            by_date.setdefault(passage.document_date, []).append(passage.edition)
    offered = sorted(by_date.items(), reverse=True)[:MOST_OPTIONS]
    if len(offered) < 2:
        return None
    return AskBack(
        message=_write_message(say("Which meeting do you mean?"), [f"{date:%-d %B %Y}" for date, _ in offered]),
        named=tuple(edition for _, editions in offered for edition in editions),
    )


def _which_event(passages: Sequence[Passage], audience: Audience) -> AskBack | None:
    """Ask by titles, when reports of one series fit as well and each has a label of its own."""
    pks = {passage.document_id for passage in passages}
    documents = list(Document.objects.visible_to(audience).filter(pk__in=pks).order_by("title", "source"))
    if len({family(document.title) for document in documents}) != 1 or not 2 <= len(documents) <= MOST_OPTIONS:
        return None
    return _ask_among(documents)


def _ask_among(documents: Sequence[Document]) -> AskBack | None:
    """Ask which of some documents is meant; None for fewer than two, and where their labels do not tell them apart."""
    labels = [_label_document(document, documents) for document in documents]
    if len(documents) < 2 or len(set(labels)) < len(labels):
        return None
    return AskBack(message=_write_message(say(_WHICH), labels), named=tuple(document.edition for document in documents))


def _label_document(document: Document, others: Sequence[Document]) -> str:
    """Return a document's title, with its date or else by the name of its file where others have the same title."""
    same = [other for other in others if other.title == document.title]
    if len(same) == 1:
        return f"“{document.title}”"
    if document.document_date and len({other.document_date for other in same}) == len(same):
        return f"{document.document_date:%-d %B %Y}, “{document.title}”"
    return f"“{(document.source_url or document.source).rstrip('/').rpartition('/')[2]}”"


def _write_message(question: str, options: Sequence[str]) -> str:
    return "\n".join([question, *(f"{_BULLET}{option}" for option in options[:MOST_OPTIONS])])
