"""Select an audience's documents and chunks under filters: as querysets, and as counts for the planner."""

import re
from functools import lru_cache
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, F, Func, Q, Sum, UUIDField, Value

from core.language.nlp.written_numbers import SMALL
from core.models import Chunk, Document
from core.models.querysets import ChunkQuerySet, DocumentQuerySet
from core.models.row_security import as_bits
from core.models.versions import Versions
from core.types import Audience, Filters

# Documents that are given to a query by their ids, with which an index finds their chunks; more are given as bits, by
# which all chunks are looked at. Of a large library that is worth it only for readers of much: of five million chunks
# it took over 5 s, and the index 0.1 s for a hundredth of them.
_MOST_LISTED = 2_000
_MOST_LISTED_OF_LARGE = 20_000  # where they hold at most that share of the library:
_SMALL_SHARE = 0.1
_NUMBERED = re.compile(r"(?:chapter|chap\.?|ch\.?)[\s#]*+(?P<number>\d{1,3}|[a-z]{1,9})", re.IGNORECASE)
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()  # noqa: SIM905
_NUMBERS = {word: value for word, value in SMALL.items() if value} | {
    numeral: value for value, numeral in enumerate(_ROMAN, start=1)
}


def select_permitted_chunks(audience: Audience, filters: Filters) -> ChunkQuerySet:
    """Return the chunks that the audience may read, narrowed by the filters inside the same query."""
    return Chunk.objects.visible_to(audience).filter(_of_documents(filters) & _on_chunks(filters))


def candidate_chunks(audience: Audience, filters: Filters, versions: Versions) -> ChunkQuerySet:
    """As select_permitted_chunks, for the search for candidates, which are read by it afterwards.

    Of an audience with many role sets the documents are kept, until grants change, and given to the query as they are:
    a dozen subqueries, each over all that a role set may read, take PostgreSQL a hundred times as long.
    """
    if len(audience.role_sets) == 1:
        return select_permitted_chunks(audience, filters)
    listed = _list_documents(audience, versions)
    if listed is not None:
        ids = Value(list(listed), output_field=ArrayField(UUIDField()))
        chunks = Chunk.objects.filter(_IsAnyOf(F("document_id"), ids))
    else:
        chunks = Chunk.objects.filter(_IsAmong(F("document_number"), Value(_readable_bits(audience, versions))))
    return chunks.filter(_of_documents(filters) & _on_chunks(filters))


class _IsAnyOf(Func):
    """Test if a value is in an array, passed as one parameter of any length. An index can be used."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()


class _IsAmong(Func):
    """Test if a number's bit is set in a string of bits, which is short for very many documents."""

    function = "footnote_is_among"
    output_field = BooleanField()


def select_permitted_documents(audience: Audience, filters: Filters) -> DocumentQuerySet:
    """Return the documents that the audience may read, narrowed by those filters that speak of documents."""
    return Document.objects.visible_to(audience).filter(_on_documents(filters, ""))


def collect_permitted_bits(audience: Audience, filters: Filters, versions: Versions) -> bytes:
    """Return the numbers of select_permitted_documents as a string of bits (core.models.row_security.as_bits).

    Without filters of documents it is kept until grants or chunks change.
    """
    if narrows_documents(filters):
        return as_bits(select_permitted_documents(audience, filters).order_by().values_list("number", flat=True))
    return _readable_bits(audience, versions)


def narrows_documents(filters: Filters) -> bool:
    """Return True if some documents are left out."""
    return bool(_on_documents(filters, ""))


def narrows_chunks(filters: Filters) -> bool:
    """Return True if some chunks of a document are left out, and not the whole document."""
    return bool(_on_chunks(filters))


def count_permitted(audience: Audience, filters: Filters, versions: Versions) -> int:
    """Count the chunks of select_permitted_documents; under a filter of chunks, the most there can be.

    Without filters it is kept by audience for as long as neither grants nor chunks change.
    """
    if narrows_documents(filters):
        return _chunks_of(select_permitted_documents(audience, filters))
    return _count_readable(audience, versions)


