"""Read numbers with their units, however written: 4-1/4 percent is 4.25 %, twelve is 12, 1,000 is 1000. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from core.language.nlp.text import STOP_WORDS
from core.language.nlp.written_numbers import ORDINALS, SCALES, SPELT_OUT, TENS, value_of, write_powers

_UNITS = (
    ("percentage point", r"percentage[ -]points?|pp\b"),
    ("percent", r"%|percent(?:age)?\b|per cent\b|pct\b"),
    ("basis point", r"basis[ -]points?|bps?\b"),
    ("dollar", r"(?:u\.?s\.? )?dollars?\b|usd\b"),
    ("euro", r"euros?\b|eur\b"),
    ("pound", r"pounds?\b|lbs?\b"),
    ("second", r"seconds?\b"),
    ("millisecond", r"milliseconds?\b|ms\b"),
    ("minute", r"minutes?\b"),
    ("hour", r"hours?\b"),
    ("day", r"days?\b"),
    ("week", r"weeks?\b"),
    ("month", r"months?\b"),
    ("year", r"years?\b"),
    ("foot", r"feet\b|foot\b|ft\b"),
    ("inch", r"inch(?:es)?\b"),
    ("mile per hour", r"mph\b|miles per hour\b"),
    ("mile", r"miles?\b"),
    ("kilometre", r"kilomet(?:er|re)s?\b|km\b"),
    ("metre", r"met(?:er|re)s?\b"),
    ("centimetre", r"centimet(?:er|re)s?\b|cm\b"),
    ("millimetre", r"millimet(?:er|re)s?\b|mm\b"),
    ("kilogram", r"kilograms?\b|kg\b"),
    ("gram", r"grams?\b"),
    ("volt", r"(?:kilo)?volts?\b|kv\b"),
    ("decibel", r"decibels?\b|db\b"),
    ("degree", r"degrees?\b|deg\b|°"),
)
_BETWEEN = r"(?:calendar|business|working|consecutive|full|additional|more|further)"
_UNIT = re.compile(rf"[\s-]*(?:{_BETWEEN}\s+)?(?:" + "|".join(f"({form})" for _, form in _UNITS) + ")", re.IGNORECASE)
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound"}
# "Thirty-second" is as often a length of time; behind "first," comes what is to be done first.
_ORDINAL_WORD = rf"(?:(?P<tens>{'|'.join(TENS)})-(?!second))?(?P<ordinal_word>{'|'.join(ORDINALS)})\b(?(tens)|(?!,))"
_NUMBER = re.compile(
    r"(?P<code>\b(?=[A-Za-z]*\d)(?=\w*[A-Za-z])(?!\d+(?:st|nd|rd|th)\b)(?!\d+[a-z]{1,3}\b)\w+)"
    r"|(?P<ordinal>\b\d+)(?:st|nd|rd|th)\b"
    r"|(?P<sign>(?<![\w.)\]%])-(?=[$€£]?\d))?(?P<currency>[$€£])?"
    r"(?:(?P<raw>\d+(?:\.\d+){2,}|\d+(?::\d+)+|\d+/\d+/\d+)"
    r"|(?P<whole>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<decimals>\.\d+)?(?P<power>\^\(?[-+]?\d{1,3}(?!\d)\)?)?"
    r"(?:[- ](?P<mixed>\d{1,2}/\d{1,2})(?![\d/]))?"
    r"(?P<divisor>/\d{1,2}(?![\d/]))?)"
    rf"|\b{_ORDINAL_WORD}"
    rf"|\b(?P<word>{SPELT_OUT}|dozen|half)\b",
    re.IGNORECASE,
)
_MONEY = frozenset({"dollar", "euro", "pound"})
_MOST_POWER = 99  # of ten, that is worked out
_OTHER = {"half": Fraction(1, 2), "dozen": Fraction(12)}
_SCALE = re.compile(rf"(?<![\s-])[\s-]*+({'|'.join(SCALES)})s?\b", re.IGNORECASE)
_ENDS_IN_SCALE = re.compile(rf"\b(?:{'|'.join(SCALES)})s?\Z", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:to|and|through|or|-)\s*\Z", re.IGNORECASE)
_NEXT_WORD = re.compile(r"[\s-]*([a-z]+)")
_PRONOUN_AFTER = re.compile(r"\s+(?:of|another|who|that|which|or|day|and|can|may|must|should|is|has)\b", re.IGNORECASE)
_PRONOUN_BEFORE = re.compile(r"\b(?:no|any|every|each|this|that|the|which|another|some)\s+\Z", re.IGNORECASE)
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:an?|single|sole|one)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """A number in a text."""

    value: Fraction | str  # a str where the number is a code, a time, an ordinal, or has several points
    unit: str  # canonical; empty where none is known
    noun: str  # the lower-case word behind it, where it is no unit and not a function word
    scaled: bool  # it ends in a word such as million
    power: str  # that it is raised to, as "2" of 18²; empty where it is none, or part of the value
    start: int
    end: int


def find_numbers(text: str) -> list[Number]:
    """Return the numbers of a text, in order. A unit behind the last of a range holds for all of it."""
    text = write_plain_fractions(write_powers(text))
    found = [number for match in _NUMBER.finditer(text) if (number := _read_number(match, text))]
    for i in range(len(found) - 2, -1, -1):
        here, following = found[i], found[i + 1]
        if not here.unit and following.unit and _RANGE.match(text[here.end : following.start]):
            found[i] = _take_unit(here, following, text)
    return found


def find_unsupported(said: Sequence[Number], quoted: Sequence[Number], evidence: str) -> list[Number]:
    """Return the numbers of a statement that are not among those quoted.

    evidence: the quotes' text, in which "a" and "single" count as one, and "both" as two.
    """
    return [
        number
        for number in said
        if not any(agree(number, other) for other in quoted) and not _is_one(number, quoted, evidence)
    ]


def is_counted(number: Number) -> bool:
    """Return True if a number may be of the writer's own counting: "two ways", "the second slide"."""
    return not number.unit and number.value in (1, 2, 3, "ordinal 1", "ordinal 2", "ordinal 3")


