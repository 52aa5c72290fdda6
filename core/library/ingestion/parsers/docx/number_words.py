"""Numbers in the forms that Word sets them: Roman, letters, words, with zeros before them."""

_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MOST_ROMAN = 3999
_MOST_LETTERS = 10  # times that a letter is set: Word goes on from z with aa, bb, cc
_LATIN, _RUSSIAN = "abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмнопрстуфхцчшщыэюя"
_CARDINALS = (
    "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve", "Thirteen",
    "Fourteen", "Fifteen", "Sixteen", "Seventeen", "Eighteen", "Nineteen", "Twenty",
)  # fmt: skip
_ORDINALS = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth", "Eleventh",
    "Twelfth", "Thirteenth", "Fourteenth", "Fifteenth", "Sixteenth", "Seventeenth", "Eighteenth", "Nineteenth",
    "Twentieth",
)  # fmt: skip
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_LISTED = {"cardinalText": _CARDINALS, "ordinalText": _ORDINALS, "decimalEnclosedCircle": tuple(_CIRCLED)}


def write_number(number: int, form: str, digits: str = "") -> str:
    """Return a number in a form of Word's (ST_NumberFormat); in decimal digits where the form is not known.

    digits: the first number of a form "custom", as "001".
    """
    if form in ("none", "bullet"):
        return ""
    if form == "decimalZero":
        return f"{number:02}"
    if form == "custom" and digits.isdigit() and len(digits) < 10:
        return f"{number:0{len(digits)}}"
    if form == "ordinal":
        return f"{number}{_ordinal_ending(number)}"
    if number > 0:
        written = _write_letters(number, form)
        if written:
            return written.upper() if form.startswith("upper") or form.endswith("Upper") else written
    return str(number)


def _write_letters(number: int, form: str) -> str:
    """Return a number in a form without digits, in lower case where it has two cases; "" for what has no such form."""
    if form in ("lowerRoman", "upperRoman"):
        return _write_roman(number)
    if form in ("lowerLetter", "upperLetter", "russianLower", "russianUpper"):
        alphabet = _RUSSIAN if form.startswith("russian") else _LATIN
        times, place = divmod(number - 1, len(alphabet))
        return alphabet[place] * (times + 1) if times < _MOST_LETTERS else ""
    words = _LISTED.get(form, ())
    return words[number - 1] if number <= len(words) else ""


def _write_roman(number: int) -> str:
    written = ""
    for value, letters in _ROMAN if number <= _MOST_ROMAN else ():
        times, number = divmod(number, value)
        written += letters * times
    return written.lower()


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
