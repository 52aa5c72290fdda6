"""Reading a question: its kind, its sub-questions, and what it is narrowed to."""

import calendar
import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.nlp.text import one_line
from core.language.query_understanding.annotations import Annotated, Time, TypeCue, annotate, find_type
from core.language.query_understanding.comparisons import name_compared
from core.language.query_understanding.kinds import find_kind, find_topic
from core.language.query_understanding.parts import set_behind, split_parts
from core.language.query_understanding.values import Kind, Period, Precision, Reading, SubQuestion
from core.language.query_understanding.whole import find_id_asked, find_whole_document

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
    """Return what a question says of itself. today: what "last year" is counted from.

    False finds cost more than missed ones, so a date or kind is certain only where the words around it say so.
    """
    asked = annotate(question, today=today)
    kind = find_kind(asked)
    by_id = find_id_asked(question)
    sub_questions = () if by_id else _find_sub_questions(asked, kind)
    types = () if any(part.document_type for part in sub_questions) else asked.types
    reading = Reading(
        text=question,
        kind=kind,
        sub_questions=sub_questions,
        document_types=tuple(cue.document_type for cue in types),
        types_certain=bool(types) and all(cue.certain for cue in types),
        selectors=asked.selectors,
        latest=asked.asks_for_latest,
        remaining=question,
        whole=by_id or find_whole_document(question),
        current=asked.asks_for_current,
        future=asked.asks_for_future,
    )
    dated = _narrow_to_dates(reading, asked)
    return replace(dated, topic=find_topic(dated.remaining)) if kind == Kind.BROAD else dated


def _narrow_to_dates(reading: Reading, asked: Annotated) -> Reading:
    """The reading with the dates that narrow the whole question, and without their words."""
    meant = [time for time in asked.times if time.is_of_documents is not False]
    times = _join_year_and_month(meant)
    if len(times) != 1 or any(part.date_from or part.date_to for part in reading.sub_questions):
        return reading
    [time] = times
    period = time.period
    if period.is_yearless:
        return replace(reading, month=period.mentions[0].month if time.is_of_documents else None)
    is_alone = len(asked.times) == 1 or len(times) < len(meant)
    is_certain = bool(time.is_of_documents) and is_alone
    spans: list[tuple[int, int]] = []
    if is_certain:
        spans.append(_find_words(time))
        if reading.types_certain and len(asked.types) == 1 and _is_aside(asked.text, asked.types[0]):
            spans.append((asked.types[0].start, asked.types[0].end))
    return replace(
        reading,
        date_from=period.first,
        date_to=period.last,
        dates_certain=is_certain,
        remaining=_cut_out(asked.text, spans),
    )


def _join_year_and_month(times: Sequence[Time]) -> Sequence[Time]:
    """A year and a month without one are that month: "in the statements of 2023, ... in July"."""
    if len(times) != 2:
        return times
    dated, month = sorted(times, key=lambda time: time.period.is_yearless)
    year, number = dated.period, month.period.mentions[0].month
    if not month.period.is_yearless or year.precision != Precision.YEAR or not year.first or not number:
        return times
    first = year.first.replace(month=number)
    last = first.replace(day=calendar.monthrange(first.year, number)[1])
    return [replace(dated, period=replace(year, first=first, last=last))]


def _find_words(time: Time) -> tuple[int, int]:
    """The words of a stretch; of "at the March 2024 meeting" only the date, so that "at the meeting" is left."""
    return (time.period.mentions[0].start if time.after else time.period.start, time.period.end)


def _is_aside(question: str, cue: TypeCue) -> bool:
    """Return True if the words are behind a preposition, so that the question is whole without them."""
    return bool(_PREPOSITION.match(question[cue.start :]))


def _cut_out(question: str, spans: list[tuple[int, int]], *, fewest: int = 3) -> str:
    """The question without some stretches; as it is without any, and when fewer words would be left."""
    if not spans:
        return question
    left = question
    for start, end in sorted(_merge(spans), reverse=True):
        left = f"{left[:start].rstrip()} {left[end:].lstrip()}"
    left = _LOOSE.sub("", _drop_dangling(one_line(left)))
    return left if len(left.split()) >= fewest else question


def _drop_dangling(text: str) -> str:
    """The text without the words at its end that lead on to what is gone: "in" of "who left in?"."""
    body = text.rstrip("?.!")
    words = body.split()
    while len(words) > 1 and words[-1].casefold() in _DANGLING:
        words.pop()
    return " ".join(words) + text[len(body) :]


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _find_sub_questions(asked: Annotated, kind: Kind) -> tuple[SubQuestion, ...]:
    times = _find_times(asked, kind)
    if len(times) > 1:
        return times
    things = name_compared(asked.sides) if asked.sides else None
    if things is None:
        parts = split_parts(asked.text)
        queries = (*parts[:1], *(set_behind(parts[0], part) for part in parts[1:]))
        return tuple(SubQuestion(query=q, label=part, is_question=True) for q, part in zip(queries, parts, strict=True))
    kinds = _find_two_types(things.first, things.second)
    return tuple(
        SubQuestion(query=f"{label} {things.respect}".strip(), label=label, document_type=document_type)
        for label, document_type in zip((things.first, things.second), kinds, strict=True)
    )


def _find_two_types(first: str, second: str) -> tuple[str, str]:
    """The kind of document of each, where each names another: "compare the minutes and the statement of March"."""
    named = find_type(first), find_type(second)
    return named if all(named) and named[0] != named[1] else ("", "")


def _find_times(asked: Annotated, kind: Kind) -> tuple[SubQuestion, ...]:
    """A sub-question for each time that a question names, where it asks for several."""
    question = asked.text
    dated = [period for period in asked.periods if not period.is_yearless]
    stretches = [period for period in dated if len(period.mentions) == 2]
    topic = _find_lookup(question, asked.periods)
    if kind in {Kind.CHANGE, Kind.COMPARE} and stretches:
        ends = stretches[0].mentions
        return tuple(_ask_at(topic, question[m.start : m.end], m.first, m.last) for m in ends)
    if kind == Kind.CHANGE and len(dated) == 1 and dated[0].relation == "since":
        since = dated[0].mentions[0]
        label = question[since.start : since.end]
        after = since.last + dt.timedelta(days=1) if since.last else None
        return _ask_at(topic, label, since.first, since.last), _ask_at(topic, f"since {label}", after, None)
    points = [m for period in dated if period.relation == "in" for m in period.mentions]
    of_documents = all(time.is_of_documents is not False for time in asked.times if not time.period.is_yearless)
    if len(points) > 1 and (kind in {Kind.CHANGE, Kind.COMPARE} or of_documents):
        return tuple(_ask_at(topic, question[m.start : m.end], m.first, m.last) for m in points[:MOST_SIDES])
    return ()


def _ask_at(topic: str, label: str, first: dt.date | None, last: dt.date | None) -> SubQuestion:
    return SubQuestion(query=f"{topic} {label}", label=label, date_from=first, date_to=last)


def _find_lookup(question: str, periods: tuple[Period, ...]) -> str:
    """The question without its dates and its words of change: what is to be looked up at each time."""
    spans = [(period.start, period.end) for period in periods]
    for one, other in itertools.pairwise(periods):
        if _JOIN.fullmatch(question[one.end : other.start]):
            spans.append((one.end, other.start))
    bare = _cut_out(question, spans, fewest=2)
    bare = one_line(_LEFT_OVER.sub(" ", one_line(_CHANGE_WORDS.sub(" ", bare)))).strip(" ?.!,")
    return bare if len(bare) > 2 else question.strip(" ?")
