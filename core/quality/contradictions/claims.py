"""Find what a passage claims: values that a sentence, an item or a cell gives, each with the question it answers. Pure.

The question is the sentence with a question's word in the place of the value, "The shed opens at what time?", so that
it has the document's words alone. Whether anything answers it is for the reader to say.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from core.asking.reading.tables import write_tables
from core.asking.verification.values import Value, find_values
from core.language.nlp.dates import MONTHS, WEEKDAYS
from core.language.nlp.structure import Span, units
from core.language.nlp.text import content_stems, prose_sentences

LONGEST_SENTENCE = 260  # characters
_MONEY = frozenset({"pound", "euro", "dollar", "chf", "jpy", "sek", "nok", "dkk", "pln", "cad", "aud", "inr"})
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_WEEKDAY = re.compile(r"\b(?:on|every|each)\s+(?P<day>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)\b(?!,? \d)")
_TITLE = r"(?:(?:Ms|Mrs|Mr|Miss|Dr|Prof|Professor)\.?\s)"
_PERSON = re.compile(
    rf"(?<![\w'’-]){_TITLE}?(?P<name>(?:[A-Z](?:\. ?|[\w'’-]{{1,30}} )){{1,3}}[A-Z][\w'’-]{{1,30}})"
    r"(?=\Z|[.,;:()|\n]| [|a-z])"
)
# What stands before the name of somebody who is named for something: "the warden is Ann Poe", "Warden: Ann Poe".
_BEFORE_PERSON = re.compile(r"(?:\b(?:is|are|by|to|contact|ask|call)\s|[:,|(]\s{0,3}|\A\W{0,4})\Z", re.IGNORECASE)
# Of what else has two capitals: places, and whom nobody is called by.
_NOBODY = frozenset(
    """the our your this that all association avenue bay board bridge building café centre church club college committee
    company council court department desk floor foundation gallery garden gate hall harbour hotel house institute island
    lake lane library ltd museum office park place quay river road room rooms school site society square station street
    terms theatre tower trust union university""".split()  # noqa: SIM905
) | {name.casefold() for name in (*MONTHS, *WEEKDAYS)}
_LOOKED_AT = 12  # characters before a name
_DATE_IN_FIGURES = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2,4}")
_NUMBER_ALONE = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d{1,2})?")
_BEGINS = re.compile(r"\A(?:[-*•▪◦–]\s+|\(?\d{1,2}[.)]\s+)")
_RANGE = frozenset({"to", "-", "–", "until", "till", "and"})  # between its two ends
_FROM = re.compile(r"\b(?:from|between) \Z", re.IGNORECASE)
_PRONOUN = frozenset(
    {"it", "its", "they", "their", "this", "these", "that", "he", "she", "her", "his", "there", "then"}
)
_LEAST_STEMS = 2  # of a sentence without its value; with fewer its question names the place, too
_INTERROGATIVES = {
    "time": "what time",
    "telephone": "which telephone number",
    "extension": "which extension",
    "address": "which e-mail address",
    "weekday": "which weekday",
    "name": "who",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """Holds a value that a passage gives, and the question that it answers."""

    question: str
    values: tuple[Value, ...]  # of one kind; two are the ends of a range
    start: int  # of the sentence, item or row, in characters of the passage
    end: int
    leads: tuple[Span, ...] = ()  # what introduces it


@lru_cache(maxsize=512)
def find_claims(text: str, *, place: str) -> tuple[Claim, ...]:
    """Return the claims of a passage. place: its heading or document, for sentences that do not name their subject."""
    given = find_given(text)
    return (*_find_in_cells(text, given, place), *_find_in_sentences(text, given, place))


def _find_in_sentences(text: str, given: Sequence[Value], place: str) -> Iterator[Claim]:
    for start, end, leads in find_sentences(text):
        inside = [value for value in given if start <= value.start and value.end <= end]
        for values in _group_ranges(text, inside):
            question = _write_question(text, (start, end), values, place)
            yield Claim(question=question, values=values, start=start, end=end, leads=leads)


def find_sentences(text: str) -> Iterator[tuple[int, int, tuple[Span, ...]]]:
    """Yield where the sentences that state something are, those of items too, each with what introduces it."""
    for unit in units(text):
        if "|" in text[unit.start : unit.end]:
            continue
        for start, end in prose_sentences(text, unit.start, unit.end):
            if end - start <= LONGEST_SENTENCE and not text[start:end].endswith("?"):
                yield start, end, unit.leads


@lru_cache(maxsize=512)
def find_given(text: str) -> tuple[Value, ...]:
    """Return all values of a passage, in order: those that are compared in answers, and whom or what it names."""
    found = [value for value in find_values(text) if _is_compared(value, text)]
    found += (_make_value("address", one.group().casefold().rstrip("."), one.span()) for one in _ADDRESS.finditer(text))
    found += (_make_value("weekday", one["day"].rstrip("s"), one.span("day")) for one in _WEEKDAY.finditer(text))
    found += _find_people(text)
    return tuple(sorted(found, key=lambda value: value.start))


def _is_compared(value: Value, text: str) -> bool:
    """Return False for a year, "half past", and a date in figures, which looks like a telephone number."""
    is_date = value.kind == "telephone" and _DATE_IN_FIGURES.fullmatch(text[value.start : value.end])
    return value.kind != "year" and "past" not in value.of[:1] and not is_date


def _make_value(kind: str, what: object, span: tuple[int, int], of: tuple[str, ...] = ()) -> Value:
    return Value(kind=kind, of=of, what=(what,), start=span[0], end=span[1])


def _find_people(text: str) -> Iterator[Value]:
    """Yield the people who are named for something, as their surnames; rooms and streets are nobody."""
    for match in _PERSON.finditer(text):
        before = text[max(0, match.start() - _LOOKED_AT) : match.start()]
        words = re.findall(r"[\w'’-]{2,}", match["name"])
        if _BEFORE_PERSON.search(before) and _NOBODY.isdisjoint(word.casefold() for word in words):
            yield _make_value("name", words[-1].casefold(), match.span())


def _group_ranges(text: str, values: Sequence[Value]) -> Iterator[tuple[Value, ...]]:
    """Yield each value by itself, the two ends of a range of times or dates together."""
    place = 0
    while place < len(values):
        here, following = values[place], values[place + 1] if place + 1 < len(values) else None
        between = text[here.end : following.start].strip().casefold() if following else ""
        if following and here.kind in {"time", "date"} and here.is_of_kind(following) and between in _RANGE:
            yield here, following
            place += 2
        else:
            yield (here,)
            place += 1


def _write_question(text: str, sentence: Span, values: tuple[Value, ...], place: str) -> str:
    start, end = sentence
    question = _put_interrogative(text, start, end, values)
    words = question.split()
    bare = f"{text[start : values[0].start]} {text[values[-1].end : end]}"
    if not _PRONOUN.isdisjoint({words[0].casefold()}) or len(set(content_stems(bare))) < _LEAST_STEMS:
        question = f"{place}: {question}"
    return f"{question}?"


def _put_interrogative(text: str, start: int, end: int, values: tuple[Value, ...]) -> str:
    """Return a part of a text with a question's word in the place of its values."""
    before = _BEGINS.sub("", text[start : values[0].start])
    if len(values) > 1:
        before = _FROM.sub("", before)
    return " ".join(f"{before}{_ask_for(values)}{text[values[-1].end : end]}".split()).rstrip(" .,;:!")


