"""Words and sentences of texts, by the rules of English. Pure; shared by the extractive model and the verification.

Writing other than Latin has its words from core.language.nlp.scripts, and its sentences end where its own marks do.
"""

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

import snowballstemmer

from core.language.nlp.dates import MONTHS
from core.language.nlp.function_words import AUXILIARIES, INTERROGATIVES
from core.language.nlp.layout import LONGEST_ITEM, BlockKind, stretches
from core.language.nlp.scripts import (
    BETWEEN_CLAUSES,
    CAPITALS,
    CLOSING_BRACKETS,
    FULL_STOPS,
    INITIAL,
    LATIN,
    WORD_OR_RUN,
    has_unspaced,
    pair_run,
    split_run,
)

_local = threading.local()

# "4-1/2", "2212.11770", "e-mail" and "Board's" are one word each; "lockout/tagout" is two.
_WORD = re.compile(rf"\d+(?:[-./,:]\d+)+%?|[{LATIN}0-9]+(?:[-.'’][{LATIN}0-9]+)*%?|(?P<run>{WORD_OR_RUN})")
_DATE_IN_FIGURES = re.compile(
    r"(?P<year>(?:1[5-9]|20)\d\d)(?P<mark>[-/])(?P<month>0[1-9]|1[0-2])(?P=mark)0?(?P<day>3[01]|[12]\d|[1-9])"
)
_LATIN_WORD = re.compile(rf"[{LATIN}'-]+")
# Letters of which no mark can be taken away.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
# A sentence ends at . ! or ? before white space and a capital, digit or quotation mark, and where its paragraph ends.
# The mark of a note may follow it: "It is closed.[1] The". Abbreviations before a name do not end one.
# The marks of other writing end one without a space; 「はい。」と goes on.
_SENTENCE_END = re.compile(
    rf"(?<=[.!?])[\"'”’)\]]*(?:\[\d{{1,3}}\]){{0,9}}\s+(?=[\"'“‘(\[]?(?:[{CAPITALS}0-9]|{INITIAL}))"
    rf"|(?<=[{FULL_STOPS}])(?![{FULL_STOPS}])[\"'”’)\]{CLOSING_BRACKETS}]*+(?:\[\d{{1,3}}\]){{0,9}}+\s*+(?=[^と、，])"
)
_CLOSING = re.compile(rf"[\"'”’)\]{CLOSING_BRACKETS}]*(?:\[\d{{1,3}}\]){{0,9}}")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Sen|St|No|Fig|Eq|Sec|ext|vs|etc|e\.g|i\.e|cf|al|[A-Z]"
    r"|Nr|Abs|bzw|ca|vgl|ggf|evtl|inkl|zzgl|[duz]"
    r"|[А-ЯЁ]|ул|стр|рис|им|см|т|д|г))\.$"
)
# The day before a month in German: "Der Urlaub verfällt am 31. März."
_DAY_OF_MONTH = re.compile(r"(?<![\d.,])(?:3[01]|[12]\d|[1-9])\.\Z")
_MONTH_IN_GERMAN = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b"
)
_LONG_CLAUSE = 40  # characters of Thai, behind which the next space ends what is quoted

_BETWEEN_QUESTIONS = re.compile(r"(?<=\?)\s+|(?<=[？؟])\s*(?=\S)")

# A line of a program, of a shell or of what a program prints, by how it begins; on the textbook of the corpus it finds
# 392 of 2,335 sentences, in 11,000 sentences of prose 17.
_CODE = re.compile(
    r"^[ \t]*(?:>>> |\$ |@\w|(?:async )?def \w+\s*\(|class \w+\s*[(:]|(?:from [\w.]+ )?import [\w.]+$"
    r"|for \w+(?:, \w+)* in .+:$"
    r"|(?:if|elif|while|with) .+:$|(?:return|print|assert)\b.*[(\[.=]|[\w.\[\]'\"]+ [-+*/]?= \S|[\w.]+\([^)]*\)?\s*$"
    r"|(?!\(\d{1,4}\)[\s\d])[{\[(]\s*['\"\d])",
    re.MULTILINE,
)
_CITATION = re.compile(r"(?:(?<!\s)\s++)?\[\d{1,3}\]")  # with the white space before it
_JSON_KEY = re.compile(r'"[\w .-]{1,40}"\s*:(?=[\s"\[{]|$)')
# What begins so and ends with a question mark is in the order of words that only questions have.
_ASKING = re.compile(rf"^\W*(?:{INTERROGATIVES}|{AUXILIARIES})\s+\w+\s", re.IGNORECASE)
_QUESTION_MARK_LAST = re.compile(r"\?[^\w?]*\Z")

# Words for things with letters, right before a small "a": people type "class a". No verb is spelt like one.
_BEFORE_SMALL_A = frozenset("annex appendix bay category class grade hepatitis tier vitamin zone".split())  # noqa: SIM905
_WORD_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]++)[ -]\Z")
_LONGEST_BEFORE = 20  # characters that are looked at

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


def drop_citations(text: str) -> str:
    """Return a text without the numbers of its citations: "at noon [1][2]." becomes "at noon."."""
    return _CITATION.sub("", text)


@lru_cache(maxsize=50_000)  # words come again and again, and the algorithm is written in Python
def stem(word: str) -> str:
    """Return a word's stem, so that "raised" meets "raise", by Porter's second English algorithm. Numbers stay whole.

    Marks on Latin letters go, as people type without them: "Zoe" meets "Zoë".
    """
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    if not folded.isascii() and _LATIN_WORD.fullmatch(folded):
        decomposed = unicodedata.normalize("NFKD", folded)
        folded = "".join(one for one in decomposed if not unicodedata.combining(one)).translate(_PLAIN)
    if any(character.isdigit() for character in folded):
        return folded
    return _americanise_stem(str(_get_stemmer().stemWord(folded)))


