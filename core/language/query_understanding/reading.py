"""Read a question: its kind, its sub-questions (two things, two times, or joined questions), and its filters. Pure."""

import calendar
import datetime as dt
import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.nlp.document_types import SPOKEN, SPOKEN_PLURALS
from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES
from core.language.nlp.text import one_line, split_questions
from core.language.query_understanding.annotations import Annotated, Time, annotate, find_type
from core.language.query_understanding.comparisons import name_compared
from core.language.query_understanding.frames import Frame, find_frame
from core.language.query_understanding.values import Kind, Period, Precision, Reading, SubQuestion
from core.language.query_understanding.whole import find_id_asked, find_whole_document

MOST_SIDES = 3
FEWEST_WORDS = 3  # of a part that is a question by itself
MOST_PARTS = 3

_HOW_IT_CHANGED = Frame(
    opens=re.compile(r"\bhow\s(?:did|do|does|has|have|had|was|were)\s", re.IGNORECASE),
    joins=re.compile(
        r"\b(?:chang(?:e|es|ed|ing)|evol(?:ve|ves|ved|ving|ution)|develop(?:ed|ment)|shift(?:ed|s)?|trend(?:ed)?"
        r"|differ(?:ed)?|r[io]se|risen|fell|fall|fallen|gr[eo]w|grown|increased?|decreased?|moved?|progress(?:ed)?"
        r"|raised?|lowered?|revis(?:e|ed|ion))\b",
        re.IGNORECASE,
    ),
)
_WHERE_IT_WENT = Frame(
    opens=re.compile(r"\bwhere\sdid\s", re.IGNORECASE), joins=re.compile(r"\s(?:go|move|end)\b", re.IGNORECASE)
)
_WHAT_CHANGED = re.compile(r"\bwhat(?:\shas|\shave)?\schanged\b", re.IGNORECASE)
_CHANGE_NAMED = re.compile(
    r"\bwhat\s(?:has\s)?happened\sto\b|\b(?:changes?|evolution|development|shift|trend)\s(?:in|of|to)\b", re.IGNORECASE
)
_OVER_TIME = re.compile(r"\bover (?:time|the (?:years|months|past))\b", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"\b(?:summari[sz]e|summary|overview|outline|tell me (?:more )?about|main (?:points?|themes?|topics?|findings?"
    r"|views?|messages?|ideas?)|key (?:points?|themes?|topics?|findings?|messages?|takeaways?)|in general|overall"
    r"|what (?:is|was|has been) (?:said|written|known|reported) (?:about|on)"
    r"|what (?:do|does|did) (?:the |these |our |all ){0,3}[\w\s,–-]{0,40}?"
    rf"(?:{'|'.join(SPOKEN_PLURALS)}|documents|participants|members|sources|texts|pages)"
    r" (?:say|state|report|note|mention|discuss|think|see|judge|conclude)\b)",
    re.IGNORECASE,
)
# A request for a list, or a question whose noun is in the plural: "which papers propose", "what are the rules".
_TO_LIST = re.compile(
    r"^\s?(?:(?:please\s)?(?:list|name|enumerate|give (?:me )?(?:a|the) list)|who\s(?:are|were)\sthe)\b", re.IGNORECASE
)
_WHAT_ARE = re.compile(
    r"\b(?:what|which)\s(?:are|were)\s(?:all\s)?(?:the|some|its|their|our)?\s?(?:[\w-]+\s){0,4}?[\w-]+s\b"
)
_WHICH_ONES = re.compile(
    r"\b(?:what|which)\s(?!do\b|did\b)(?:[\w-]+\s){0,2}?(?!is\b|was\b|does\b|has\b|this\b|it'?s\b|us\b|as\b)"
    r"[\w-]*[^\Wsiu_]s\s(?!is\b|was\b|does\b|has\b)\w+",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\b(?:about|regarding|concerning|on|of|for)\s(?:the\s)?(?P<topic>[^?.!]+)", re.IGNORECASE)
_WHERE = re.compile(
    r"\s(?:in|from|of|at|according to)\s(?:the|these|our|all)\s(?:\w+\s)?"
    rf"(?:{'|'.join(SPOKEN)}|documents?|meetings?|library)\s?$",
    re.IGNORECASE,
)

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

_WH = rf"(?:by |to |in |on |at |of |from |for |with |under )?(?:{INTERROGATIVES})\b"
# "And is it closed on Sundays": only before a pronoun, since "and are the staff" may go on in a list.
_YES_OR_NO = rf"(?:{AUXILIARIES})\s(?:it|they|he|she|i|we|you|there)\b"
_JOINT = re.compile(rf"(?:,\s?(?:and|but)|;(?:\sand)?|\sand)\s(?={_WH}|{_YES_OR_NO})", re.IGNORECASE)
_BEGINS_YES_OR_NO = re.compile(_YES_OR_NO, re.IGNORECASE)
_ASKS = re.compile(rf"\b(?:{INTERROGATIVES})\b|\A\W*(?:{AUXILIARIES})\b", re.IGNORECASE)
# "How will that change in 2027", and not "what is that rate in 2027".
_BEHIND = r"after|at|before|by|for|from|in|less|more|next|on|since|to"
_THAT = rf"\b(?:{AUXILIARIES})\s(?:that|this)(?=\s\w+(?:\s(?:{_BEHIND})\b|\Z))"
_REFERS = re.compile(rf"\b(?:it|its|they|them|their|theirs|he|she|his|her|him)\b|{_THAT}", re.IGNORECASE)
# What these stand for cannot be told by putting the first part before them.
_REFERS_OTHERWISE = re.compile(r"\b(?:this|that|these|those|there|then|so|one|ones|both|each|same)\b", re.IGNORECASE)


def read(question: str, *, today: dt.date) -> Reading:
    """Return what a question says of itself. today: what "last year" is counted from.

    False finds cost more than missed ones, so a date or kind is certain only where the words around it say so.
    """
    asked = annotate(question, today=today)
    kind = _find_kind(asked)
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
    return replace(dated, topic=_find_topic(dated.remaining)) if kind == Kind.BROAD else dated


def _find_kind(asked: Annotated) -> Kind:
    """Return the kind of a question."""
    if asked.sides:
        return Kind.COMPARE
    if _asks_for_change(asked):
        return Kind.CHANGE
    if _OVERVIEW.search(asked.words):
        return Kind.BROAD
    asks_for_list = any(pattern.search(asked.words) for pattern in (_TO_LIST, _WHAT_ARE, _WHICH_ONES))
    return Kind.LIST if asks_for_list else Kind.SINGLE


def _asks_for_change(asked: Annotated) -> bool:
    """Return True if it is about two times; "over time" are two, where it is asked how something changed."""
    if _WHAT_CHANGED.search(asked.words):
        return True
    asks_how = find_frame(asked.words, _HOW_IT_CHANGED) is not None
    if not asked.has_stretch:
        return asks_how and bool(_OVER_TIME.search(asked.words))
    return asks_how or bool(_CHANGE_NAMED.search(asked.words) or find_frame(asked.words, _WHERE_IT_WENT))


def _find_topic(question: str) -> str:
    """Return the topic of an overview: "inflation" of "what do the minutes say about inflation?"; or nothing."""
    found = _TOPIC.search(question)
    return _WHERE.sub("", found["topic"]).strip(" ,;") if found else ""


def _narrow_to_dates(reading: Reading, asked: Annotated) -> Reading:
    """Return the reading with the dates that narrow the whole question, and without their words."""
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
        # Of "at the March 2024 meeting" only the date goes, so that "at the meeting" is left.
        spans.append((period.mentions[0].start if time.after else period.start, period.end))
        cue = asked.types[0] if reading.types_certain and len(asked.types) == 1 else None
        if cue and _PREPOSITION.match(asked.text[cue.start :]):  # the question is whole without it
            spans.append((cue.start, cue.end))
    return replace(
        reading,
        date_from=period.first,
        date_to=period.last,
        dates_certain=is_certain,
        remaining=_cut_out(asked.text, spans),
    )


def _join_year_and_month(times: Sequence[Time]) -> Sequence[Time]:
    """Join a year and a month without one to that month: "in the statements of 2023, ... in July"."""
    if len(times) != 2:
        return times
    dated, month = sorted(times, key=lambda time: time.period.is_yearless)
    year, number = dated.period, month.period.mentions[0].month
    if not month.period.is_yearless or year.precision != Precision.YEAR or not year.first or not number:
        return times
    first = year.first.replace(month=number)
    last = first.replace(day=calendar.monthrange(first.year, number)[1])
    return [replace(dated, period=replace(year, first=first, last=last))]


def _cut_out(question: str, spans: list[tuple[int, int]], *, fewest: int = 3) -> str:
    """Return the question without some stretches; as it is without any, and when fewer words would be left."""
    if not spans:
        return question
    left = question
    for start, end in sorted(_merge_spans(spans), reverse=True):
        left = f"{left[:start].rstrip()} {left[end:].lstrip()}"
    left = _LOOSE.sub("", _drop_dangling(one_line(left)))
    return left if len(left.split()) >= fewest else question


def _drop_dangling(text: str) -> str:
    """Return the text without the words at its end that lead on to what is gone: "in" of "who left in?"."""
    body = text.rstrip("?.!")
    words = body.split()
    while len(words) > 1 and words[-1].casefold() in _DANGLING:
        words.pop()
    return " ".join(words) + text[len(body) :]


def _merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
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
    """Return the types of both documents, where they differ: "compare the minutes and the statement of March"."""
    named = find_type(first), find_type(second)
    return named if all(named) and named[0] != named[1] else ("", "")


def _find_times(asked: Annotated, kind: Kind) -> tuple[SubQuestion, ...]:
    """Return a sub-question for each time that a question names, where it asks for several."""
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
    """Return the question without its dates and its words of change: what is to be looked up at each time."""
    spans = [(period.start, period.end) for period in periods]
    for one, other in itertools.pairwise(periods):
        if _JOIN.fullmatch(question[one.end : other.start]):
            spans.append((one.end, other.start))
    bare = _cut_out(question, spans, fewest=2)
    bare = one_line(_LEFT_OVER.sub(" ", one_line(_CHANGE_WORDS.sub(" ", bare)))).strip(" ?.!,")
    return bare if len(bare) > 2 else question.strip(" ?")


def split_parts(question: str) -> tuple[str, ...]:
    """Return the questions that one question joins: "Who wrote A, and when was B built?". One alone is none.

    A part that is too short to stand alone, or refers to another in a way that `set_behind` cannot mend, leaves the
    question whole; so do several questions one after the other, of which the earlier ones set the scene for the last.
    """
    if len(split_questions(question)) > 1:
        return ()
    parts = tuple(part.strip(" ,;?") for part in _JOINT.split(question.strip()))
    alone = all(len(part.split()) >= FEWEST_WORDS for part in parts)
    refers = any(_REFERS_OTHERWISE.search(_REFERS.sub("", part)) for part in parts[1:])
    is_asked = bool(_ASKS.search(parts[0])) or not any(map(_BEGINS_YES_OR_NO.match, parts))
    return parts if 1 < len(parts) <= MOST_PARTS and alone and is_asked and not refers else ()


def set_behind(first: str, part: str) -> str:
    """Return a later part with the first one before it where it says "it", which is what that asked about."""
    return f"{first}? {part[:1].upper()}{part[1:]}?" if _REFERS.search(part) else part
