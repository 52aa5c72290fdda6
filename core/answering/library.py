"""What may be learned of the library in order to understand a question: of what the audience may read, and no more."""

import datetime as dt
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Max, Min

from core.models import Document
from core.models.querysets import DocumentQuerySet
from core.models.row_security import reading
from core.retrieval.permitted import narrows_chunks, permitted_chunks, permitted_documents
from core.text import content_stems, words_of
from core.types import Audience, Filters

# What is written about a meeting, and dated by it.
OF_MEETINGS = (Document.Type.MINUTES, Document.Type.STATEMENT)


MOST_WORDS_OF_TITLE = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """The dates of some documents."""

    first: dt.date
    last: dt.date
    days: int  # how many different dates there are


class Library:
    """The documents of one audience, as far as questions name them. Nothing else of the library changes an answer."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience

    def holds(self, filters: Filters) -> bool:
        """Whether the audience may read anything that the filters leave."""
        if not self._documents(filters).exists():
            return False
        if not narrows_chunks(filters):
            return True
        with reading(self._audience):
            return permitted_chunks(self._audience, filters).exists()

    def title(self, filters: Filters) -> str:
        """The title of the one document that the filters leave; nothing when they leave several."""
        titles = list(self._documents(filters).values_list("title", flat=True)[:2])
        return titles[0] if len(titles) == 1 else ""

    def titled(self, words: str, filters: Filters) -> str:
        """The title of the one document whose title has all of the words, at least two; nothing where several have."""
        documents = self._documents(filters)
        named = [word for word in words_of(words) if content_stems(word)][:MOST_WORDS_OF_TITLE]
        for word in named:
            documents = documents.filter(title__icontains=word)
        titles = list(documents.values_list("title", flat=True)[:2]) if len(named) > 1 else []
        return titles[0] if len(titles) == 1 else ""

    def newest(self, filters: Filters) -> dt.date | None:
        """The latest date of documents; without a kind of document, of those about meetings."""
        newest: dt.date | None = self._dated(filters).aggregate(newest=Max("document_date"))["newest"]
        return newest

    def months(self, month: int, filters: Filters) -> dict[dt.date, UUID]:
        """The first days of the months of that number of which there are documents, newest first, and one of each."""
        dated = self._dated(filters).filter(document_date__month=month).order_by("-document_date")
        found: dict[dt.date, UUID] = {}
        for date, pk in dated.values_list("document_date", "pk"):
            if date:
                found.setdefault(date.replace(day=1), pk)
        return found

    def span(self, filters: Filters) -> Span | None:
        """From when to when documents are dated; None when none is."""
        found = self._documents(filters).aggregate(
            first=Min("document_date"), last=Max("document_date"), days=Count("document_date", distinct=True)
        )
        return Span(**found) if found["first"] else None

    def _documents(self, filters: Filters) -> DocumentQuerySet:
        return permitted_documents(self._audience, filters)

    def _dated(self, filters: Filters) -> DocumentQuerySet:
        documents = self._documents(filters)
        return documents if filters.document_type else documents.filter(document_type__in=OF_MEETINGS)
