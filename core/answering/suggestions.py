"""Questions to begin with: made by rules of what somebody may read, and kept only where the library answers them.

Deterministic, so that a person who may read the same finds the same questions.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from uuid import UUID

from django.db.models import F, Min

from core.answering.answerability import would_be_answered
from core.models import Document
from core.models.row_security import as_audience
from core.nlp.headings import drop_number
from core.retrieval.access_filter import select_permitted_chunks
from core.types import Audience, Filters

_LOOKED_AT = 60  # documents, the newest; more would not make better questions
_MOST_HEADINGS = 400
_OF_A_DOCUMENT = 3  # questions that are tried
_MOST_TRIED = 40  # questions in all; each takes some hundredths of a second
_LONGEST_TITLE = 60  # characters; a longer name makes a question that nobody reads
_LONGEST_QUESTION = 120
_HEADING = range(4, 50)  # characters of a heading that can stand in a question
# Headings that say how a text is made, and not what it is about.
_OF_FORM = re.compile(
    r"(?:abstract|acknowledge?ments|appendix|attendance|background|bibliography|conclusions?|contents|exercises"
    r"|footnotes|index|introduction|notes|overview|participants|preface|references|summary|title)\b",
    re.IGNORECASE,
)
_OF_A_MONTH = {
    Document.Type.MINUTES: "What do the {month} minutes say about {topic}?",
    Document.Type.STATEMENT: "What does the {month} statement say about {topic}?",
}


def suggested_questions(audience: Audience, *, limit: int) -> tuple[str, ...]:
    """At most `limit` questions that the library answers, of documents as different as there are; see core.api."""
    is_answered = partial(would_be_answered, audience=audience, filters=Filters())
    chosen: dict[str, UUID] = {}
    for question, document_id in islice(candidates(audience), _MOST_TRIED):
        if len(chosen) == limit:
            break
        if document_id not in chosen.values() and question not in chosen and is_answered(question):
            chosen[question] = document_id
    return tuple(chosen)


def candidates(audience: Audience) -> Iterator[tuple[str, UUID]]:
    """Questions and the documents they are made of: those of each collection and type before the next of any."""
    newest = list(
        Document.objects.visible_to(audience)
        .order_by(F("document_date").desc(nulls_last=True), "title", "pk")
        .only("title", "document_type", "document_date", "collection_id")[:_LOOKED_AT]
    )
    headings = _headings(audience, newest) if newest else {}
    for document in _vary_documents(newest):
        headed = headings.get(document.pk, [])
        in_general = _in_general(document)
        for question in islice((*questions_about(document, headed), *in_general), _OF_A_DOCUMENT):
            yield question, document.pk


def _vary_documents(documents: list[Document]) -> list[Document]:
    """The documents, the first of each collection and type before the second of any."""
    turns: dict[tuple[UUID, str], int] = {}

    def turn(document: Document) -> int:
        kind = (document.collection_id, document.document_type)
        turns[kind] = turns.get(kind, -1) + 1
        return turns[kind]

    return sorted(documents, key=turn)


def _headings(audience: Audience, documents: list[Document]) -> dict[UUID, list[str]]:
    """The first headings of documents, each once, of chunks that the audience may read."""
    found: dict[UUID, list[str]] = {}
    chunks = select_permitted_chunks(audience, Filters()).filter(document__in=[document.pk for document in documents])
    placed = chunks.exclude(section_title="").order_by().values("document_id", "section_title")
    with as_audience(audience):
        for row in placed.annotate(first=Min("chunk_index")).order_by("first", "section_title")[:_MOST_HEADINGS]:
            found.setdefault(row["document_id"], []).append(row["section_title"])
    return found


def questions_about(document: Document, headings: Iterable[str]) -> Iterator[str]:
    """Questions that the sections of a document with these headings may answer: those that ask, then about the rest."""
    plain = [drop_number(heading.rpartition(" > ")[2]).strip() for heading in headings]
    asked = [heading for heading in plain if heading.endswith("?") and len(heading.split()) > 2]
    topics = [topic for topic in (heading.strip(" .:?") for heading in plain) if _is_topic(topic, document)]
    wording = _OF_A_MONTH.get(Document.Type(document.document_type))
    made: list[str] = []
    if wording and document.document_date:
        made = [wording.format(month=f"{document.document_date:%B %Y}", topic=f"“{topic}”") for topic in topics]
    elif len(document.title) <= _LONGEST_TITLE:
        made = [f"What is said about “{topic}” in “{document.title}”?" for topic in topics]
    yield from (question for question in (*asked, *made) if len(question) <= _LONGEST_QUESTION)


def _in_general(document: Document) -> list[str]:
    """A question about a whole document, unless it is known by its month, or its name is too long for one."""
    is_known_by_month = document.document_type in _OF_A_MONTH and document.document_date
    fits = not is_known_by_month and len(document.title) <= _LONGEST_TITLE
    return [f"What does “{document.title}” say?"] if fits else []


def _is_topic(heading: str, document: Document) -> bool:
    """Whether a heading says what its section is about, and not what the document is called."""
    is_named = heading.casefold() in document.title.casefold()
    return len(heading) in _HEADING and not _OF_FORM.match(heading) and not is_named
