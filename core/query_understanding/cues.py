"""Which words of a question speak of documents: their kinds, their dates, a place in one of them."""

import re
from dataclasses import dataclass, replace

from core.nlp.document_types import SPOKEN
from core.nlp.number_words import CARDINALS
from core.query_understanding.values import Period, Precision, Selector

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
# What may stand between a date or an article and the kind of document: "the March 2024 FOMC meeting".
_BETWEEN = r"(?:(?:[A-Z][\w'’&-]*|policy|annual|regular|scheduled|monthly|quarterly|published|official)\s){0,2}"
_AFTER_DATE = re.compile(rf"^(?:['’]s)?\s{_BETWEEN}(?i:{_DOCUMENT})\b")
_BEFORE_DATE = re.compile(
    rf"\b(?i:{_DOCUMENT})(?:\s(?i:of|from|for|dated|in|on|at|published|released|held|issued|written|made|that|were|was"
    r"|since|after|before|until|between|through|the|and|month|year))*\s$"
)
_LATEST = re.compile(rf"\b(?i:latest|most recent|newest|last)\s{_BETWEEN}(?i:{_DOCUMENT})\b")
_CURRENT = re.compile(
    r"\b(?:current(?:ly)?|now|nowadays|at (?:the moment|present)|presently|latest|newest|most recent(?:ly)?|recently"
    r"|last time|these days|today|right now|as of now|at the last|(?:the|our) last|next)\b"
    r"(?! (?:to|steps?|year|week|day|month|one|door)\b)",
    re.IGNORECASE,
)
# "Now" that carries on a story, and asks nothing of the time.
_CARRIES_ON = re.compile(r"^\W*(?:so )?now\b[,\s]|\bwhat (?:do i do )?now\b|\bnow (?:what|that)\b", re.IGNORECASE)
_DISCOURSE = re.compile(
    rf"\b(?:{_SAYING}|decide|decides|decided|vote|voted|voting|publish|published|write|wrote|written|announce"
    r"|announced|issue|issued|agree|agreed|dissent|dissented|judged|view|views)\b",
    re.IGNORECASE,
)
_TYPE = rf"(?P<type>{_SPOKEN})"
_ARTICLE = r"(?:the|this|that|these|those|our|all|all the|any|which|what|each)"
# "How many minutes", "the import statement" and "on paper" name no kind of document: a kind needs one of these frames.
_TYPE_FRAMES = (
    re.compile(rf"\b(?i:in|from|per|according to|by|across|through)\s(?:(?i:{_ARTICLE})\s){_BETWEEN}(?i:{_TYPE})\b"),
    re.compile(
        rf"\b(?:(?i:{_ARTICLE})\s)?{_BETWEEN}(?i:{_TYPE})\s(?:(?i:of|from|on)\s[\w\s,]{{1,30}}?)?(?i:{_SAYING})\b"
    ),
    re.compile(rf"\b(?i:latest|most recent|newest|last)\s{_BETWEEN}(?i:{_TYPE})\b"),
)
_COUNTED = re.compile(rf"(?:\d|\b(?:many|few|several|some|per|{'|'.join(CARDINALS)}))\s$", re.IGNORECASE)
_SELECTORS = (
    ("title", re.compile(r"\bin the document(?:s)?(?: of [^“”]{1,40},)? “([^”]{1,300})”")),
    ("arxiv", re.compile(r"(?<![\d.])(\d{4}\.\d{4,5})(?:v\d+)?(?![\d.]*\d)")),
    ("page", re.compile(r"\b(?:page|p\.)\s?(\d{1,4})\b", re.IGNORECASE)),
    ("chapter", re.compile(r"\bchapter\s(\d{1,3})\b", re.IGNORECASE)),
    ("section", re.compile(r"\bsection\s(\d{1,3}(?:\.\d{1,3})*)\b", re.IGNORECASE)),
)
_CHOICE = re.compile(r", in the documents? (?:of \d{1,2} [A-Z][a-z]+ \d{4}|(?:of [^“”]{1,40}, )?“[^”]{1,300}”)\?$")


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeCue:
    """A kind of document that a question names, and the words that do."""

    start: int  # offsets into the question
    end: int
    document_type: str
    certain: bool  # whether it narrows, or is only to be preferred


