"""Words and sentences of English text. Pure; shared by the extractive model and the verification of statements."""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import snowballstemmer

_local = threading.local()

# "4-1/2", "2212.11770", "e-mail" and "Board's" are one word each; "lockout/tagout" is two.
_WORD = re.compile(r"\d+(?:[-./,:]\d+)+%?|[A-Za-z0-9]+(?:[-.'’][A-Za-z0-9]+)*%?")
# A sentence ends at . ! or ? before white space and a capital, digit or quotation mark, at an empty line, or before
# a list's item or a table's row. Abbreviations that are followed by a name do not end one.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|\n\s*\n|\n(?=\s*(?:[-*•|]|\d+[.)])\s)")
_ABBREVIATION = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sen|St|No|Fig|Eq|Sec|vs|etc|e\.g|i\.e|cf|al|[A-Z]))\.$")

_JSON_KEY = re.compile(r'"[\w .-]{1,40}"\s*:(?=[\s"\[{]|$)')
# What begins so and ends with a question mark is in the order of words that only questions have.
_ASKING = re.compile(
    r"^\W*(?:what|when|where|who|whom|whose|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should"
    r"|has|have|had|may|must)\s+\w+\s.*\?\W*$",
    re.IGNORECASE | re.DOTALL,
)

# The function words of English; a question's own words are among them.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below
    between both but by can cannot could did do does doing down during each few for from further had has have
    having he her here hers him his how i if in into is it its itself just let many may me might more most much
    must my no nor not of off often on once only or other our out over own per same say says said shall she
    should so some such tell than that the their them then there these they this those through to too under
    until up upon us very was we were what when where which while who whom whose why will with would you your
    according document documents give please explain describe
    """.split()  # noqa: SIM905 - a list of 150 strings would be harder to read
)


@lru_cache(maxsize=50_000)  # words come again and again, and the algorithm is written in Python
def stem(word: str) -> str:
    """A word's stem, so that "raised" meets "raise", by Porter's second English algorithm. Numbers stay whole."""
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    if any(character.isdigit() for character in folded):
        return folded
    return _as_in_america(str(_stemmer().stemWord(folded)))


def _as_in_america(stemmed: str) -> str:
    """One form for both spellings of English: "labour" meets "labor", "normalise" meets "normalize"."""
    if len(stemmed) > 5 and stemmed.endswith("our"):
        return stemmed.removesuffix("our") + "or"
    return stemmed.removesuffix("is") + "iz" if len(stemmed) > 5 and stemmed.endswith("is") else stemmed


def _stemmer() -> Any:
    """A stemmer for this thread: the library's object holds the word it works on."""
    if not hasattr(_local, "stemmer"):
        _local.stemmer = snowballstemmer.stemmer("english")
    return _local.stemmer


def content_stems(text: str) -> list[str]:
    """The stems of a text's words without function words, in order. "May" is a month, "may" is not."""
    return [stem(word) for word in _WORD.findall(text) if word == "May" or word.casefold() not in STOP_WORDS]


def sentences(text: str) -> list[tuple[int, int]]:
    """The (start, end) offsets of a text's sentences, white space left out."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end, following in _boundaries(text):
        if _ABBREVIATION.search(text[start:end].rstrip()):
            continue
        spans.append((start, end))
        start = following
    spans.append((start, len(text)))
    return [span for span in (_trimmed(text, *span) for span in spans) if span[0] < span[1]]


def is_data(sentence: str) -> bool:
    """Whether a sentence is a piece of JSON, which is written for programs."""
    return bool(_JSON_KEY.search(sentence))


def asks(sentence: str, question: str) -> bool:
    """Whether a sentence repeats a question word for word, as an example of it does, instead of answering it."""
    if not _ASKING.search(question):
        return False
    return f" {_bare(question)} " in f" {_bare(sentence)} "


def _bare(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _boundaries(text: str) -> Iterable[tuple[int, int]]:
    for found in _SENTENCE_END.finditer(text):
        closing = re.match(r"[\"'”’)\]]*", found.group())
        yield found.start() + (closing.end() if closing else 0), found.end()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


_NUMBER_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand|million|half|once"
    r"|twice|every|daily|weekly|monthly|yearly|annually"
)
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_TIME_WORDS = (
    rf"{'|'.join(MONTHS)}|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|morning|evening"
    r"|today|tomorrow"
)
# A year alone is no amount; with a unit, a currency or a fraction it would not look like one.
_NUMBER = re.compile(
    rf"(?<![\w$€£])(?!(?:1[5-9]|20)\d\d(?![\w%/]|[.,-]\d))[$€£]?\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE
)
_DATE = re.compile(rf"\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS}|{_TIME_WORDS})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][A-Za-z]+")
_STEMS_OF_MONTHS = frozenset(stem(month) for month in MONTHS)
_DEGREES = r"many|much|long|far|often|high|large|big|fast|old|deep|close|wide|tall|heavy|small|short|low|hot|cold|loud"
_QUANTITIES = (
    r"accuracy|age|amount|area|average|budget|capacity|cost|depth|distance|duration|factor|fee|figure|frequency|height"
    r"|high|inflation|latency|length|level|limit|loss|low|margin|maximum|mean|median|minimum|number|peak"
    r"|percent(?:age)?|population|price|range|rate|ratio|score|share|size|speed|sum|temperature|threshold|total|value"
    r"|weight|width"
)
_ASKS_DATE = re.compile(r"\b(?:what|which) (?:year|date|day|month)\b")
# "what was the unemployment rate", "which rate", "to what low"; not "what did they say about the rate".
_ASKS_HOW_MUCH = re.compile(
    rf"\bhow (?:{_DEGREES})\b"
    r"|\b(?:what|which) (?:(?:is|was|are|were|will be|has been|had been) )?(?:(?:the|its|their|an?) )?"
    rf"(?:(?!(?:about|did|do|does|happened|said|say)\b)[\w'’.+-]+ ){{0,4}}(?:{_QUANTITIES})s?\b"
)
_KINDS = (
    (_ASKS_DATE, _DATE),
    (_ASKS_HOW_MUCH, _NUMBER),
    (re.compile(r"\bwhen\b"), _DATE),
    (re.compile(r"\bwho(?:m|se)?\b"), _NAME),
)


def questions_in(text: str) -> list[str]:
    """The questions that a text asks one after the other; the text itself when it is one. Never nothing."""
    return [part for part in re.split(r"(?<=\?)\s+", text) if part.strip()] or [text]


def is_of_a_date(stemmed: str) -> bool:
    """Whether a stem is a number or the name of a month."""
    return stemmed[0].isdigit() or stemmed in _STEMS_OF_MONTHS


def kind_asked(question: str) -> re.Pattern[str] | None:
    """A pattern of the kind of thing that a question asks for (a number, a date, a name), or None."""
    folded = question.casefold()
    return next((kind for asks, kind in _KINDS if asks.search(folded)), None)


def holds_new(kind: re.Pattern[str] | None, text: str, question: str) -> bool:
    """Whether the text holds a thing of that kind which the question does not name already. True when kind is None."""
    if kind is None:
        return True
    named = set(content_stems(question))
    return any(stem(word) not in named for found in kind.finditer(text) for word in _WORD.findall(found.group()))
