"""Suggest questions to begin with: made by rules of what somebody may read, and kept where the library answers them.

Deterministic, so that a person who may read the same finds the same questions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from itertools import islice
from uuid import UUID

from django.db.models import Count, F

from core.asking.suggestions.answerability import would_be_answered
from core.asking.suggestions.phrasing import Phrased, Sort, name_topic, name_with_article, phrase
from core.asking.verification.same_question import asks_the_same
from core.language.nlp.dates import MONTHS, find_dates
from core.language.nlp.headings import drop_number, is_of_form
from core.library.retrieval.access_filter import select_permitted_chunks
from core.models import Document
from core.models.row_security import as_audience
from core.types import Audience, Filters

_LOOKED_AT = 60  # documents, the newest; more would not make better questions
_MOST_HEADINGS = 400
_OF_A_DOCUMENT = 3  # questions that are tried
_MOST_TRIED = 40  # questions in all; each takes some hundredths of a second
_LONGEST_TITLE = 80  # characters; a longer name makes a question that nobody reads
_LONGEST_QUESTION = 120
_READ_WHOLE = 75  # characters that are shown of a question; a longer one is offered where there is no other
# What is known by its month, and by the words of whoever met.
_OF_MEETINGS = (Document.Type.MINUTES, Document.Type.STATEMENT)
_WHO_MET = re.compile(r"\b(?:Assembly|Board|Cabinet|Commission|Committee|Council|Senate)\b")
_OF_A_VOTE = re.compile(r"vot(?:es?|ing)\b", re.IGNORECASE)
_DECIDED = re.compile(r"(?:policy )?(?:decisions?|actions?)\b", re.IGNORECASE)  # what the first question asks about
_OF_RULES = re.compile(r"\b(?:handbook|policy|policies|regulations?|rules?)\b", re.IGNORECASE)
# A title that ends with what kind of document it is takes an article: the Visitor Guide.
_WITH_ARTICLE = re.compile(
    r"\b(?:catalogue|charter|checklist|guide|guidelines|handbook|manual|playbook|policy|regulations|report|rules)\Z",
    re.IGNORECASE,
)
_PLURAL = re.compile(r"\b(?:guidelines|regulations|rules)\Z", re.IGNORECASE)  # of a title with an article
_HAS_ARTICLE = re.compile(r"(?:the|an?|our|your|my) ", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A section of a document, as far as a question is made of it."""

    path: str  # its heading and those above it, as they are stored
    text: str  # the first words of it

    @property
    def heading(self) -> str:
        """Return its own heading."""
        return self.path.rpartition(" > ")[2]


def suggested_questions(audience: Audience, *, limit: int) -> tuple[str, ...]:
    """Return at most `limit` questions that the library answers, of documents as different as there are; see core.api.

    Those that begin as others do come after those that do not: four times "What is ... about?" shows little. So do
    those that are too long to be read whole.
    """
    is_answered = partial(would_be_answered, audience=audience, filters=Filters())
    chosen: dict[str, UUID] = {}
    openings: set[str] = set()
    later: list[tuple[str, UUID]] = []
    for question, document_id in islice(candidates(audience), _MOST_TRIED):
        if len(chosen) == limit:
            break
        if document_id in chosen.values() or is_repeated(question, chosen):
            continue
        if _name_opening(question) in openings or len(question) > _READ_WHOLE:
            later.append((question, document_id))
        elif is_answered(question):
            chosen[question] = document_id
            openings.add(_name_opening(question))
    for question, document_id in later:
        if len(chosen) == limit:
            break
        if document_id not in chosen.values() and not is_repeated(question, chosen) and is_answered(question):
            chosen[question] = document_id
    return tuple(chosen)


def _name_opening(question: str) -> str:
    """Return a question's form: its first two words, and whether it is about a document as a whole."""
    return f"{' '.join(question.split()[:2])} {question.endswith(' about?')}"


def candidates(audience: Audience) -> Iterator[tuple[str, UUID]]:
    """Yield questions and the documents they are made of: those of each collection and type before the next of any.

    Guides that are asked last come last: a newcomer's first question is about their own work, not about the program.
    """
    newest = list(
        Document.objects.visible_to(audience)
        .select_related("collection")
        .order_by("collection__is_asked_last", F("document_date").desc(nulls_last=True), "title", "pk")
        .only("title", "document_type", "document_date", "collection__name", "collection__is_asked_last")[:_LOOKED_AT]
    )
    sections = _read_sections(audience, newest) if newest else {}
    shared = find_shared(audience, [section for some in sections.values() for section in some])
    for document in _vary_documents(newest):
        asked = questions_about(document, sections.get(document.pk, []), shared=shared)
        for question in islice(dict.fromkeys((*asked, *ask_in_general(document))), _OF_A_DOCUMENT):
            yield question, document.pk


def is_repeated(question: str, chosen: Iterable[str]) -> bool:
    """Return True if one of the chosen questions asks for the same, in whatever words."""
    return any(question == other or asks_the_same(question, other) for other in chosen)


def _vary_documents(documents: list[Document]) -> list[Document]:
    """Return the documents, the first of each collection and type before the second.

    What is asked last after all others.
    """
    turns: dict[tuple[UUID, str], int] = {}

    def turn(document: Document) -> tuple[bool, int]:
        kind = (document.collection_id, document.document_type)
        turns[kind] = turns.get(kind, -1) + 1
        return document.collection.is_asked_last, turns[kind]

    return sorted(documents, key=turn)


