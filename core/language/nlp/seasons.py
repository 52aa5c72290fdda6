"""Compare the time of the year that a question names with the one that a rule or a row of a table is for. Pure.

Opening hours, tariffs and closures repeat each year: "October to March", "from 15 December to the end of February".
Whoever asks names the time otherwise: "over winter", "in july", "at christmas".
"""

import re
from dataclasses import dataclass

from core.language.nlp.dates import MONTH_NUMBERS, MONTHS

_SEASONS = {
    "winter": (12, 1, 2),
    "spring": (3, 4, 5),
    "summer": (6, 7, 8),
    "autumn": (9, 10, 11),
    "fall": (9, 10, 11),
    "christmas": (12,),
    "xmas": (12,),
}
TIMES_OF_YEAR = "|".join((*_SEASONS, *MONTHS))
_NAME = rf"(?:{'|'.join((*MONTHS, *(name for name in MONTH_NUMBERS if name.title() not in MONTHS)))})\b\.?"
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?[ \t](?:of\s)?)?"
_EDGE = rf"(?:(?:the\s)?(?:end|beginning|start|middle)\sof\s)?{_DAY}"
_NO_YEAR = r"(?!,?\s(?:\d{1,2},?\s)?(?:19|20)\d\d)"
_SPAN = re.compile(
    rf"\b{_EDGE}(?P<first>{_NAME})(?:\s\d{{1,2}})?\s?(?:[-–—]|to|until|till|through)\s?{_EDGE}(?P<last>{_NAME}){_NO_YEAR}",
    re.IGNORECASE,
)
# A month by itself has its capital letter: "may" and "march" are verbs. Not the day that a rule was made on.
_MONTH = re.compile(rf"(?<![\d.]\s)(?<!of\s)\b(?P<name>{'|'.join(MONTHS)})\b(?!\s\d{{1,2}}\b){_NO_YEAR}")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ASKED_MONTH = re.compile(
    rf"\b(?:in|during|over|for|throughout|all)\s(?P<name>{'|'.join(MONTHS)})\b{_NO_YEAR}", re.IGNORECASE
)
_ASKED_SEASON = re.compile(
    rf"\b(?:in|during|over|at|for|throughout|this|all)\s(?:the\s)?(?P<name>{'|'.join(_SEASONS)})\b(?!\s\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Season:
    """Holds the time of the year that a question names."""

    months: frozenset[int] = frozenset()  # 1..12; none where it names none
    names: tuple[str, ...] = ()  # as the question has them: "winter", "july"

    def is_told_by(self, text: str) -> bool:
        """Return True if a text is for a part of this time."""
        return bool(self.months and self.months & find_months_told(text))

    def is_missed_by(self, text: str) -> bool:
        """Return True if a text is for other times of the year alone."""
        told = find_months_told(text) if self.months else frozenset()
        return bool(told) and not self.months & told


def find_season(question: str) -> Season:
    """Return the time of the year that a question names; with a year it is a date, and none."""
    if _YEAR.search(question):
        return Season()
    months: set[int] = set()
    names = []
    for found in (*_ASKED_MONTH.finditer(question), *_ASKED_SEASON.finditer(question)):
        names.append(found["name"])
        name = found["name"].casefold()
        months.update((MONTH_NUMBERS[name],) if name in MONTH_NUMBERS else _SEASONS[name])
    return Season(months=frozenset(months), names=tuple(names))


def reword_season(question: str, text: str) -> str:
    """Return a question with its time of the year as a text has it: "from October to March" for "over winter".

    As it is where the text has the question's own word, or no span of months that this time is a part of.
    """
    season = find_season(question)
    asked = _ASKED_SEASON.search(question) or _ASKED_MONTH.search(question)
    if not season.months or not asked or asked["name"].casefold() in text.casefold():
        return question
    spans = (found.group().rstrip(".") for found in _SPAN.finditer(text))
    span = next((one for one in spans if season.months <= find_months_told(one)), "")
    return f"{question[: asked.start()]}from {span}{question[asked.end() :]}" if span else question


def find_months_told(text: str) -> frozenset[int]:
    """Return the months, 1..12, that a rule or a row is for, where it names months or spans of them without a year."""
    months: set[int] = set()
    for found in _SPAN.finditer(text):
        first, last = (MONTH_NUMBERS[found[name].rstrip(".").casefold()] for name in ("first", "last"))
        months.update((first + n - 1) % 12 + 1 for n in range((last - first) % 12 + 1))
    for found in _MONTH.finditer(_SPAN.sub(" ", text)):
        months.add(MONTH_NUMBERS[found["name"].casefold()])
    return frozenset(months)
