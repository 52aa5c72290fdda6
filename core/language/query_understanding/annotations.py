"""Annotate a question once: stretches of time, types of documents, places, the sides of a comparison.

Everything that a question says of itself (core.language.query_understanding.reading) is told from these. The words of a
title in quotation marks say nothing of the question that names it: they are blanked before anything is looked for.
Pure.
"""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.language.nlp.document_types import SPOKEN
from core.language.nlp.written_numbers import CARDINALS
from core.language.query_understanding.choices import TITLE
from core.language.query_understanding.comparisons import find_sides
from core.language.query_understanding.dates import find_periods
from core.language.query_understanding.values import Period, Precision, Selector

ARXIV_ID = r"\d{4}\.\d{4,5}"

_SPOKEN = "|".join(SPOKEN)
# Kinds whose date is that of what they tell about. A report of 2024 may be dated 2025, a handbook not at all.
_DATED = {"minutes", "statement", "statements", "paper", "papers", "meeting", "meetings", "abstract", "abstracts"}
_DATED |= {"document", "documents", "press release", "press releases", "memo", "memos", "article", "articles"}
_DATED |= {"preprint", "preprints"}
# Words that are a type's own name and narrow; "press release" and "preprint" say less surely how a document was filed.
_CERTAIN = {"minutes", "statement", "statements", "paper", "papers"}

_DOCUMENT = rf"(?P<document>{_SPOKEN}|meetings?|abstracts?|documents?|articles?|publications?|editions?)"
_SAYING = (
    r"(?:say|says|said|state|states|stated|mention|mentions|mentioned|describe|describes|described|tell|tells|told"
    r"|recommend|recommends|recommended|cover|covers|explain|explains|conclude|concludes|concluded|note|notes|noted"
    r"|report|reports|reported|discuss|discusses|discussed|show|shows|suggest|suggests|record|records|recorded)"
)
_SAYS_OR_DECIDES = re.compile(
    rf"\b(?:{_SAYING}|decide|decides|decided|vote|voted|voting|publish|published|write|wrote|written|announce"
    r"|announced|issue|issued|agree|agreed|dissent|dissented|judged|view|views)\b",
    re.IGNORECASE,
)
# What may stand between a date or an article and the kind of document: "the March 2024 FOMC meeting".
_BETWEEN = r"(?:(?:[A-Z][\w'’&-]*|policy|annual|regular|scheduled|monthly|quarterly|published|official)\s){0,2}"
_AFTER_DATE = re.compile(rf"(?:['’]s)?\s{_BETWEEN}(?i:{_DOCUMENT})\b")
_BEFORE_DATE = re.compile(
    rf"\b(?i:{_DOCUMENT})(?:\s(?i:of|from|for|dated|in|on|at|published|released|held|issued|written|made|that|were|was"
    r"|since|after|before|until|between|through|the|and|month|year))*\s$"
)
_COUNTED = re.compile(rf"(?:\d|\b(?:many|few|several|some|per|{'|'.join(CARDINALS)}))\s$", re.IGNORECASE)

_NEWEST = r"(?i:latest|most recent|newest|last)\s"
_LATEST = re.compile(rf"\b{_NEWEST}{_BETWEEN}(?i:{_DOCUMENT})\b")
_CURRENT = re.compile(
    r"\b(?:current(?:ly)?|now|nowadays|at (?:the moment|present)|presently|latest|newest|most recent(?:ly)?|recently"
    r"|last time|these days|today|right now|as of now|at the last|(?:the|our) last|next)\b"
    r"(?! (?:to|steps?|year|week|day|month|one|door)\b)",
    re.IGNORECASE,
)
# What is still to come, of which a later document may say otherwise than an earlier one.
_TO_COME = re.compile(
    r"\b(?<!\bthe )(?<!\ba )will\b(?! of\b)|\b(?:going to|due|planned|scheduled|upcoming|coming)\b", re.IGNORECASE
)
# "Now" that carries on a story, and asks nothing of the time.
_CARRIES_ON = re.compile(r"^\W*(?:so )?now\b[,\s]|\bwhat (?:do i do )?now\b|\bnow (?:what|that)\b", re.IGNORECASE)

