"""Find a quote and its place in a text whose white space and typography may differ. Pure."""

import re
import unicodedata

_SAME = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'",
        "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    }
)  # fmt: skip
_POWER_SIGNS = {"<super>": "^", "<sub>": "_"}
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
# Words that stay as they are, with the single spaces between them. Character by character, folding the passages took
# two thirds of the time of checking a statement.
_PLAIN = re.compile(r"[!-\]_-~]++(?: [!-\]_-~]++)*+")


def fold(text: str) -> tuple[str, list[int]]:
    """Fold white space runs to one space, typographic quotes and dashes to plain ones, ligatures to letters.

    Figures raised behind a digit are written as a power, 10⁻³ as 10^-3, and are no longer number; behind a letter they
    are plain ones, m² and m^2 as m2.

    Returns the folded text and, for each of its characters, the offset in the text that it came from.
    """
    folded: list[str] = []
    origin: list[int] = []
    offset = 0
    while offset < len(text):
        if run := _PLAIN.match(text, offset):
            folded.append(run.group())
            origin.extend(range(offset, run.end()))
            offset = run.end()
            continue
        plain = _fold_character(text, offset)
        if plain and (plain != " " or not folded or not folded[-1].endswith(" ")):
            folded.append(plain)
            origin.extend([offset] * len(plain))
        offset += 1
    return "".join(folded), origin


def _fold_character(text: str, offset: int) -> str:
    """Return a character of a text as it is compared; "" for one that is invisible, or says that a figure is raised."""
    character, before = text[offset], text[offset - 1 : offset]
    if character in _INVISIBLE:
        return ""
    if character.isspace():
        return " "
    plain = unicodedata.normalize("NFKC", character).translate(_SAME)
    sign = _POWER_SIGNS.get(unicodedata.decomposition(character).partition(" ")[0])
    if sign is not None:  # raised or lowered: the first of several behind a digit has the sign before it
        return sign + plain if before.isdecimal() else plain
    if character == "^" and before.isalpha() and text[offset + 1 : offset + 2].isdecimal():
        return ""
    return plain


def fold_quote(quote: str) -> str:
    """Return the words of a quote, folded, without the quotation marks and ellipses around it."""
    wanted = fold(quote)[0].strip().strip('"').strip()
    return wanted.removeprefix("...").removesuffix("...").strip()


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Return the (start, end) offsets in the text of the words that the quote repeats, or None when it does not.

    Quotation marks and ellipses around the quote are the model's, not the text's. Case counts.
    """
    wanted = fold_quote(quote)
    if not wanted:
        return None
    folded, origin = fold(text)
    position = folded.find(wanted)
    if position < 0:
        return None
    return origin[position], origin[position + len(wanted) - 1] + 1
