"""What a question asks for: which filters it names, and which searches it takes.

A filter that was given always stands. One that the question names is used only when the audience may read something
that it leaves: else it is as if the question had not named it, whether there is nothing or nothing for this audience.
"""

import calendar
import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from core.answering.library import Library, Span
from core.models import Document
from core.query_understanding.cues import without_choice
from core.query_understanding.plain import plain
from core.query_understanding.reading import read
from core.query_understanding.values import Kind, Reading, Side
from core.types import Audience, Filters

Choices = dict[dt.date, UUID]  # first days of months, and a document of each

WIDE = {Kind.COMPARE, Kind.CHANGE, Kind.BROAD}
TIMES_AS_MANY = 2  # passages for a question that needs several sources
OF_WHOLE = 3  # times as many for a document as a whole, of which each is one part
MOST_PASSAGES = 12
MOST_ASPECTS = 4
PERIODS = 3  # into which the dates of documents are divided for a broad question
FEWEST_DATES = 4  # of documents, from which they are


@dataclass(frozen=True, kw_only=True, slots=True)
class Aspect:
    """One search of those that a question takes."""

    query: str
    filters: Filters
    preferred: bool = False  # its passages go before the others'


@dataclass(frozen=True, kw_only=True, slots=True)
class Understood:
    """A question as it will be answered."""

    question: str  # stands alone
    bare: str  # in plain words, without the document that was chosen when Footnote asked back: the filters hold that
    reading: Reading
    filters: Filters  # as applied
    aspects: tuple[Aspect, ...]  # 1 to MOST_ASPECTS
    limit: int  # passages over all aspects
    spread: bool = False  # one passage of each document before the second of any
    whole: UUID | None = None  # the one document that is asked about as a whole
    newest: bool = False  # of several documents of a series the newest
    choices: Choices = field(default_factory=dict)  # months among which the question does not choose


def understand(question: str, *, given: Filters, audience: Audience, today: dt.date) -> Understood:
    """What a question that stands alone asks for. today: what "last year" is counted from."""
    written = plain(question)
    reading = read(written, today=today)
    library = Library(audience)
    filters, choices = _applied(reading, given, library)
    whole = library.named(reading.whole, filters) if reading.whole and not (reading.sides or choices) else None
    if whole and not filters.source:
        filters = replace(filters, source=whole.title)
    times = OF_WHOLE if whole else TIMES_AS_MANY if reading.kind in WIDE or reading.sides else 1
    narrowed = filters != given and reading.date_from == filters.date_from and reading.date_to == filters.date_to
    chosen = without_choice(written) if filters != given else written
    query = chosen if chosen != written or not (narrowed and reading.dates_certain) else reading.remaining
    named = _titled(reading, filters, library)
    return Understood(
        question=question,
        bare=named(chosen),
        reading=reading,
        filters=filters,
        aspects=(Aspect(query=query, filters=filters),)
        if whole
        else _aspects(named(reading.topic or query), reading, filters, library, today),
        limit=min(given.max_results * times, MOST_PASSAGES),
        spread=reading.kind in {Kind.BROAD, Kind.CHANGE} and not reading.sides,
        whole=whole.pk if whole else None,
        newest=reading.current and not (filters.date_from or filters.date_to),
        choices=choices,
    )


def _titled(reading: Reading, filters: Filters, library: Library) -> Callable[[str], str]:
    """Puts the title of a paper in the place of its arXiv id: passages repeat the one, and not the other."""
    ids = [selector.value for selector in reading.selectors if selector.kind == "arxiv"]
    title = library.title(filters) if ids == [filters.source] else ""
    return lambda text: text.replace(filters.source, f"“{title}”") if title else text


def understand_selection(question: str, *, given: Filters, today: dt.date) -> Understood:
    """What a question about selected text asks for: filters narrow no selected text."""
    filters = Filters(max_results=given.max_results)
    return Understood(
        question=question,
        bare=plain(question),
        reading=read(plain(question), today=today),
        filters=filters,
        aspects=(Aspect(query=plain(question), filters=filters),),
        limit=filters.max_results,
    )


def _applied(reading: Reading, given: Filters, library: Library) -> tuple[Filters, Choices]:
    """The filters with those that the question names for certain, as many of them as leave something to read.

    And the months among which the question does not choose, when it names one without its year.
    """
    kind = _type(reading) if reading.types_certain and not given.document_type else {}
    place = _document_named(reading) if not given.source else {}
    dated = bool(given.date_from or given.date_to)
    dates: dict[str, Any] = {}
    if reading.dates_certain and not dated:
        dates = {"date_from": reading.date_from, "date_to": reading.date_to}
    filters = _first_that_holds(given, (place | kind | dates, place | dates, place | kind, place, dates, kind), library)
    if dated or dates:
        return filters, {}
    if reading.latest and (newest := library.newest(filters)):
        return replace(filters, date_from=newest, date_to=newest), {}
    if reading.month:
        return _in_month(reading.month, filters, library)
    return filters, {}