def speaks_of_documents(question: str, period: Period) -> bool | None:
    """Whether a stretch of time is that of the documents: True, None for perhaps, False for no.

    True needs a kind of document or a meeting beside the date, or a stretch with an open end and words of saying or
    deciding. A day, month or quarter by itself is None. A year by itself is what the documents speak of.
    """
    document = _document_beside(question, period)
    if document is not None:
        return True if document in _DATED else None
    discourse = bool(_DISCOURSE.search(question))
    if period.relation != "in":
        return True if discourse else None if period.relation in {"since", "between"} else False
    return None if discourse or period.precision != Precision.YEAR else False


def of_meeting(question: str, period: Period) -> Period:
    """A stretch "after" or "before" a meeting as that of the meeting, whose documents say what was before and after."""
    after = _AFTER_DATE.match(question[period.end :])
    mention = period.mentions[0]
    if (
        period.relation not in {"after", "before"}
        or not after
        or not after["document"].casefold().startswith("meeting")
    ):
        return period
    return replace(period, relation="in", first=mention.first, last=mention.last)


def type_named(words: str) -> str:
    """The kind of document that some words name without any frame, or nothing."""
    return next((kind for word in words.casefold().split() if (kind := SPOKEN.get(word.strip(",.?!")))), "")


def is_of_a_document(question: str, period: Period) -> bool:
    """Whether a kind of document or a meeting follows the date, so that the words before it belong to that."""
    return bool(_AFTER_DATE.match(question[period.mentions[-1].end :]))


def _document_beside(question: str, period: Period) -> str | None:
    after = _AFTER_DATE.match(question[period.mentions[-1].end :])
    before = _BEFORE_DATE.search(question[: period.mentions[0].start])
    found = after or before
    if not found or (before and not after and _COUNTED.search(question[: before.start("document")])):
        return None
    return found["document"].casefold()


def types_in(question: str, periods: tuple[Period, ...]) -> tuple[TypeCue, ...]:
    """The kinds of documents that a question wants to be answered from, each once, in order."""
    found: dict[str, TypeCue] = {}
    for period in periods:
        end = period.mentions[-1].end
        after = _AFTER_DATE.match(question[end:])
        before = _BEFORE_DATE.search(question[: period.mentions[0].start])
        if after:
            _put(found, question, period.start, end + after.end(), after["document"])
        if before:
            _put(found, question, before.start(), period.end, before["document"])
    for frame in _TYPE_FRAMES:
        for match in frame.finditer(question):
            _put(found, question, match.start(), match.end("type"), match["type"], word_at=match.start("type"))
    return tuple(sorted(found.values(), key=lambda cue: cue.start))


def _put(found: dict[str, TypeCue], question: str, start: int, end: int, word: str, word_at: int | None = None) -> None:
    kind = SPOKEN.get(word.casefold())
    at = start if word_at is None else word_at
    if kind and kind not in found and not _COUNTED.search(question[:at]):
        found[kind] = TypeCue(start=start, end=end, document_type=kind, certain=word.casefold() in _CERTAIN)


def without_titles(question: str) -> str:
    """The question with the title that it names in quotation marks blanked, so that no date is read out of that."""
    title = _SELECTORS[0][1].search(question)
    if not title:
        return question
    return question[: title.start(1)] + " " * (title.end(1) - title.start(1)) + question[title.end(1) :]


def without_choice(question: str) -> str:
    """The question without the document that was chosen for it: what is to be answered from that document."""
    return _CHOICE.sub("?", question)


def wants_latest(question: str) -> bool:
    """Whether a question asks for the newest document of a kind, or the newest meeting."""
    return bool(_LATEST.search(question))


def wants_current(question: str) -> bool:
    """Whether a question asks how things stand now, or what came last or comes next."""
    return bool(_CURRENT.search(_CARRIES_ON.sub(" ", question)))


def selectors_in(question: str) -> tuple[Selector, ...]:
    """The places that a question names by a number or an identifier."""
    return tuple(
        Selector(kind=kind, value=match[1]) for kind, pattern in _SELECTORS for match in pattern.finditer(question)
    )