def is_quoted_as_ordinal(said: Number, quoted: Sequence[Number]) -> bool:
    """Return True if the quotes have the same ordinal in the other form: "the fifth month" and "month 5"."""
    others = [other for other in quoted if isinstance(other.value, str) != isinstance(said.value, str)]
    return _find_place(said) is not None and any(_find_place(said) == _find_place(other) for other in others)


def agree(said: Number, quoted: Number) -> bool:
    """Return True when both are the same number of the same thing, as far as their units show."""
    if said.value != quoted.value or said.power != quoted.power:
        return False
    if said.unit and quoted.unit:
        return said.unit == quoted.unit
    if said.unit:
        return not quoted.noun
    return not (quoted.unit and said.noun)


def _find_place(number: Number) -> int | None:
    """Return the place in an order that a number may mean: of "fifth", and of the 5 after the thing that it numbers."""
    if isinstance(number.value, str):
        word, _, place = number.value.partition(" ")
        return int(place) if word == "ordinal" else None
    stands_behind = not (number.unit or number.noun or number.scaled) and number.value.denominator == 1
    return int(number.value) if stands_behind else None


def write_plain_fractions(text: str) -> str:
    """Return text in which ½ is written 1/2, with a space before it where it follows a digit.

    Minus signs are hyphens.
    """
    if text.isascii():  # has none of them, and most texts are: looking at each character took longer than the rest
        return text
    plain: list[str] = []
    for character in text:
        if unicodedata.decomposition(character).startswith("<fraction>"):
            gap = " " if plain and plain[-1].isdigit() else ""
            plain.extend(gap + unicodedata.normalize("NFKC", character).replace("\u2044", "/"))
        else:
            plain.append("-" if character in "‐‑‒–—−" else character)
    return "".join(plain)