def _ask_for(values: tuple[Value, ...]) -> str:
    first = values[0]
    if len(values) > 1:
        return "from when to when"
    if first.kind == "amount" and first.of[0] in _MONEY:
        return "how much"
    if first.kind == "amount":
        return "how much percent" if first.of[0] == "percent" else f"how many {first.of[0]}s"
    if first.kind == "count":
        return "how many"
    if first.kind == "date":
        return "which date"
    return _INTERROGATIVES[first.kind]


def _find_in_cells(text: str, given: Sequence[Value], place: str) -> Iterator[Claim]:
    """Yield the cells of tables that hold one value, or a bare number, each asked for by its row and column."""
    written = write_tables(text)
    for row in written.rows if written else ():
        name, _, rest = row.text.partition(": ")
        for pair in rest.rstrip(".").split("; "):
            column, _, cell = pair.partition(" = ")
            start = text.find(cell, row.start, row.end) if cell else -1
            if start < 0:
                continue
            end = start + len(cell)
            inside = [value for value in given if start <= value.start and value.end <= end]
            if not inside and _NUMBER_ALONE.fullmatch(cell):
                number = Fraction(cell.replace(",", ""))
                inside = [Value(kind="number", what=(number,), start=start, end=end)]
            for values in _group_ranges(text, inside):
                question = f"What is the {column} of {name} ({place})?"
                if len(cell.split()) > len(text[values[0].start : values[-1].end].split()):  # a sentence in a cell
                    question = f"{name}: {_put_interrogative(text, start, end, values)}?"
                yield Claim(question=question, values=values, start=row.start, end=min(row.end, len(text)))
