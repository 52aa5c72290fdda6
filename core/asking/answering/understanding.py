"""Understand a question: the filters that it names, and the searches that it takes.

A filter that was given always stands. One that the question names is used only when the audience may read something
that it leaves: else it is as if the question had not named it, whether there is nothing or nothing for this audience.
"""

import calendar
import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from core.language.query_understanding.choices import drop_choice
from core.language.query_understanding.plain import make_plain
from core.language.query_understanding.reading import read
from core.language.query_understanding.values import Choices, Kind, Reading, SubQuery, SubQuestion, Understood
from core.library.retrieval.catalogue import Catalogue, CatalogueEntry, Span
from core.models import Document
from core.types import Audience, Filters

WIDE = {Kind.COMPARE, Kind.CHANGE, Kind.BROAD}
TIMES_AS_MANY = 2  # passages for a question that needs several sources
OF_WHOLE = 3  # times as many for a document as a whole, of which each is one part
MOST_PASSAGES = 12
MAX_SUB_QUERIES = 4
PERIODS = 3  # into which the dates of documents are divided for a broad question
FEWEST_DATES = 4  # of documents, from which they are


def understand(question: str, *, given: Filters, audience: Audience, today: dt.date) -> Understood:
    """Return the filters and searches of a question that stands alone. today: what "last year" is counted from."""
    written = make_plain(question)
    reading = read(written, today=today)
    catalogue = Catalogue(audience)
    filters, choices = _apply_named_filters(reading, given, catalogue)
    whole = None if reading.sub_questions or choices else _find_whole(reading, filters, catalogue)
    if whole and not filters.source:
        filters = replace(filters, source=whole.title)
    times = OF_WHOLE if whole else TIMES_AS_MANY if reading.kind in WIDE or reading.sub_questions else 1
    narrowed = filters != given and reading.date_from == filters.date_from and reading.date_to == filters.date_to
    chosen = drop_choice(written) if filters != given else written
    query = chosen if chosen != written or not (narrowed and reading.dates_certain) else reading.remaining
    named = _put_titles(reading, filters, catalogue)
    return Understood(
        question=question,
        bare=named(chosen),
        reading=reading,
        filters=filters,
        sub_queries=(SubQuery(query=query, filters=filters),)
        if whole
        else _make_sub_queries(named(reading.topic or query), reading, filters, catalogue, today),
        limit=min(given.max_results * times, MOST_PASSAGES),
        diversify=reading.kind in {Kind.BROAD, Kind.CHANGE} and not reading.sub_questions,
        whole=whole.pk if whole else None,
        newest=reading.current and not (filters.date_from or filters.date_to),
        choices=choices,
    )


def _find_whole(reading: Reading, filters: Filters, catalogue: Catalogue) -> CatalogueEntry | None:
    """Return the document that a question asks about as a whole, if it names one.

    A date that only may be the document's, as in "the circular of April 2025", counts where its words name none alone.
    """
    if not reading.whole:
        return None
    if named := catalogue.find_named(reading.whole, filters):
        return named
    if filters.date_from or filters.date_to or not (reading.date_from or reading.date_to):
        return None
    dated = replace(filters, date_from=reading.date_from, date_to=reading.date_to)
    return catalogue.find_named(reading.whole, dated)


def widen(understood: Understood, given: Filters) -> Understood | None:
    """Return a question without the kind of document that its words were taken for; None where they were for none.

    "The paper on rents" may be what minutes tell of.
    """
    wide = replace(understood.filters, document_type=given.document_type, collection=given.collection)
    if wide == understood.filters or understood.whole:
        return None
    searches = tuple(
        replace(one, filters=replace(one.filters, document_type=given.document_type, collection=given.collection))
        for one in understood.sub_queries
    )
    return replace(understood, filters=wide, sub_queries=searches)


def _put_titles(reading: Reading, filters: Filters, catalogue: Catalogue) -> Callable[[str], str]:
    """Put the title of a paper in the place of its arXiv id: passages repeat the one, and not the other."""
    ids = [selector.value for selector in reading.selectors if selector.kind == "arxiv"]
    title = catalogue.title(filters) if ids == [filters.source] else ""
    return lambda text: text.replace(filters.source, f"“{title}”") if title else text


def understand_selection(question: str, *, given: Filters, today: dt.date) -> Understood:
    """Return the search of a question about selected text, which no filter narrows."""
    written = make_plain(question)
    filters = Filters(max_results=given.max_results)
    return Understood(
        question=question,
        bare=written,
        reading=read(written, today=today),
        filters=filters,
        sub_queries=(SubQuery(query=written, filters=filters),),
        limit=filters.max_results,
    )


