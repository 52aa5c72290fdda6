"""Reading a question: its kind, its sub-questions, and what it is narrowed to."""

import calendar
import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from core.nlp.text import one_line
from core.query_understanding.cues import (
    TypeCue,
    is_of_a_document,
    of_meeting,
    selectors_in,
    speaks_of_documents,
    type_named,
    types_in,
    wants_current,
    wants_latest,
    without_titles,
)
from core.query_understanding.dates import periods_in
from core.query_understanding.kinds import compared, kind_of, topic_of
from core.query_understanding.parts import behind, parts_of
from core.query_understanding.values import Kind, Period, Precision, Reading, SubQuestion
from core.query_understanding.whole import asked_by_id, whole_document

MOST_SIDES = 3

_LOOSE = re.compile(r"\s(?=[,.?!;:])|(?<=[,;:])\s?(?=[?.!])")
_DANGLING = frozenset(
    "in of from for on at since between and to the during by how did change changed".split()  # noqa: SIM905 - a sentence's end
)
_JOIN = re.compile(r"\s?,?\s?(?:and|to)?\s?")
_PREPOSITION = re.compile(r"(?:in|from|per|according to|by|across)\s", re.IGNORECASE)
_CHANGE_WORDS = re.compile(
    r"^\s?(?:how\s(?:did|do|does|has|have|had|was|were)|what\s(?:has\s|have\s)?changed(?:\s(?:in|about|with))?"
    r"|what\s(?:is|are|was|were)\sthe\s(?:changes?|evolution|development|trend)\s(?:in|of|to))\s"
    r"|^\s?what\s(?:has\s)?happened\sto\s|\bwhere\sdid\s|\b(?:go|went|move[ds]?)\b(?=\s?[?,.]|\s?$)"
    r"|\b(?:chang(?:e|ed|es)|evolved?|develop(?:ed)?|shift(?:ed)?|compare[ds]?|differ(?:ed)?|differences?)\b",
    re.IGNORECASE,
)
# What is left of "..., and who in December" and "... with that in March" when the dates are gone.
_LEFT_OVER = re.compile(
    r",?\sand\s(?:who|what|which|when|where|how|why)\s?(?=[?,.]|$)|\s(?:with|to|and|as|than)\s(?:that|those|the\sone)"
    r"\s?(?=[?,.]|$)",
    re.IGNORECASE,
)


def read(question: str, *, today: dt.date) -> Reading:
    """What a question says of itself. today: what "last year" is counted from.

    False finds cost more than missed ones, so a date or kind is certain only where the words around it say so.
    """
    plain = without_titles(question)
    periods = tuple(of_meeting(plain, period) for period in periods_in(plain, today=today))
    types = types_in(plain, periods)
    kind = kind_of(question, periods)
    by_id = asked_by_id(question)
    sub_questions = () if by_id else _sub_questions(question, kind, periods)
    reading = Reading(
        text=question,
        kind=kind,
        sub_questions=sub_questions,
        document_types=()
        if any(part.document_type for part in sub_questions)
        else tuple(cue.document_type for cue in types),
        types_certain=bool(types)
        and not any(part.document_type for part in sub_questions)
        and all(cue.certain for cue in types),
        selectors=selectors_in(question),
        latest=wants_latest(question) and not periods,
        remaining=question,
        whole=by_id or whole_document(question),
        current=wants_current(question) and not periods,
    )
    dated = _dated(reading, question, periods, types)
    return replace(dated, topic=topic_of(dated.remaining)) if kind == Kind.BROAD else dated


def _dated(reading: Reading, question: str, periods: tuple[Period, ...], types: tuple[TypeCue, ...]) -> Reading:
    """The reading with the dates that narrow the whole question, and without their words."""
    spoken = [(period, speaks_of_documents(question, period)) for period in periods]
    meant: list[tuple[Period, bool | None]] = [(period, certain) for period, certain in spoken if certain is not False]
    told = _joined(meant)
    is_alone = len(spoken) == 1 or len(told) < len(meant)
    spans: list[tuple[int, int]] = []
    if len(told) == 1 and not any(part.date_from or part.date_to for part in reading.sub_questions):
        period, certain = told[0]
        if period.is_yearless:
            month = period.mentions[0].month if certain else None
            return replace(reading, month=month)
        reading = replace(
            reading, date_from=period.first, date_to=period.last, dates_certain=bool(certain) and is_alone
        )
        if reading.dates_certain:
            spans.append(_words_of(question, period))
    if reading.dates_certain and reading.types_certain and len(types) == 1 and _is_aside(question, types[0]):
        spans.append((types[0].start, types[0].end))
    return replace(reading, remaining=_without(question, spans))