# Control characters, and halves of surrogate pairs: JSON can escape them, and no database stores them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _americanise_stem(stemmed: str) -> str:
    """Return one form for both spellings of English: "labour" meets "labor", "normalise" meets "normalize"."""
    if len(stemmed) > 5 and stemmed.endswith("our"):
        return stemmed.removesuffix("our") + "or"
    return stemmed.removesuffix("is") + "iz" if len(stemmed) > 5 and stemmed.endswith("is") else stemmed


def _get_stemmer() -> Any:
    """Return a stemmer for this thread: the library's object holds the word it works on."""
    if not hasattr(_local, "stemmer"):
        _local.stemmer = snowballstemmer.stemmer("english")
    return _local.stemmer


def one_line(text: str) -> str:
    """Return a text with each run of white space, of any characters in Unicode, as one space, and none at its ends."""
    return " ".join(text.split())


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order and as they are written; of writing without spaces, its pairs of letters."""
    found = _WORD.finditer(text)
    return [word for one in found for word in (pair_run(one.group()) if one.lastgroup else (one.group(),))]


def span_words(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of a text's words, in order; a run of writing without spaces is one."""
    return [found.span() for found in _WORD.finditer(text)]


def content_stems(text: str) -> list[str]:
    """Return the stems of a text's words without function words, in order.

    "May" is a month, "may" is not; "A" is a name behind the word for what it names: "Class A", "vitamin A". A date in
    figures alone has the stems of one in words: 2025-09-03 is the 3 September 2025 that people ask for.
    """
    stems: list[str] = []
    for found in _WORD.finditer(text):
        if found.lastgroup:
            stems += split_run(found.group())
        elif date := _DATE_IN_FIGURES.fullmatch(found.group()):
            stems += (date["day"], stem(MONTHS[int(date["month"]) - 1]), date["year"])
        elif found.group().casefold() not in STOP_WORDS or found.group() == "May" or _is_name(found, text):
            stems.append(stem(found.group()))
    return stems


def _is_name(found: re.Match[str], text: str) -> bool:
    """Return True if "A" is no article: it is a capital within a sentence, and its word before is not all capitals."""
    if found.group() not in ("A", "a"):
        return False
    before = _WORD_BEFORE.search(text[max(0, found.start() - _LONGEST_BEFORE) : found.start()])
    if not before:
        return False
    word = before[1]
    if found.group() == "a":
        return word.casefold() in _BEFORE_SMALL_A
    return not word.isupper() and word.casefold() not in STOP_WORDS


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of a text's sentences, white space left out.

    The item of a list is one sentence, and so is the row of a table: their parts say nothing without each other. Only
    an item longer than LONGEST_ITEM is a paragraph of its own.
    """
    spans: list[tuple[int, int]] = []
    for stretch in stretches(text):
        if stretch.kind is BlockKind.PROSE or stretch.end - stretch.start > LONGEST_ITEM:
            spans += prose_sentences(text, stretch.start, stretch.end)
        else:
            spans.append((stretch.start, stretch.end))
    return spans


def prose_sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the sentences of one paragraph, text[start:end]."""
    spans: list[tuple[int, int]] = []
    begun = start
    for found in _SENTENCE_END.finditer(text, start, end):
        closing = _CLOSING.match(found.group())
        closed = found.start() + (closing.end() if closing else 0)
        before = text[begun:closed].rstrip()
        is_day = _MONTH_IN_GERMAN.match(text, found.end()) and _DAY_OF_MONTH.search(before)
        if not is_day and not _ABBREVIATION.search(before):
            spans.append((begun, closed))
            begun = found.end()
    spans.append((begun, end))
    if has_unspaced(text[start:end]):
        spans = [clause for span in spans for clause in _cut_at_spaces(text, *span)]
    return [span for span in (_trim_span(text, *span) for span in spans) if span[0] < span[1]]


def _cut_at_spaces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a long sentence of Thai or its kin where spaces part its clauses."""
    spans: list[tuple[int, int]] = []
    for found in BETWEEN_CLAUSES.finditer(text, start, end):
        if found.start() - start >= _LONG_CLAUSE:
            spans.append((start, found.start()))
            start = found.end()
    return [*spans, (start, end)]


def is_data(sentence: str) -> bool:
    """Return True if a sentence is a piece of JSON, which is written for programs."""
    return bool(_JSON_KEY.search(sentence))


def is_code(sentence: str) -> bool:
    """Return True if a sentence is, or contains, lines of a program."""
    return bool(_CODE.search(sentence))


def repeats_question(sentence: str, question: str) -> bool:
    """Return True if a sentence repeats a question word for word, as an example of it does, instead of answering it."""
    asking = _ASKING.match(question)
    if not asking or not _QUESTION_MARK_LAST.search(question, asking.end()):
        return False
    return f" {_fold_words(question)} " in f" {_fold_words(sentence)} "


def _fold_words(text: str) -> str:
    return " ".join(words_of(text.casefold()))


def _trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


_STEMS_OF_MONTHS = frozenset(stem(month) for month in MONTHS)


def split_questions(text: str) -> list[str]:
    """Return the questions that a text asks one after the other; the text itself when it is one. Never nothing."""
    return [part for part in _BETWEEN_QUESTIONS.split(text) if part.strip()] or [text]


def is_of_a_date(stemmed: str) -> bool:
    """Return True if a stem is a number or the name of a month."""
    return stemmed[0].isdigit() or stemmed in _STEMS_OF_MONTHS


def remove_controls(text: str) -> str:
    """Return the text without control characters and halves of surrogate pairs."""
    return _CONTROL.sub("", text)