def _in_month(month: int, filters: Filters, library: Library) -> tuple[Filters, Choices]:
    months = library.months(month, filters)
    if len(months) != 1:
        return filters, months
    [first] = months
    last = first.replace(day=calendar.monthrange(first.year, month)[1])
    return replace(filters, date_from=first, date_to=last), {}


def _first_that_holds(given: Filters, named: Iterable[dict[str, Any]], library: Library) -> Filters:
    tried: list[dict[str, Any]] = []
    for changes in named:
        if not changes or changes in tried:
            continue
        tried.append(changes)
        narrowed = replace(given, **changes)
        if library.holds(narrowed):
            return narrowed
    return given


def _type(reading: Reading) -> dict[str, Any]:
    """The one kind of document that the question names, as a filter; the library knows no handbooks but as a shelf."""
    if len(reading.document_types) != 1:
        return {}
    [named] = reading.document_types
    return {"document_type": named} if named in Document.Type.values else {"collection": named}


def _document_named(reading: Reading) -> dict[str, Any]:
    named = [selector.value for selector in reading.selectors if selector.kind in {"arxiv", "title"}]
    return {"source": named[0]} if len(named) == 1 else {}


def _aspects(query: str, reading: Reading, filters: Filters, library: Library, today: dt.date) -> tuple[Aspect, ...]:
    """The searches: one for each side, and for the whole question; what is only preferred before what is not."""
    whole = Aspect(query=query, filters=filters)
    if reading.sides:
        return (*_sides(reading, filters, library, today), whole)[:MOST_ASPECTS]
    preferred = _preferred(reading, filters, library)
    if preferred:
        return Aspect(query=query, filters=preferred, preferred=True), whole
    if reading.kind in {Kind.BROAD, Kind.CHANGE} and filters.document_type:
        span = library.span(filters)
        if span and span.days >= FEWEST_DATES:
            periods = _divided(filters, span)
            return (*(Aspect(query=query, filters=period) for period in periods), whole)
    return (whole,)


def _sides(reading: Reading, filters: Filters, library: Library, today: dt.date) -> list[Aspect]:
    return [Aspect(query=side.query, filters=_of_side(side, filters, library, today)) for side in reading.sides]


def _of_side(side: Side, filters: Filters, library: Library, today: dt.date) -> Filters:
    """The filters narrowed by the time and the kind of document of one side."""
    if side.is_question:
        return _preferred(read(side.query, today=today), filters, library) or filters
    changes: dict[str, Any] = {}
    if (side.date_from or side.date_to) and not (filters.date_from or filters.date_to):
        changes = {"date_from": side.date_from, "date_to": side.date_to}
    if side.document_type in Document.Type.values and not filters.document_type:
        changes["document_type"] = side.document_type
    return _first_that_holds(filters, (changes,), library)


def _preferred(reading: Reading, filters: Filters, library: Library) -> Filters | None:
    """The filters narrowed by what the question names without saying that it means the documents; None for nothing."""
    changes: dict[str, Any] = {}
    if (reading.date_from or reading.date_to) and not reading.dates_certain:
        changes |= {"date_from": reading.date_from, "date_to": reading.date_to}
    if filters.date_from or filters.date_to:
        changes = {}
    if not reading.types_certain and not filters.document_type and not filters.collection:
        changes |= _type(reading)
    for selector in reading.selectors:
        if selector.kind == "chapter" and not filters.chapter:
            changes["chapter"] = f"chapter {selector.value}"
        elif selector.kind == "section" and not filters.section:
            changes["section"] = selector.value
    narrowed = _first_that_holds(filters, (changes, *({name: value} for name, value in changes.items())), library)
    return narrowed if narrowed != filters else None


def _divided(filters: Filters, span: Span) -> list[Filters]:
    """The filters for each of some stretches of the same length, into which the dates of documents are divided."""
    length = (span.last - span.first) / PERIODS
    starts = [span.first + length * number for number in range(PERIODS)]
    ends = [start - dt.timedelta(days=1) for start in starts[1:]] + [span.last]
    return [replace(filters, date_from=start, date_to=end) for start, end in zip(starts, ends, strict=True)]
