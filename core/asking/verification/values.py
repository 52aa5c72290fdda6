"""Find the values that a sentence gives (dates, times, telephone numbers, amounts, counts), as things to compare. Pure.

Two values are compared only where they are of one kind: two dates, two amounts in one unit, two counts of one noun.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.asking.verification.addresses import LEAST_DIALLED
from core.asking.verification.numbers import Number, find_numbers
from core.language.nlp.dates import find_dates
from core.language.nlp.text import STOP_WORDS, stem

_YEAR = re.compile(r"(?<![\w$€£.,/:-])(?:1[5-9]|20)\d\d(?![\w/%]|[.,:-]\d)")
_HALF_OF_DAY = r"(?P<half>[ap]\.m\b\.?|[ap]m\b)"
_TIMES = (
    re.compile(
        rf"(?<![\w.,:/-])(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?![\w:])(?:\s?{_HALF_OF_DAY})?", re.IGNORECASE
    ),
    re.compile(rf"(?<![\w.,:/-])(?P<hour>1[0-2]|0?[1-9])(?:\.(?P<minute>[0-5]\d))?\s?{_HALF_OF_DAY}", re.IGNORECASE),
    re.compile(r"(?<![\w.,:/-])(?P<hour>2[0-4]|1\d|0?[1-9])\s?o['’]clock\b", re.IGNORECASE),
)
_NOON = re.compile(r"\b(?:noon|midday|midnight)\b", re.IGNORECASE)
_DAY = 24 * 60  # minutes
_TELEPHONE = re.compile(r"(?<![\w.,-])(?:\+|\()?\d[\d()/. \u00a0-]{5,22}\d(?!\w)")
_EXTENSION = re.compile(
    r"\bext(?:ension|\.)?\s{0,2}(?:(?:is|no\.?|number)\s{1,2}){0,2}(?P<number>\d{2,6})\b", re.IGNORECASE
)
_CODES = {"usd": "dollar", "eur": "euro", "gbp": "pound"}
_CODE_BEFORE = re.compile(r"\b(usd|eur|gbp|chf|jpy|sek|nok|dkk|pln|cad|aud|inr)\s?\Z", re.IGNORECASE)
_LONGEST_CODE = 4  # characters before a number that are looked at
_NOUNS = re.compile(r"(?:[ \u00a0-][A-Za-z]{1,40}){1,3}")
_IN_GROUPS = re.compile(r"\d[ \u00a0]\Z")  # "1 000 000", of which each group would be a number
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """Holds a value, and where it is in a text."""

    kind: str  # "date", "year", "time", "telephone", "extension", "amount", "count"
    of: tuple[str, ...] = ()  # the unit of an amount, or the stems of what is counted, in order; else empty
    what: tuple[object, ...]  # that is compared, by kind
    start: int  # offsets into the text, in characters
    end: int

    def is_of_kind(self, other: "Value") -> bool:
        """Return True if the two can be compared."""
        if self.kind != other.kind:
            return False
        if self.kind == "count":  # "12 paid places" and "10 places", not "two engineers sign" and "three managers sign"
            return self.of[0] in other.of or other.of[0] in self.of
        return self.of == other.of

    def agrees(self, other: "Value") -> bool:
        """Return True if two values of one kind are the same, as far as both are written: 5 March and 5 March 2026."""
        if self.kind == "time":
            return _is_same_time(self.what, other.what)
        if self.kind == "date":
            pairs = zip(self.what, other.what, strict=True)
            return all(one is None or two is None or one == two for one, two in pairs)
        if self.kind == "telephone":
            one, two = str(self.what[0]), str(other.what[0])
            return one.endswith(two[-LEAST_DIALLED:]) or two.endswith(one[-LEAST_DIALLED:])
        return self.what == other.what


def find_values(text: str) -> list[Value]:
    """Return the values of a text, in order. Numbers of which the text does not say what they count are left out."""
    found: list[Value] = []
    rest = text
    for read in (_find_written_dates, _find_times, _find_telephones, _find_years, _find_amounts):
        values = list(read(rest))
        for value in values:
            rest = rest[: value.start] + "\0" * (value.end - value.start) + rest[value.end :]
        found += values
    return sorted(found, key=lambda value: value.start)


def _find_written_dates(text: str) -> Iterator[Value]:
    for date in find_dates(text):
        if date.is_sure:
            what = (date.year, date.month, date.day, date.last_day)
            yield Value(kind="date", what=what, start=date.start, end=date.end)


def _find_times(text: str) -> Iterator[Value]:
    for form in _TIMES:
        for match in form.finditer(text):
            groups = match.groupdict()
            hour, minute = int(groups["hour"]), int(groups.get("minute") or 0)
            half = (groups.get("half") or "").casefold()[:1]
            if half:
                hour = hour % 12 + (12 if half == "p" else 0)
            is_sure = bool(half) or hour > 12 or groups["hour"].startswith("0")
            yield _make_time(match, hour * 60 + minute, is_sure=is_sure)
        text = form.sub(lambda match: "\0" * len(match.group()), text)
    for match in _NOON.finditer(text):
        yield _make_time(match, 0 if match.group().casefold() == "midnight" else _DAY // 2, is_sure=True)


def _make_time(match: re.Match[str], minutes: int, *, is_sure: bool) -> Value:
    """is_sure: the hour is certainly of that half of the day."""
    return Value(kind="time", what=(minutes % _DAY, is_sure), start=match.start(), end=match.end())


def _is_same_time(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    (minutes, is_sure), (theirs, is_theirs_sure) = one, other
    if is_sure and is_theirs_sure:
        return minutes == theirs
    half = _DAY // 2
    return int(str(minutes)) % half == int(str(theirs)) % half


def _find_telephones(text: str) -> Iterator[Value]:
    for match in _TELEPHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if LEAST_DIALLED <= len(digits) <= 15 and not re.fullmatch(r"\d{1,3}(?:[ .\u00a0]\d{3})+", match.group()):
            yield Value(kind="telephone", what=(digits,), start=match.start(), end=match.end())
    for match in _EXTENSION.finditer(text):
        yield Value(kind="extension", what=(match["number"],), start=match.start("number"), end=match.end())


def _find_years(text: str) -> Iterator[Value]:
    for match in _YEAR.finditer(text):
        yield Value(kind="year", what=(int(match.group()),), start=match.start(), end=match.end())


def _find_amounts(text: str) -> Iterator[Value]:
    for number in find_numbers(text):
        if (
            isinstance(number.value, str)
            or number.power
            or _IN_GROUPS.search(text[max(0, number.start - 2) : number.start])
        ):
            continue
        unit = number.unit or _find_code(text, number)
        if unit:
            yield Value(kind="amount", of=(unit,), what=(number.value,), start=number.start, end=number.end)
        elif nouns := _find_nouns(text, number):
            yield Value(kind="count", of=nouns, what=(number.value,), start=number.start, end=number.end)


def _find_code(text: str, number: Number) -> str:
    before = _CODE_BEFORE.search(text[max(0, number.start - _LONGEST_CODE) : number.start])
    return _CODES.get(before[1].casefold(), before[1].casefold()) if before else ""


def _find_nouns(text: str, number: Number) -> tuple[str, ...]:
    """Return the stems of up to three words behind a number, up to the first function word: "12 paid sick days"."""
    behind = _NOUNS.match(text, number.end)
    nouns: list[str] = []
    for word in _WORD.findall(behind.group()) if behind else ():
        if word.casefold() in STOP_WORDS:
            break
        nouns.append(stem(word))
    return tuple(nouns)