_TYPE = rf"(?P<type>{_SPOKEN})"
_ARTICLE = r"(?i:the|this|that|these|those|our|all|all the|any|which|what|each)\s"
# "How many minutes", "the import statement" and "on paper" name no kind of document: a kind needs one of these frames.
_TYPE_FRAMES = (
    re.compile(rf"\b(?:(?i:in|from|per|according to|by|across|through)\s{_ARTICLE}|{_NEWEST}){_BETWEEN}(?i:{_TYPE})\b"),
    re.compile(rf"\b(?:{_ARTICLE})?{_BETWEEN}(?i:{_TYPE})\s(?:(?i:of|from|on)\s[\w\s,]{{1,30}}?)?(?i:{_SAYING})\b"),
)
_PLACE = re.compile(
    rf"(?<![\d.])(?P<arxiv>{ARXIV_ID})(?:v\d+)?(?![\d.]*\d)|\b(?:page|p\.)\s?(?P<page>\d{{1,4}})\b"
    r"|\bchapter\s(?P<chapter>\d{1,3})\b|\bsection\s(?P<section>\d{1,3}(?:\.\d{1,3})*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentWord:
    """A word for a document or a meeting that stands right before or behind a date."""

    start: int  # offsets into the question
    end: int
    word: str  # lower case


@dataclass(frozen=True, kw_only=True, slots=True)
class Time:
    """A stretch of time that a question names, and what stands beside it."""

    period: Period
    before: DocumentWord | None  # "the minutes of March"
    after: DocumentWord | None  # "the March minutes"
    # Whether it is the time of the documents. True: a kind that is dated or a meeting stands beside it, or it has an
    # open end, beside words of saying or deciding. None: perhaps, as a day, month or quarter by itself. False: it is
    # what the documents speak of, as a year by itself.
    is_of_documents: bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeCue:
    """A kind of document that a question names, and the words that do."""

    start: int  # offsets into the question
    end: int
    document_type: str
    certain: bool  # whether it narrows, or is only to be preferred


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotated:
    """A question with what stands in it."""

    text: str
    words: str  # the same with blanks in the place of titles
    times: tuple[Time, ...]  # in order
    types: tuple[TypeCue, ...]  # that it wants to be answered from, each once, in order
    selectors: tuple[Selector, ...]  # titles first
    sides: tuple[str, str] | None  # of a comparison

    @property
    def periods(self) -> tuple[Period, ...]:
        """Return the stretches of time."""
        return tuple(time.period for time in self.times)

    @property
    def has_stretch(self) -> bool:
        """Return True if it names more than one point in time."""
        return len(self.times) > 1 or any(period.relation in {"between", "since"} for period in self.periods)

    @property
    def asks_for_latest(self) -> bool:
        """Return True if it asks for the newest document of a kind, or the newest meeting."""
        return not self.times and bool(_LATEST.search(self.words))

    @property
    def asks_for_current(self) -> bool:
        """Return True if it asks about the present, or what came last or comes next."""
        return not self.times and bool(_CURRENT.search(_CARRIES_ON.sub(" ", self.words)))

    @property
    def asks_for_future(self) -> bool:
        """Return True if it asks about what is still to come, at no time that it names."""
        return not self.times and bool(_TO_COME.search(self.words))


def annotate(question: str, *, today: dt.date) -> Annotated:
    """Return a question with what is found in it. today: what "last year" is counted from."""
    titles = list(TITLE.finditer(question))
    words = question
    for title in titles:
        words = words[: title.start("title")] + " " * len(title["title"]) + words[title.end("title") :]
    has_discourse = bool(_SAYS_OR_DECIDES.search(words))
    sides = find_sides(words)
    times = tuple(_find_time(words, period, has_discourse) for period in find_periods(words, today=today))
    return Annotated(
        text=question,
        words=words,
        times=times,
        types=_find_types(words, times),
        selectors=(
            *(Selector(kind="title", value=title["title"]) for title in titles),
            *(Selector(kind=str(one.lastgroup), value=one[str(one.lastgroup)]) for one in _PLACE.finditer(words)),
        ),
        sides=(question[sides[0]], question[sides[1]]) if sides else None,
    )


def leave_out_current(question: str) -> str:
    """Return a question without the words that ask how things stand now: passages do not say that of themselves."""
    return " ".join(_CURRENT.sub(" ", question).split())


def find_type(words: str) -> str:
    """Return the kind of document that some words name without any frame, or nothing."""
    return next((kind for word in words.casefold().split() if (kind := SPOKEN.get(word.strip(",.?!")))), "")


def _find_time(words: str, period: Period, has_discourse: bool) -> Time:
    date = period.mentions[0]
    after = _read_word(_AFTER_DATE.match(words, period.mentions[-1].end))
    before = _read_word(_BEFORE_DATE.search(words[: date.start]))
    if before and _COUNTED.search(words[: before.start]):
        before = None
    if after and after.word.startswith("meeting") and period.relation in {"after", "before"}:
        # The documents of a meeting say what was before and after it.
        period = replace(period, relation="in", first=date.first, last=date.last)
    return Time(
        period=period,
        before=before,
        after=after,
        is_of_documents=_is_of_documents(period, after or before, has_discourse),
    )


def _read_word(found: re.Match[str] | None) -> DocumentWord | None:
    return DocumentWord(start=found.start(), end=found.end(), word=found["document"].casefold()) if found else None


def _is_of_documents(period: Period, beside: DocumentWord | None, has_discourse: bool) -> bool | None:
    if beside:
        return True if beside.word in _DATED else None
    if period.relation != "in":
        return True if has_discourse else None if period.relation in {"since", "between"} else False
    return None if has_discourse or period.precision != Precision.YEAR else False


def _find_types(words: str, times: tuple[Time, ...]) -> tuple[TypeCue, ...]:
    found: dict[str, TypeCue] = {}
    for start, at, end, word in _find_type_words(words, times):
        kind = SPOKEN.get(word)
        if kind and kind not in found and not _COUNTED.search(words[:at]):
            found[kind] = TypeCue(start=start, end=end, document_type=kind, certain=word in _CERTAIN)
    return tuple(sorted(found.values(), key=lambda cue: cue.start))


def _find_type_words(words: str, times: tuple[Time, ...]) -> Iterator[tuple[int, int, int, str]]:
    """Yield what may name a type: where its words begin, what may be counted by it, where they end, and the word."""
    for time in times:
        if time.after:
            yield time.period.start, time.period.start, time.after.end, time.after.word
        if time.before:
            yield time.before.start, time.before.start, time.period.end, time.before.word
    for frame in _TYPE_FRAMES:
        for match in frame.finditer(words):
            yield match.start(), match.start("type"), match.end("type"), match["type"].casefold()
