"""Finding a quote in a text whose white space and typography may differ, and where it stands. Pure."""

import unicodedata

_SAME = str.maketrans(
    {
        "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'",
        "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    }
)  # fmt: skip
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def fold(text: str) -> tuple[str, list[int]]:
    """Fold white space runs to one space, typographic quotes and dashes to plain ones, ligatures to letters.

    Returns the folded text and, for each of its characters, the offset in the text that it came from.
    """
    folded: list[str] = []
    origin: list[int] = []
    for offset, character in enumerate(text):
        if character in _INVISIBLE:
            continue
        if character.isspace():
            if folded and folded[-1] == " ":
                continue
            plain = " "
        else:
            plain = unicodedata.normalize("NFKC", character).translate(_SAME)
        for part in plain:
            folded.append(part)
            origin.append(offset)
    return "".join(folded), origin


def fold_quote(quote: str) -> str:
    """The words of a quote, folded, without the quotation marks and ellipses around it."""
    wanted = fold(quote)[0].strip().strip('"').strip()
    return wanted.removeprefix("...").removesuffix("...").strip()


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """The (start, end) offsets in the text of the words that the quote repeats, or None when it does not.

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