def _apply_named_filters(reading: Reading, given: Filters, catalogue: Catalogue) -> tuple[Filters, Choices]:
    """Return the filters with those that the question names for certain, as many of them as leave something to read.

    And the months among which the question does not choose, when it names one without its year.
    """
    kind = _find_type(reading) if reading.types_certain and not given.document_type else {}
    documents = [selector.value for selector in reading.selectors if selector.kind in {"arxiv", "title"}]
    place = {"source": documents[0]} if len(documents) == 1 and not given.source else {}
    dated = bool(given.date_from or given.date_to)
    dates: dict[str, Any] = {}
    if reading.dates_certain and not dated:
        dates = {"date_from": reading.date_from, "date_to": reading.date_to}
    filters = _find_first_that_holds(
        given, (place | kind | dates, place | dates, place | kind, place, dates, kind), catalogue
    )
    if dated or dates:
        return filters, {}
    if reading.latest and (newest := catalogue.newest(filters)):
        return replace(filters, date_from=newest, date_to=newest), {}
    if reading.month:
        return _narrow_to_month(reading.month, filters, catalogue)
    return filters, {}


def _narrow_to_month(month: int, filters: Filters, catalogue: Catalogue) -> tuple[Filters, Choices]:
    months = catalogue.months(month, filters)
    if len(months) != 1:
        return filters, months
    [first] = months
    last = first.replace(day=calendar.monthrange(first.year, month)[1])
    return replace(filters, date_from=first, date_to=last), {}


def _find_first_that_holds(given: Filters, named: Iterable[dict[str, Any]], catalogue: Catalogue) -> Filters:
    tried: list[dict[str, Any]] = []
    for changes in named:
        if not changes or changes in tried:
            continue
        tried.append(changes)
        narrowed = replace(given, **changes)
        if catalogue.holds(narrowed):
            return narrowed
    return given


def _find_type(reading: Reading) -> dict[str, Any]:
    """Return the one kind of document that the question names, as a filter.

    The library knows no handbooks but as a shelf.
    """
    if len(reading.document_types) != 1:
        return {}
    [named] = reading.document_types
    return {"document_type": named} if named in Document.Type.values else {"collection": named}


def _make_sub_queries(
    query: str, reading: Reading, filters: Filters, catalogue: Catalogue, today: dt.date
) -> tuple[SubQuery, ...]:
    """Return the searches: one for each sub-question and one for the whole question; what is preferred goes first."""
    whole = SubQuery(query=query, filters=filters)
    if reading.sub_questions:
        parts = [
            SubQuery(query=part.query, filters=_narrow_filters(part, filters, catalogue, today))
            for part in reading.sub_questions
        ]
        return (*parts, whole)[:MAX_SUB_QUERIES]
    preferred = _prefer_named(reading, filters, catalogue)
    if preferred:
        return SubQuery(query=query, filters=preferred, preferred=True), whole
    if reading.kind in {Kind.BROAD, Kind.CHANGE} and filters.document_type:
        span = catalogue.span(filters)
        if span and span.days >= FEWEST_DATES:
            periods = _divide_into_periods(filters, span)
            return (*(SubQuery(query=query, filters=period) for period in periods), whole)
    return (whole,)


def _narrow_filters(part: SubQuestion, filters: Filters, catalogue: Catalogue, today: dt.date) -> Filters:
    """Return the filters narrowed by the time and the kind of document of one sub-question."""
    if part.is_question:
        return _prefer_named(read(part.query, today=today), filters, catalogue) or filters
    changes: dict[str, Any] = {}
    if (part.date_from or part.date_to) and not (filters.date_from or filters.date_to):
        changes = {"date_from": part.date_from, "date_to": part.date_to}
    if part.document_type in Document.Type.values and not filters.document_type:
        changes["document_type"] = part.document_type
    return _find_first_that_holds(filters, (changes,), catalogue)


def _prefer_named(reading: Reading, filters: Filters, catalogue: Catalogue) -> Filters | None:
    """Return the filters narrowed by what the question names without saying that it means the documents.

    None for nothing.
    """
    changes: dict[str, Any] = {}
    if (reading.date_from or reading.date_to) and not reading.dates_certain:
        changes |= {"date_from": reading.date_from, "date_to": reading.date_to}
    if filters.date_from or filters.date_to:
        changes = {}
    if not reading.types_certain and not filters.document_type and not filters.collection:
        changes |= _find_type(reading)
    for selector in reading.selectors:
        if selector.kind == "chapter" and not filters.chapter:
            changes["chapter"] = f"chapter {selector.value}"
        elif selector.kind == "section" and not filters.section:
            changes["section"] = selector.value
        elif selector.kind == "page":
            changes["page"] = int(selector.value)
    narrowed = _find_first_that_holds(
        filters, (changes, *({name: value} for name, value in changes.items())), catalogue
    )
    return narrowed if narrowed != filters else None


def _divide_into_periods(filters: Filters, span: Span) -> list[Filters]:
    """Return filters for stretches of the same length, into which the dates of documents are divided."""
    length = (span.last - span.first) / PERIODS
    starts = [span.first + length * number for number in range(PERIODS)]
    ends = [start - dt.timedelta(days=1) for start in starts[1:]] + [span.last]
    return [replace(filters, date_from=start, date_to=end) for start, end in zip(starts, ends, strict=True)]
