"""Questions to begin with, made of what somebody may read: titles, types, dates and headings, by rules.

Deterministic, so that a person who may read the same finds the same questions.
"""

import re
from collections.abc import Callable, Iterator

from django.db.models import F, Min

from core.models import Document
from core.models.row_security import reading
from core.retrieval.permitted import permitted_chunks
from core.types import Audience, Filters

_LOOKED_AT = 60  # documents, the newest; more would not make better questions
_MOST_HEADINGS = 400
_LONGEST_TITLE = 60  # characters; a longer name makes a question that nobody reads
_LONGEST_QUESTION = 120
_HEADING = range(4, 50)  # characters of a heading that can stand in a question
_NUMBERED = re.compile(r"^(?:(?:chapter|section|part)\s+[\dIVX]+|\d[\d.]*)[.):]?\s+", re.IGNORECASE)
# Headings that say how a text is made, and not what it is about.
_OF_FORM = re.compile(
    r"(?:abstract|acknowledge?ments|appendix|attendance|background|bibliography|conclusions?|contents|footnotes|index"
    r"|introduction|notes|overview|preface|references|summary|title)\b",
    re.IGNORECASE,
)
_OF_A_MONTH = {
    Document.Type.MINUTES: "What was decided in the {month} minutes?",
    Document.Type.STATEMENT: "What does the {month} statement say?",
}
_ABOUT = {
    Document.Type.PAPER: "What does the paper “{title}” find?",
    Document.Type.REPORT: "What are the main points of “{title}”?",
}


def suggested_questions(audience: Audience, *, limit: int) -> tuple[str, ...]:
    """At most `limit` different questions, of documents as different as there are; see core.api."""
    newest = list(
        Document.objects.visible_to(audience)
        .order_by(F("document_date").desc(nulls_last=True), "title", "pk")
        .only("title", "document_type", "document_date", "collection_id")[:_LOOKED_AT]
    )
    if not newest:
        return ()
    headings = _headings(audience, newest)
    chosen: dict[str, None] = {}
    for document in _varied(newest):
        if len(chosen) >= limit:
            break
        question = _question(document, headings.get(document.pk, []))
        if question:
            chosen.setdefault(question)
    return tuple(chosen)


def _varied(documents: list[Document]) -> Iterator[Document]:
    """The documents, the first of each collection and type before the second of any."""
    turns: dict[tuple[object, str], int] = {}

    def turn(document: Document) -> int:
        kind = (document.collection_id, document.document_type)
        turns[kind] = turns.get(kind, -1) + 1
        return turns[kind]

    yield from sorted(documents, key=turn)


def _headings(audience: Audience, documents: list[Document]) -> dict[object, list[str]]:
    """The first headings of documents, each once, of chunks that the audience may read."""
    found: dict[object, list[str]] = {}
    chunks = permitted_chunks(audience, Filters()).filter(document__in=[document.pk for document in documents])
    placed = chunks.exclude(section_title="").order_by().values("document_id", "section_title")
    with reading(audience):
        for row in placed.annotate(first=Min("chunk_index")).order_by("first", "section_title")[:_MOST_HEADINGS]:
            found.setdefault(row["document_id"], []).append(row["section_title"])
    return found


def _question(document: Document, headings: list[str]) -> str:
    """A question that the document can be expected to answer; empty when nothing of it makes one."""
    kinds: tuple[Callable[[Document, list[str]], str], ...] = (_asked_by_itself, _of_its_month, _of_a_section, _of_all)
    for kind in kinds:
        question = kind(document, headings)
        if question and len(question) <= _LONGEST_QUESTION:
            return question
    return ""


def _asked_by_itself(_: Document, headings: list[str]) -> str:
    """A heading that is a question."""
    asked = (_NUMBERED.sub("", heading).strip() for heading in headings if heading.rstrip().endswith("?"))
    return next((heading for heading in asked if len(heading.split()) > 2), "")


def _of_its_month(document: Document, _: list[str]) -> str:
    wording = _OF_A_MONTH.get(Document.Type(document.document_type))
    if not wording or not document.document_date:
        return ""
    return wording.format(month=f"{document.document_date:%B %Y}")


def _of_a_section(document: Document, headings: list[str]) -> str:
    if len(document.title) > _LONGEST_TITLE:
        return ""
    for heading in headings:
        topic = _NUMBERED.sub("", heading).strip(" .:")
        if len(topic) in _HEADING and not _OF_FORM.match(topic) and topic.casefold() not in document.title.casefold():
            return f"What does “{document.title}” say about “{topic}”?"
    return ""


def _of_all(document: Document, _: list[str]) -> str:
    if len(document.title) > _LONGEST_TITLE:
        return ""
    wording = _ABOUT.get(Document.Type(document.document_type), "What does “{title}” say?")
    return wording.format(title=document.title)
