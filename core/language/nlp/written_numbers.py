"""Read numbers as they are written: in words, with raised figures behind them, in brackets. Pure.

In words: twelve, ninety-one, two hundred and fifty, third. Who reads them says which count: "a hundred" is an amount
and no exact figure, "twice" and "daily" answer how often. Raised and lowered figures: 10⁻³ is 10^-3, 18² is not 182.
In brackets at the beginning of a line: "(605) 555-0174" is a telephone number, "(861) (802)" are amounts, "(30) days"
repeats "thirty"; only "(3) Lock the door" is an item.
"""

import re

_TO_NINETEEN = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905 - a list of so many strings would be harder to read
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905

SMALL = {word: value for value, word in enumerate(_TO_NINETEEN)}
TENS = dict(zip(_TENS, range(20, 100, 10), strict=True))
CARDINALS = SMALL | TENS | {"dozen": 12}
ORDINALS = {word: place for place, word in enumerate(_PLACES, start=1)}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}

_GAP = r"[\s-]{1,2}+"
_AND = rf"{_GAP}(?:and{_GAP})?"
_ONES = "|".join(_TO_NINETEEN[1:10])
_SCALE = "|".join(SCALES)
_LARGE = "million|billion|trillion"
# "A hundred" by itself is as often a manner of speaking; "a hundred and fifty" is a figure.
_A = rf"a(?={_GAP}(?:{_SCALE}){_AND}(?:{'|'.join([*SMALL, *TENS])})\b)"
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:{_GAP}(?:{_ONES}))?|{'|'.join(SMALL)}|{_A})\b"
# Between "one hundred and two hundred" two figures are joined, and each ends where the other begins.
_BELOW_THOUSAND = rf"{_BELOW_HUNDRED}(?:{_GAP}hundred\b(?:{_AND}{_BELOW_HUNDRED}(?!{_GAP}hundred\b))?)?"
_BELOW_MILLION = (
    rf"{_BELOW_THOUSAND}(?:{_GAP}thousand\b(?:,?{_AND}{_BELOW_THOUSAND}(?!{_GAP}(?:thousand|{_LARGE})\b))?)?"
)
SPELT_OUT = (
    rf"(?:{_BELOW_THOUSAND}{_GAP}(?:{_LARGE})\b(?:,?{_AND}{_BELOW_MILLION}(?!{_GAP}(?:{_LARGE})\b))?|{_BELOW_MILLION})"
)
_WORD = re.compile(r"[a-z]+")

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_PLAIN_RAISED = str.maketrans(_RAISED, "0123456789+-")
_PLAIN_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_BEHIND_NUMBER = re.compile(rf"(?<=\d)(?:([{_RAISED}]++)|([₀-₉]++))")
# What may be the mark of a note behind a figure, with the white space before it.
_MARK = re.compile(rf"(?<=\d)(?:[{_RAISED}]++|\^-?\d{{1,3}}(?!\d)| ?\[\d{{1,3}}\])")

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


def value_of(words: str) -> int:
    """Return the number that is spelt out in words, as SPELT_OUT finds them: 250 of "Two hundred and fifty"."""
    total = group = 0
    for word in _WORD.findall(words.casefold()):
        if word in SCALES and SCALES[word] > 100:
            total, group = total + group * SCALES[word], 0
        elif word in SCALES:
            group *= 100
        elif word != "and":
            group += 1 if word == "a" else CARDINALS[word]
    return total + group


def write_powers(text: str) -> str:
    """Write figures that are raised behind a digit as ^2, and lowered ones as _2; the rest as it is."""
    return _BEHIND_NUMBER.sub(_write_power, text)


def drop_marks(text: str) -> str:
    """Return the text without the powers and marks of notes behind its figures.

    "250¹ euros" and "250[1] euros" name a price. For finding out what kind of thing a text names: its value is another
    one without the power.
    """
    return _MARK.sub("", text)


def _write_power(found: re.Match[str]) -> str:
    if found[1]:
        return f"^{found[1].translate(_PLAIN_RAISED)}"
    return f"_{found[2].translate(_PLAIN_LOWERED)}"


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
