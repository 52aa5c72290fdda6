"""The English words that are numbers or places in an order: twelve, ninety, million, third. Pure.

Who reads them says which count: "a hundred" is an amount and no exact figure, "twice" and "daily" answer how often.
"""

_TO_NINETEEN = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen""".split()  # noqa: SIM905 - a list of so many strings would be harder to read
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905

SMALL = {word: value for value, word in enumerate(_TO_NINETEEN)}
TENS = dict(zip(_TENS, range(20, 100, 10), strict=True))
CARDINALS = SMALL | TENS | {"dozen": 12}
ORDINALS = {word: place for place, word in enumerate(_PLACES, start=1)}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
