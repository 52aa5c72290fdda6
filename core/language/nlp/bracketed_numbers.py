"""Numbers in brackets at the beginning of a line that count no item: area codes, negative amounts, repeated numbers.

"(605) 555-0174" is a telephone number, "(861) (802)" are amounts, "(30) days" repeats "thirty"; "(3) Lock the door" is
an item.
"""

import re

_IN_BRACKETS = re.compile(r"\((?P<code>\d{1,3})\)\s+(?=\S)")
_NO_ITEM = re.compile(
    r"[|%€£¥°]|(?:days?|weeks?|months?|years?|hours?|minutes?|percent|per cent|business|calendar|consecutive|working)\b"
)
_AMOUNT = re.compile(r"\(\d[\d.,]*\)")
_RUN = re.compile(r"\d(?:[ \t]?[./–-]?[ \t]?\d)*+")
_DIGIT = re.compile(r"\d")
_IN_LETTERS = re.compile(r"[A-Z\d]{3}[-–][A-Z\d]{4}\b")  # as keys of a telephone have them
_DATE = re.compile(
    r"(?:19|20)\d\d-\d\d-\d\d\b|\d{1,2}[./]\d{1,2}[./](?:\d\d){1,2}\b|\d{1,2}\.\d\d ?[–-] ?\d{1,2}\.\d\d\b"
    r"|(?:19|20)\d\d ?[/–-] ?(?:(?:19|20)\d\d|\d\d)\b"
)
_ONE_NUMBER = re.compile(r"(?:\d{1,3}(?:[ .]\d{3})+|\d+)(?![\d./–-]| \d)")
_UNIT = re.compile(
    r" ?(?:[%€$£¥°]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf|francs?|per ?cent|kg|km|cm|mm|m|ml|l|g|t|tons?|tonnes?"
    r"|lit(?:er|re)s?|(?:kilo)?met(?:er|re)s?|minutes?|hours?|days?|weeks?|months?|years?|people|persons?|words?|pages?"
    r"|copies|pieces|items|times|units|members)\b)",
    re.IGNORECASE,
)
# Digits behind a code of so many digits from which both are a telephone number: of longer codes numbers are shorter.
_LEAST_DIGITS = {1: 7, 2: 6, 3: 5}
_LEAST_BEHIND_NOUGHT = 4  # digits behind a code that begins with 0, as few items are counted
_LEAST_UNBROKEN = 6  # digits of a number that is written without a gap


def begins_with_bracketed_number(line: str) -> bool:
    """Return True if a line begins with a number in brackets that is no item's: an area code, an amount."""
    found = _IN_BRACKETS.match(line)
    if found is None:
        return False
    if _NO_ITEM.match(line, found.end()):
        return True
    if _AMOUNT.match(line, found.end()):
        inner = _IN_BRACKETS.match(line, found.end())
        return not (inner and _is_telephone(inner["code"], line, inner.end()))
    return _is_telephone(found["code"], line, found.end())


def _is_telephone(code: str, line: str, start: int) -> bool:
    """Return True if the figures from `start` on are those of a telephone number with this area code."""
    if len(code) == 3 and _IN_LETTERS.match(line, start):
        return True
    run = _RUN.match(line, start)
    if run is None or (len(code) < 3 and _DATE.match(line, start)):
        return False
    number = _ONE_NUMBER.match(line, start)
    if number and _UNIT.match(line, number.end()):
        return False
    digits = len(_DIGIT.findall(run.group()))
    if code.startswith("0"):
        return digits >= _LEAST_BEHIND_NOUGHT
    is_unbroken = digits == len(run.group())
    return digits >= max(_LEAST_DIGITS[len(code)], _LEAST_UNBROKEN if is_unbroken else 0)
