"""List the documents that an audience may read, and no others, in order to understand a question, and describe one.

The description beside a title (authors, the file it came as, its citation in full) follows from the document alone. It
does not reveal that another one has the same title.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min, QuerySet, Value

from core.language.nlp.text import content_stems, one_line
from core.language.query_understanding.whole import read_name
from core.library.retrieval.access_filter import (
    narrows_chunks,
    narrows_documents,
    select_permitted_chunks,
    select_permitted_documents,
)
from core.models import Document
from core.models.querysets import DocumentQuerySet
from core.models.row_security import as_audience
from core.types import Audience, Edition, Filters
from core.values.document_names import find_file_name, name_authors

# What is written about a meeting, and dated by it.
OF_MEETINGS = (Document.Type.MINUTES, Document.Type.STATEMENT)

MOST_OF_A_NAME = 50  # documents whose titles are read: what fits more of them names none

_LONGEST_AUTHORS = 300  # characters; some papers have thousands of authors
_LONGEST_NAME = 300
_LONGEST_CITATION = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class CatalogueEntry:
    """A document of the library, as far as a name is held against it."""

    pk: UUID
    title: str
    document_type: str
    collection: str
    date: dt.date | None

    @property
    def stems(self) -> frozenset[str]:
        """The words of its title."""
        return frozenset(content_stems(self.title))

    @property
    def stems_of_kind(self) -> frozenset[str]:
        """The words that say what kind of document it is."""
        return self.stems.union(content_stems(f"{self.document_type} {self.collection}"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The dates of some documents."""

    first: dt.date
    last: dt.date
    days: int  # how many different dates there are


class Catalogue:
    """The documents of one audience, as far as questions name them. Nothing else of the library changes an answer."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience

    def holds(self, filters: Filters) -> bool:
        """Return True if the audience may read anything that the filters leave."""
        return bool(self.list_held([filters]))

    def list_held(self, several: Iterable[Filters]) -> set[Filters]:
        """Return those of some filters that leave something that the audience may read."""
        asked = list(several)
        on_chunks = [filters for filters in asked if narrows_chunks(filters)]
        held = _find_non_empty([select_permitted_documents(self._audience, filters) for filters in asked])
        left = {asked[number] for number in held}
        if not left.intersection(on_chunks):
            return left
        with as_audience(self._audience):
            found = _find_non_empty([select_permitted_chunks(self._audience, filters) for filters in on_chunks])
        return left - set(on_chunks) | (left & {on_chunks[number] for number in found})

    def title(self, filters: Filters) -> str:
        """Return the title of the one document that the filters leave; nothing when they leave several."""
        titles = list(self._select_documents(filters).values_list("title", flat=True)[:2])
        return titles[0] if len(titles) == 1 else ""

    def find_named(self, words: str, filters: Filters) -> CatalogueEntry | None:
        """Return the one document that some words name as a whole, among those that the filters leave; None for no one.

        Its title has all of the words but those for a kind of document, and its title, type or collection the kind
        that is said. One word alone names it where another says that a document is meant: "the travel rules". Words for
        a kind alone name what filters of documents leave, if that is one. Of several with one title, it is the newest.
        One that is called just so goes before those that are called so and more.
        """
        # An arXiv id, or a title that was chosen, has become a filter: it names a document by itself.
        told = words.replace(filters.source, " ") if filters.source else words
        name = read_name(told, is_dated=bool(filters.date_from or filters.date_to))
        if told == words and not (len(name.own) > 1 or (name.has_kind and (name.own or narrows_documents(filters)))):
            return None
        documents = self._select_documents(filters)
        for word in name.own:
            documents = documents.filter(title__icontains=word)
        columns = ("pk", "title", "document_type", "collection__name", "document_date")
        found = [
            CatalogueEntry(pk=pk, title=title, document_type=kind, collection=collection, date=date)
            for pk, title, kind, collection, date in documents.values_list(*columns)[: MOST_OF_A_NAME + 1]
        ]
        if len(found) > MOST_OF_A_NAME:
            return None
        own, kinds = set(content_stems(" ".join(name.own))), set(content_stems(" ".join(name.types)))
        if len(name.own) == 1:  # "art" is no word of "Starting"
            found = [one for one in found if own <= one.stems]
        found = [one for one in found if kinds <= one.stems_of_kind]
        found = [one for one in found if one.stems == set(content_stems(told))] or found
        if len({one.title.casefold() for one in found}) != 1:
            return None
        return max(found, key=lambda one: (one.date or dt.date.min, one.pk))

    def newest(self, filters: Filters) -> dt.date | None:
        """Return the latest date of documents; without a kind of document, of those about meetings."""
        newest: dt.date | None = self._select_dated(filters).aggregate(newest=Max("document_date"))["newest"]
        return newest

    def months(self, month: int, filters: Filters) -> dict[dt.date, Edition]:
        """The first days of the months of that number of which there are documents, newest first, and one of each."""
        dated = self._select_dated(filters).filter(document_date__month=month).order_by("-document_date")
        found: dict[dt.date, Edition] = {}
        for date, pk, version in dated.values_list("document_date", "pk", "version"):
            if date:
                found.setdefault(date.replace(day=1), Edition(pk, version))
        return found

    def span(self, filters: Filters) -> Span | None:
        """From when to when documents are dated; None when none is."""
        found = self._select_documents(filters).aggregate(
            first=Min("document_date"), last=Max("document_date"), days=Count("document_date", distinct=True)
        )
        return Span(**found) if found["first"] else None

    def _select_documents(self, filters: Filters) -> DocumentQuerySet:
        """Select whole documents: who may read a restricted section of one is not told that there are two."""
        return select_permitted_documents(self._audience, filters).whole()

    def _select_dated(self, filters: Filters) -> DocumentQuerySet:
        documents = self._select_documents(filters)
        return documents if filters.document_type else documents.filter(document_type__in=OF_MEETINGS)


def _find_non_empty(querysets: Sequence[QuerySet[Any]]) -> set[int]:
    """Return the numbers of those that have a row, in one query for all."""
    if not querysets:
        return set()
    first, *others = [
        rows.order_by().annotate(which=Value(number)).values_list("which", flat=True)[:1]
        for number, rows in enumerate(querysets)
    ]
    return set(first.union(*others, all=True) if others else first)


def describe_document(document: Document) -> dict[str, str]:
    """Return the fields of core.types.PlacedText that describe a document."""
    stated = name_authors(document.metadata.get("authors")) or name_authors(document.metadata.get("author"))
    authors = _shorten_text(stated, _LONGEST_AUTHORS)
    file_name = _shorten_text(find_file_name(document.source, document.original_name), _LONGEST_NAME)
    full_citation = document.full_citation or _cite_in_full(document, authors, file_name)
    return {
        "authors": authors,
        "file_name": file_name,
        "full_citation": _shorten_text(one_line(full_citation), _LONGEST_CITATION),
    }


def _cite_in_full(document: Document, authors: str, file_name: str) -> str:
    """Cite what is known of a document that states no citation: "Authors (2024-03-20). Title. report.pdf".

    Without authors the title takes their place before the date, as in the APA's style.
    """
    title = document.title.rstrip(".")
    date = f"({document.document_date.isoformat()})" if document.document_date else ""
    by = " ".join(part for part in (authors or title, date) if part)
    return ". ".join(part for part in (by, title if authors else "", file_name) if part)


def _shorten_text(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rpartition(" ")[0] + "…"
