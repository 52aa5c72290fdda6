"""Take the newest of the documents of one series, such as the statements of a board.

The minutes of July may move the date that those of June set, in fewer words of the question.
"""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import replace

from core.asking.reading.reader import read
from core.language.nlp.dates import MONTHS
from core.types import Passage, Statement

NEAR = 0.2  # of the best similarity of what is older: what is newer and this near to it says the same of another time
# Logit from which a passage may be an answer. A date that was moved, "agreed to a new date, 14 October", has 0 to 3;
# the older one, in the words of the question, 5.
_MAY_ANSWER = -1.0
_CHANGING = re.compile(rf"[\d\W_]+|\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)


def family(title: str) -> str:
    """Return a title without numbers and dates, which the titles of one series share."""
    return " ".join(_CHANGING.sub(" ", title).casefold().split())


def newest_of_each(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Return the passages, those of a series' newest document in the place of the first of the series, its others last.

    A series whose newest document speaks of something else stays as it is.
    """
    older: set[int] = set()
    for members in _group_series(passages):
        last = max(_get_date(passage) for passage in members)
        newest = [passage for passage in members if passage.document_date == last]
        before = [passage for passage in members if passage.document_date != last]
        if before and _find_best_similarity(newest) >= _find_best_similarity(before) - NEAR:
            older |= {passage.rank for passage in before}
    moved = [p for p in passages if p.rank not in older] + [p for p in passages if p.rank in older]
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(moved, 1))


def leave_out_superseded(question: str, passages: Sequence[Passage], *, budget_s: float) -> tuple[Passage, ...]:
    """Return passages without those of a series that are older than its newest one that may answer.

    For questions about what is still to come. budget_s: seconds for reading what was not read before.
    """
    older: set[int] = set()
    for members in _group_series(passages):
        if len({_get_date(passage) for passage in members}) < 2:
            continue
        readings = read(question, [(passage.source, passage.content) for passage in members], budget_s=budget_s)
        last = max(
            (
                _get_date(passage)
                for passage, reading in zip(members, readings, strict=True)
                if reading and reading.answers >= _MAY_ANSWER
            ),
            default=dt.date.min,
        )
        older |= {passage.rank for passage in members if _get_date(passage) < last}
    kept = [passage for passage in passages if passage.rank not in older]
    return tuple(replace(passage, rank=rank) for rank, passage in enumerate(kept, 1))


def put_newest_first(statements: Sequence[Statement], passages: Sequence[Passage]) -> tuple[Statement, ...]:
    """Return the sentences of a draft, those of newer documents first, where all are of dated documents of one type.

    For questions about how things are now: minutes of one board need not be called alike.
    """
    numbered = dict(enumerate(passages, 1))
    sources = [[numbered.get(quote.passage) for quote in one.quotes] for one in statements]
    types = {source.document_type if source and source.document_date else None for each in sources for source in each}
    if not all(sources) or len(types) != 1 or None in types:
        return tuple(statements)
    dates = [max(_get_date(source) for source in each if source) for each in sources]
    order = sorted(range(len(dates)), key=lambda place: dates[place], reverse=True)  # a stable order
    return tuple(statements[place] for place in order)


def _group_series(passages: Sequence[Passage]) -> list[list[Passage]]:
    """Return the passages with a date, those of one series together."""
    series: dict[tuple[str, str], list[Passage]] = {}
    for passage in passages:
        if passage.document_date:
            series.setdefault((passage.document_type, family(passage.document_name)), []).append(passage)
    return list(series.values())


def _find_best_similarity(passages: Sequence[Passage]) -> float:
    return max(passage.similarity for passage in passages)


def _get_date(passage: Passage) -> dt.date:
    return passage.document_date or dt.date.min
