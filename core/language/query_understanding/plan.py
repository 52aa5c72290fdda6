"""Hold what a question asks for, as values: its filters and the searches that it takes."""

import datetime as dt
from dataclasses import dataclass, field
from uuid import UUID

from core.language.query_understanding.values import Reading
from core.types import Edition, Filters

Choices = dict[dt.date, Edition]  # first days of months, and a document of each


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
