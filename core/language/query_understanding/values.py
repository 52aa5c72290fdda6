"""Hold what is read out of a question, and how it will be answered: its filters and the searches that it takes."""

import datetime as dt
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from core.language.nlp.dates import MONTHS
from core.types import Edition, Filters

Choices = dict[dt.date, Edition]  # first days of months, and a document of each


class Kind(StrEnum):
    """The kinds of questions, by what is done with their passages."""

    SINGLE = "single"  # one fact or explanation
    COMPARE = "compare"  # two things beside each other
    CHANGE = "change"  # one thing at two times
    BROAD = "broad"  # what is said about a topic
    LIST = "list"  # several things of one sort


class Precision(StrEnum):
    """The lengths of time that a date may name."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, kw_only=True, slots=True)
class DateMention:
    """One date in a text. A month without a year has no first and last day."""

    start: int  # offsets into the text, in characters
    end: int
    first: dt.date | None
    last: dt.date | None
    precision: Precision
    month: int | None = None  # 1..12, where a single month or day is named


@dataclass(frozen=True, kw_only=True, slots=True)
class Period:
    """A stretch of time that a text names with one date or two: "in 2024", "since March", "between May and July"."""

    start: int  # offsets into the text, the words before the date ("since", "between") included
    end: int
    relation: str  # in, since, after, before, until, between
    first: dt.date | None  # None: open, or a month without a year
    last: dt.date | None
    mentions: tuple[DateMention, ...]  # one, or both ends

    @property
    def precision(self) -> Precision:
        """That of the date named last."""
        return self.mentions[-1].precision

    @property
    def is_yearless(self) -> bool:
        """Return True if it is a month of no known year."""
        return self.first is None and self.last is None


@dataclass(frozen=True, kw_only=True, slots=True)
class SubQuestion:
    """One of the things or times that a question sets beside another, or one of the questions that it joins."""

    query: str  # words to search with, which stand alone
    label: str  # as the question names it
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    document_type: str = ""
    is_question: bool = False  # one of those that are joined

    def is_of_its_time(self, date: dt.date | None, text: str) -> bool:
        """Return True if a text of a document of that date may tell of the time that is asked about.

        June's minutes tell of May where they name it: a date in the time, or one of its months or years in the text. A
        document without a date may tell of any.
        """
        first, last = self.date_from, self.date_to
        if date is None or not (first or last) or (first or date) <= date <= (last or date):
            return True
        is_month = first and last and (first.year, first.month) == (last.year, last.month)
        names = [MONTHS[first.month - 1]] if first and is_month else [str(end.year) for end in (first, last) if end]
        return any(name in text for name in names)


@dataclass(frozen=True, kw_only=True, slots=True)
class Selector:
    """A place that a question names: a document by arXiv id or title, or a page, chapter or section by number."""

    kind: str  # title, arxiv, page, chapter, section
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """Holds what a question says of itself. Nothing of it is certain to fit the library: the caller has to check."""

    text: str
    kind: Kind
    sub_questions: tuple[SubQuestion, ...] = ()  # none, or two and more
    date_from: dt.date | None = None
    date_to: dt.date | None = None
    month: int | None = None  # 1..12: documents of that month, whose year is not said
    dates_certain: bool = False  # the dates speak of the documents; else they may be what the documents speak of
    document_types: tuple[str, ...] = ()  # of core.language.nlp.document_types.SPOKEN
    types_certain: bool = False
    selectors: tuple[Selector, ...] = ()
    latest: bool = False  # of the newest such document
    remaining: str = ""  # the question without the words that became dates and types
    topic: str = ""  # what an overview is about, where the question is one for it
    whole: str = ""  # words that may be a document's title, where it asks about that as a whole
    current: bool = False  # of how things stand now: the newest of several documents of a series says it
    future: bool = False  # of what is still to come: of a series, what the newest says of it counts


@dataclass(frozen=True, kw_only=True, slots=True)
class SubQuery:
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
    sub_queries: tuple[SubQuery, ...]  # 1 to core.asking.answering.understanding.MAX_SUB_QUERIES
    limit: int  # passages over all sub-queries
    diversify: bool = False  # one passage of each document before the second of any
    whole: UUID | None = None  # the one document that is asked about as a whole
    newest: bool = False  # of several documents of a series the newest
    choices: Choices = field(default_factory=dict)  # months among which the question does not choose