def _read_sections(audience: Audience, documents: list[Document]) -> dict[UUID, list[Section]]:
    """Return the first sections of documents, each once, of chunks that the audience may read."""
    found: dict[UUID, list[Section]] = {}
    chunks = select_permitted_chunks(audience, Filters()).filter(document__in=[document.pk for document in documents])
    first = chunks.order_by("document_id", "section_title", "chunk_index").distinct("document_id", "section_title")
    begun = chunks.filter(pk__in=first.values("pk")).order_by("chunk_index", "section_title")
    with as_audience(audience):
        for document_id, path, text in begun.values_list("document_id", "section_title", "content")[:_MOST_HEADINGS]:
            found.setdefault(document_id, []).append(Section(path=path, text=text))
    return found


def find_shared(audience: Audience, sections: Iterable[Section]) -> frozenset[str]:
    """Return the headings, folded, that more than one document has of those that the audience may read."""
    paths = {section.path: _fold_heading(section.heading) for section in sections if section.path}
    permitted = select_permitted_chunks(audience, Filters()).filter(section_title__in=paths)
    counted = permitted.order_by().values("section_title").annotate(documents=Count("document", distinct=True))
    holders: Counter[str] = Counter()
    with as_audience(audience):
        for path, documents in counted.values_list("section_title", "documents"):
            holders[paths[path]] += documents
    return frozenset(heading for heading, documents in holders.items() if documents > 1)


def questions_about(document: Document, sections: Iterable[Section], *, shared: Set[str]) -> Iterator[str]:
    """Yield questions that sections of a document answer, those first that most people would ask.

    shared: headings that other documents have as well (find_shared): asked about these, the document is named.
    """
    known = list(sections)
    if document.document_type in _OF_MEETINGS and document.document_date:
        made = _ask_about_meeting(document, known)
    elif document.document_type == Document.Type.PAPER:
        phrased = (phrase(section.heading, section.text) for section in known)
        made = [*(one.question for one in phrased if one and one.sort is Sort.ASKED), *ask_in_general(document)]
    else:
        made = _ask_about_sections(document, known, shared)
    yield from (question for question in dict.fromkeys(made) if len(question) <= _LONGEST_QUESTION)


def _ask_about_sections(document: Document, sections: list[Section], shared: Set[str]) -> list[str]:
    is_of_rules = bool(_OF_RULES.search(f"{document.title} {document.collection.name}"))
    defines = document.document_type == Document.Type.BOOK
    made: list[tuple[tuple[bool, Sort], str]] = []
    for section in sections:
        one = phrase(section.heading, section.text, is_of_rules=is_of_rules, defines=defines)
        repeats_title = drop_number(section.heading).strip(" .:").casefold() in document.title.casefold()
        if one is None or repeats_title:  # which names no section's subject
            continue
        is_named = one.is_vague or _fold_heading(section.heading) in shared
        question = _name_document(one, section, document) if is_named else one.question
        if question:
            made.append(((is_named, one.sort), question))
    return [question for _, question in sorted(made, key=lambda each: each[0])]


def _name_document(one: Phrased, section: Section, document: Document) -> str:
    """Return the question with its document; nothing where the document's name is too long for one."""
    name = name_of(document)
    if len(name) > _LONGEST_TITLE:
        return ""
    if one.sort in (Sort.LOOKED_UP, Sort.ABOUT):
        does = "do" if _PLURAL.search(name) else "does"
        return f"What {does} {name} say about {name_with_article(name_topic(section.heading, section.text))}?"
    return f"{one.question.rstrip('?')}, according to {name}?"


def _ask_about_meeting(document: Document, sections: list[Section]) -> list[str]:
    month, text = _find_month(document), " ".join((document.title, *(section.text for section in sections)))
    met = Counter(_WHO_MET.findall(text)).most_common(1)
    decided = f"What did the {met[0][0]} decide in {month}?" if met else f"What was decided in {month}?"
    who = f"the {met[0][0]}" if met else "the meeting"
    says = f"do the {month} minutes say" if document.document_type == Document.Type.MINUTES else ""
    says = says or f"does the {month} statement say"
    made = [decided]
    for section in sections:
        topic = name_topic(section.heading, section.text)
        if _OF_A_VOTE.match(topic):
            made.append(f"How did {who} vote in {month}?")
        elif topic and not _DECIDED.match(topic):
            made.append(f"What {says} about {name_with_article(topic)}?")
    return made


def _find_month(document: Document) -> str:
    """Return the month that a document about a meeting is known by: that of its title, for minutes appear later."""
    named = [date for date in find_dates(document.title) if date.year and date.month]
    if len(named) == 1:
        return f"{MONTHS[named[0].month - 1]} {named[0].year}"
    return f"{document.document_date:%B %Y}"


def ask_in_general(document: Document) -> list[str]:
    """Return a question about a whole document, unless it is known by its month, or its name is too long for one."""
    is_known_by_month = document.document_type in _OF_MEETINGS and document.document_date
    title = _shorten_title(document.title)
    if is_known_by_month or len(title) > _LONGEST_TITLE or is_of_form(title):
        return []
    kind = "the paper " if document.document_type == Document.Type.PAPER else ""
    name = name_of(document)
    return [f"What {'are' if _PLURAL.search(name) else 'is'} {kind}{name} about?"]


def name_of(document: Document) -> str:
    """Return a document's name within a sentence: the Visitor Guide, “Foundations of Retrieval”."""
    title = _shorten_title(document.title)
    if _WITH_ARTICLE.search(title) and not _HAS_ARTICLE.match(title):
        return f"the {title}"
    return f"“{title}”"


def _shorten_title(title: str) -> str:
    """Shorten a title at its colon, if the part before it is a name by itself."""
    name = title.partition(": ")[0]
    return name if len(name.split()) > 1 or len(title) > _LONGEST_TITLE else title


def _fold_heading(heading: str) -> str:
    return drop_number(heading).strip(" .:?").casefold()