@lru_cache(maxsize=8)
def count_all(versions: Versions) -> int:
    """Count all chunks of the library. Only the planner uses it."""
    return _chunks_of(Document.objects.all())


@lru_cache(maxsize=128)
def _list_documents(audience: Audience, versions: Versions) -> tuple[UUID, ...] | None:
    """Return the ids of the documents that the audience may read; None when they are too many to be listed."""
    is_small = _count_readable(audience, versions) <= _SMALL_SHARE * count_all(versions)
    most = _MOST_LISTED_OF_LARGE if is_small else _MOST_LISTED
    ids = Document.objects.visible_to(audience).order_by().values_list("pk", flat=True)[: most + 1]
    return tuple(ids) if len(ids) <= most else None


@lru_cache(maxsize=1024)
def _readable_bits(audience: Audience, versions: Versions) -> bytes:
    return as_bits(Document.objects.visible_to(audience).order_by().values_list("number", flat=True))


@lru_cache(maxsize=1024)
def _count_readable(audience: Audience, versions: Versions) -> int:
    return _chunks_of(Document.objects.visible_to(audience))


def _chunks_of(documents: DocumentQuerySet) -> int:
    return documents.aggregate(chunks=Sum("chunk_count", default=0))["chunks"] or 0


def _of_documents(filters: Filters) -> Q:
    return _on_documents(filters, "document__")


def _on_documents(filters: Filters, prefix: str) -> Q:
    narrowed = Q()
    if filters.source:
        narrowed &= (
            Q(**{f"{prefix}title__icontains": filters.source})
            | Q(**{f"{prefix}source_url__icontains": filters.source})
            | Q(**{f"{prefix}source__icontains": filters.source})
            | Q(**{f"{prefix}arxiv_id__iexact": filters.source})
        )
    if filters.document_type:
        narrowed &= Q(**{f"{prefix}document_type": filters.document_type})
    if filters.collection:
        narrowed &= Q(**{f"{prefix}collection__name__iexact": filters.collection})
    if filters.collections:
        narrowed &= Q(**{f"{prefix}collection__name__in": filters.collections})
    if filters.date_from:
        narrowed &= Q(**{f"{prefix}document_date__gte": filters.date_from})
    if filters.date_to:
        narrowed &= Q(**{f"{prefix}document_date__lte": filters.date_to})
    return narrowed


def _on_chunks(filters: Filters) -> Q:
    narrowed = Q()
    if filters.chapter:
        narrowed &= _of_chapter(filters.chapter)
    if filters.section:
        narrowed &= Q(section_title__icontains=filters.section)
    if filters.page is not None:
        narrowed &= Q(page_number__in=(filters.page - 1, filters.page))
    return narrowed


def _of_chapter(chapter: str) -> Q:
    """Select by the words of a chapter's heading, or by its number: "Chapter 2", "ch. 2", "Chapter Two", "chapter ii".

    Books give the number in the heading, at whatever level, or keep each chapter's pages in a folder of their own:
    there the page's heading is the chapter that is known of it.
    """
    asked = _NUMBERED.fullmatch(chapter.strip())
    number = _read_number(asked["number"]) if asked else 0
    if not number:
        return Q(chapter_name__icontains=chapter)
    forms = "|".join((rf"0*{number}", *(form for form, value in _NUMBERS.items() if value == number)))
    heading = rf"(^|> *)chapter[ .:#-]*({forms})($|[^[:alnum:]])"
    folder = rf"(^|/)(chapter|chap|ch)[ ._-]*({forms})([^/[:alnum:]][^/]*)?/"
    return (
        Q(chapter_name__iregex=heading)
        | Q(section_title__iregex=heading)
        | Q(chapter_name__iregex=rf"^0*{number}[.:)]? +[^[:digit:]]")
        | Q(document__source__iregex=folder)
    )


def _read_number(written: str) -> int:
    return int(written) if written.isdecimal() else _NUMBERS.get(written.casefold(), 0)
