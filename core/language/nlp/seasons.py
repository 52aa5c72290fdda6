"""Compare the time of the year that a question names with the one that a rule or a row of a table is for. Pure.

Opening hours, tariffs and closures repeat each year: "October to March", "from 15 December to the end of February".
Whoever asks names the time otherwise: "over winter", "in july", "at christmas".
"""

import re

from core.language.nlp.dates import MONTH_NUMBERS, MONTHS

_SEASONS = {
    "winter": (12, 1, 2),
    "spring": (3, 4, 5),
    "summer": (6, 7, 8),
    "autumn": (9, 10, 11),
    "christmas": (12,),
    "xmas": (12,),
}
_NAME = rf"(?:{'|'.join((*MONTHS, *(name for name in MONTH_NUMBERS if name.title() not in MONTHS)))})\b\.?"
_DAY = r"(?:\d{1,2}(?:st|nd|rd|th)?\s(?:of\s)?)?"
_EDGE = rf"(?:(?:the\s)?(?:end|beginning|start|middle)\sof\s)?{_DAY}"
_NO_YEAR = r"(?!,?\s(?:\d{1,2},?\s)?(?:19|20)\d\d)"
_SPAN = re.compile(
    rf"\b{_EDGE}(?P<first>{_NAME})(?:\s\d{{1,2}})?\s?(?:[-–—]|to|until|till|through)\s?{_EDGE}(?P<last>{_NAME}){_NO_YEAR}",
    re.IGNORECASE,
)
# A month by itself has its capital letter: "may" and "march" are verbs. Not the day that a rule was made on.
_MONTH = re.compile(rf"(?<![\d.]\s)(?<!of\s)\b(?P<name>{'|'.join(MONTHS)})\b(?!\s\d{{1,2}}\b){_NO_YEAR}")
_ASKED_MONTH = re.compile(
    rf"\b(?:in|during|over|for|throughout|all)\s(?P<name>{'|'.join(MONTHS)})\b{_NO_YEAR}", re.IGNORECASE
)
_SEASON_ASKED = re.compile(
    rf"\b(?:in|during|over|at|for|throughout|this|all)\s(?:the\s)?(?P<name>{'|'.join(_SEASONS)}|fall)\b(?!\s\d)",
    re.IGNORECASE,
)


def find_months_asked(question: str) -> frozenset[int]:
    """Return the months, 1..12, of the time of the year that a question names; none where it names a year too."""
    if re.search(r"\b(?:19|20)\d\d\b", question):
        return frozenset()
    months = {MONTH_NUMBERS[found["name"].casefold()] for found in _ASKED_MONTH.finditer(question)}
    for found in _SEASON_ASKED.finditer(question):
        months.update(_SEASONS.get(found["name"].casefold(), _SEASONS["autumn"]))
    return frozenset(months)


def find_months_told(text: str) -> frozenset[int]:
    """Return the months, 1..12, that a rule or a row is for, as far as it names months or spans of them, each year's."""
    months: set[int] = set()
    for found in _SPAN.finditer(text):
        first, last = (MONTH_NUMBERS[found[name].rstrip(".").casefold()] for name in ("first", "last"))
        months.update((first + n - 1) % 12 + 1 for n in range((last - first) % 12 + 1))
    for found in _MONTH.finditer(_SPAN.sub(" ", text)):
        months.add(MONTH_NUMBERS[found["name"].casefold()])
    return frozenset(months)