def _read_number(match: re.Match[str], text: str) -> Number | None:
    value = _read_value(match, text)
    if value is None:
        return None
    end = match.end()
    scale = None if isinstance(value, str) else _SCALE.match(text, end)
    if scale and not isinstance(value, str):
        value, end = value * SCALES[scale.group(1).casefold()], scale.end()
    scaled = bool(_ENDS_IN_SCALE.search(text, match.start(), end))
    unit, end = _read_unit(match, text, end)
    following = _NEXT_WORD.match(text, end)
    noun = following.group(1) if following and following.group(1) not in STOP_WORDS else ""
    value, power = _read_power(match, value, unit)
    return Number(value=value, unit=unit, noun=noun, scaled=scaled, power=power, start=match.start(), end=end)


def _read_value(match: re.Match[str], text: str) -> Fraction | str | None:
    groups = match.groupdict()
    if groups["code"] or groups["raw"]:
        return str(groups["code"] or groups["raw"]).casefold()
    if groups["ordinal"] or groups["ordinal_word"]:
        number = groups["ordinal"] or ORDINALS[groups["ordinal_word"].casefold()]
        return f"ordinal {int(number) + TENS.get((groups['tens'] or '').casefold(), 0)}"
    if groups["word"]:
        return _read_word(match, text)
    value = Fraction(groups["whole"].replace(",", "") + (groups["decimals"] or ""))
    if groups["mixed"]:
        numerator, denominator = (int(part) for part in groups["mixed"].split("/"))
        value += Fraction(numerator, denominator) if denominator else 0
    if groups["divisor"]:
        divisor = int(groups["divisor"][1:])
        if not divisor:
            return groups["whole"] + groups["divisor"]
        value /= divisor
    return -value if groups["sign"] else value


def _read_power(match: re.Match[str], value: Fraction | str, unit: str) -> tuple[Fraction | str, str]:
    """Return the value, and the power that it is raised to. A power of ten is worked out, as in 10⁻³.

    A number with a unit is raised to none, since a power would follow the unit; nor is one raised to 1. What is raised
    there is the mark of a note.
    """
    power = (match.groupdict()["power"] or "").strip("^()+")
    if not power or isinstance(value, str):
        return value, ""
    if abs(value) == 10 and unit not in _MONEY and abs(int(power)) <= _MOST_POWER:
        return value * Fraction(10) ** (int(power) - 1), ""
    return value, "" if unit or int(power) == 1 else power


def _read_word(match: re.Match[str], text: str) -> Fraction | None:
    word = match.group("word").casefold()
    if word in _OTHER:
        return _OTHER[word]
    if word == "one" and (_PRONOUN_AFTER.match(text, match.end()) or _PRONOUN_BEFORE.search(text[: match.start()])):
        return None  # "one of them", "no one", "the one that": not a count
    return Fraction(value_of(word))


def _read_unit(match: re.Match[str], text: str, end: int) -> tuple[str, int]:
    if match.groupdict()["currency"]:
        return _CURRENCIES[match.group("currency")], end
    found = _UNIT.match(text, end)
    if not found or found.lastindex is None:
        return "", end
    return _UNITS[found.lastindex - 1][0], found.end()


def _take_unit(here: Number, following: Number, text: str) -> Number:
    value = here.value
    if following.scaled and not here.scaled and isinstance(value, Fraction):
        scale = _SCALE.search(text, following.start, following.end)
        value = value * SCALES[scale.group(1).casefold()] if scale else value
    return replace(here, value=value, unit=following.unit, noun="")


def _is_one(number: Number, quoted: Sequence[Number], evidence: str) -> bool:
    """Return True if "one" or "first" counts nothing that the evidence counts otherwise: "first, close the valve"."""
    if number.value == "ordinal 1":
        return not any(other.noun == number.noun and str(other.value).startswith("ordinal") for other in quoted)
    if number.value == 2 and not number.unit and _BOTH.search(evidence):
        return True
    return number.value == 1 and not number.unit and bool(_SINGLE.search(evidence))
