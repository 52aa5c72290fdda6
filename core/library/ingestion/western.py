"""Telling text in Windows-1252 or Latin-1 from text in other encodings of one byte a character. Pure.

What looks at the shares of bytes alone takes the ² of a short German file for an ogonek of Central Europe.
"""

import re
from collections import Counter
from collections.abc import Collection

ENCODING = "cp1252"  # holds Latin-1
_ALPHABETS = tuple(
    frozenset(letters)
    for letters in (
        "äöüßé",  # German
        "àâæçéèêëîïôœùûüÿ",  # French
        "áéíñóúüçºª",  # Spanish
        "ãáàâçéêíóôõúüºª",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "åäöæøéü",  # Danish, Norwegian, Swedish, Finnish
        "áðéíóúýþæö",  # Icelandic
        "ëïéèöüáóçê",  # Dutch
        "àçèéíïòóúü",  # Catalan
    )
)
# Languages whose letters are in the same places of other code pages.
_OTHERS = {
    "cp1250": (
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "ąćęłńóśźż",  # Polish
        "áéíóöőúüű",  # Hungarian
        "čćđšž",  # Croatian, Slovene
        "ăâîşţ",  # Romanian
    ),
    "cp1254": ("çğıöşüâ",),  # Turkish
}
_SHARE_OF_ONE = 0.95  # of the letters with marks, that one language has
_SHARE_OF_ALL = 0.98  # the same of the Western languages together
_MOST_IN_RUNS = 0.3  # of the bytes above ASCII, that are in runs: alphabets without Latin letters
_HIGH = re.compile(r"[^\x00-\x7f]+")
_LONG_RUN = 3  # characters above ASCII in a row
# Signs within a word, letters in capitals behind small ones, and control characters: no Western text has them.
_ODD = re.compile(
    r"(?<=[A-Za-zß-ÿ])[¡-©«-´¶-¹»-¿×÷†‡•€‚„“”‰‹›ƒˆ˜](?=[A-Za-zß-ÿ])"
    r"|(?<=[a-zß-ÿ])[ŠŽŒŸÀ-ÖØ-Þ](?=[a-zß-ÿ])|[\x80-\x9f]|[ÿþýðŠŽ](?=[A-Z])"
)
_MOST_ODD = 0.02  # of the characters above ASCII


def is_western(content: bytes) -> bool:
    """Return True if a text that is not UTF-8 reads as one of a Western European language in Windows-1252."""
    try:
        text = content.decode(ENCODING)
    except UnicodeDecodeError:
        return False
    runs = _HIGH.findall(text)
    high = sum(map(len, runs))
    if not high or sum(len(run) for run in runs if len(run) >= _LONG_RUN) > _MOST_IN_RUNS * high:
        return False
    if sum(1 for _ in _ODD.finditer(text)) > _MOST_ODD * high:
        return False
    if max(_share(text, alphabet) for alphabet in _ALPHABETS) >= _SHARE_OF_ONE:
        return True
    # Names from several countries, unless another code page makes one language of them.
    return _share(text, frozenset().union(*_ALPHABETS)) >= _SHARE_OF_ALL and not _is_of_another(content)


def _share(text: str, alphabet: Collection[str]) -> float:
    """The share of a text's letters with marks that an alphabet has; 1 where the text has none."""
    marked = "".join(_HIGH.findall(text)).lower()
    letters = Counter(letter for letter in marked if letter.isalpha() and letter != "µ")
    return sum(letters[letter] for letter in alphabet) / letters.total() if letters else 1.0


def _is_of_another(content: bytes) -> bool:
    """Return True if a text is all of one language that is written in another code page."""
    for encoding, alphabets in _OTHERS.items():
        text = content.decode(encoding, "replace")
        if max(_share(text, alphabet) for alphabet in alphabets) >= _SHARE_OF_ONE:
            return True
    return False