def _joined(told: Sequence[tuple[Period, bool | None]]) -> Sequence[tuple[Period, bool | None]]:
    """A year and a month without one are that month: "in the statements of 2023, ... in July"."""
    if len(told) != 2:
        return told
    (year, certain), (month, _) = sorted(told, key=lambda one: one[0].is_yearless)
    number = month.mentions[0].month
    if not month.is_yearless or year.precision != Precision.YEAR or not year.first or not number:
        return told
    first = year.first.replace(month=number)
    last = first.replace(day=calendar.monthrange(first.year, number)[1])
    return [(replace(year, first=first, last=last), certain)]


def _words_of(question: str, period: Period) -> tuple[int, int]:
    """The words of a stretch; of "at the March 2024 meeting" only the date, so that "at the meeting" is left."""
    return (period.mentions[0].start if is_of_a_document(question, period) else period.start, period.end)


def _is_aside(question: str, cue: TypeCue) -> bool:
    """Whether the words stand behind a preposition, so that the question is whole without them."""
    return bool(_PREPOSITION.match(question[cue.start :]))


def _without(question: str, spans: list[tuple[int, int]]) -> str:
    """The question without some stretches; as it is when little would be left."""
    left = question
    for start, end in sorted(_merged(spans), reverse=True):
        left = f"{left[:start].rstrip()} {left[end:].lstrip()}"
    left = _LOOSE.sub("", _undangled(one_line(left)))
    return left if len(left.split()) > 2 else question


def _undangled(text: str) -> str:
    """The text without the words at its end that lead on to what is gone: "in" of "who left in?"."""
    body = text.rstrip("?.!")
    words = body.split()
    while len(words) > 1 and words[-1].casefold() in _DANGLING:
        words.pop()
    return " ".join(words) + text[len(body) :]


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _sub_questions(question: str, kind: Kind, periods: tuple[Period, ...]) -> tuple[SubQuestion, ...]:
    times = _times(question, kind, periods)
    if len(times) > 1:
        return times
    things = compared(question) if kind == Kind.COMPARE else None
    if things is None:
        parts = parts_of(question)
        queries = (*parts[:1], *(behind(parts[0], part) for part in parts[1:]))
        return tuple(SubQuestion(query=q, label=part, is_question=True) for q, part in zip(queries, parts, strict=True))
    kinds = _types_of_two(things.first, things.second)
    return tuple(
        SubQuestion(query=f"{label} {things.respect}".strip(), label=label, document_type=document_type)
        for label, document_type in zip((things.first, things.second), kinds, strict=True)
    )


def _types_of_two(first: str, second: str) -> tuple[str, str]:
    """The kind of document of each, where each names another: "compare the minutes and the statement of March"."""
    named = type_named(first), type_named(second)
    return named if all(named) and named[0] != named[1] else ("", "")


def _times(question: str, kind: Kind, periods: tuple[Period, ...]) -> tuple[SubQuestion, ...]:
    """A sub-question for each time that a question names, where it asks for several."""
    dated = [period for period in periods if not period.is_yearless]
    stretches = [period for period in dated if len(period.mentions) == 2]
    topic = _topic(question, periods)
    if kind in {Kind.CHANGE, Kind.COMPARE} and stretches:
        ends = stretches[0].mentions
        return tuple(_at(topic, question[m.start : m.end], m.first, m.last) for m in ends)
    if kind == Kind.CHANGE and len(dated) == 1 and dated[0].relation == "since":
        since = dated[0].mentions[0]
        label = question[since.start : since.end]
        after = since.last + dt.timedelta(days=1) if since.last else None
        return _at(topic, label, since.first, since.last), _at(topic, f"since {label}", after, None)
    points = [m for period in dated if period.relation == "in" for m in period.mentions]
    about_documents = [speaks_of_documents(question, period) is not False for period in dated]
    if len(points) > 1 and (kind in {Kind.CHANGE, Kind.COMPARE} or all(about_documents)):
        return tuple(_at(topic, question[m.start : m.end], m.first, m.last) for m in points[:MOST_SIDES])
    return ()


def _at(topic: str, label: str, first: dt.date | None, last: dt.date | None) -> SubQuestion:
    return SubQuestion(query=f"{topic} {label}", label=label, date_from=first, date_to=last)


def _topic(question: str, periods: tuple[Period, ...]) -> str:
    """The question without its dates and its words of change: what is to be looked up at each time."""
    spans = [(period.start, period.end) for period in periods]
    for one, other in itertools.pairwise(periods):
        if _JOIN.fullmatch(question[one.end : other.start]):
            spans.append((one.end, other.start))
    bare = _without(question, spans)
    bare = one_line(_LEFT_OVER.sub(" ", one_line(_CHANGE_WORDS.sub(" ", bare)))).strip(" ?.!,")
    return bare if len(bare) > 2 else question.strip(" ?")
