"""The English words that are numbers or places in an order: twelve, ninety-one, two hundred and fifty, third. Pure.

Who reads them says which count: "a hundred" is an amount and no exact figure, "twice" and "daily" answer how often.
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


def value_of(words: str) -> int:
    """The number that is spelt out in words, as SPELT_OUT finds them: 250 of "Two hundred and fifty"."""
    total = group = 0
    for word in _WORD.findall(words.casefold()):
        if word in SCALES and SCALES[word] > 100:
            total, group = total + group * SCALES[word], 0
        elif word in SCALES:
            group *= 100
        elif word != "and":
            group += 1 if word == "a" else CARDINALS[word]
    return total + group
