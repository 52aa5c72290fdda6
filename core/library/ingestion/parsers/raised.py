"""Raised and lowered text as plain text that keeps its meaning: 18² is not 182, CO₂ is found as CO2. Pure.

Superscripts become the characters that Unicode has for them: 10⁻³, m². What Unicode lacks is written as ^(…) and _(…).
Ordinals keep their letters: 5th, 1er. The mark of a note is put in brackets, apart from the word or figure before it,
where it is certain to be one; behind a figure it may as well be an exponent, and stays raised. The lowered figures of
formulas are plain ones, as people type and search them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto

_RAISED = str.maketrans(
    "0123456789+-−–‐‑=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ",
)
_LOWERED = str.maketrans("0123456789+-−–‐‑=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
# Endings of ordinals and of abbreviations that are set raised: 5th, 1er, 2ème, 3ten, Mlle, Nos.
_ENDINGS = frozenset(
    """th st nd rd er ers re res ère ères ème èmes eme emes ième ieme nde de te ten ter tes ste sten os as mo vo ra ro
    do to lle lles me mes gr bre et ct rs""".split()  # noqa: SIM905 - as STOP_WORDS
)
_ABBREVIATED = frozenset(("D", "Dr", "M", "Mm", "N", "n", "No", "S", "V", "Vve"))  # before a raised letter: Dr, Me, St
_LETTER_ENDINGS = {"o": "º", "a": "ª", "e": "e", "r": "r", "d": "d", "t": "t"}
# Words of two letters and more that are raised to a power; a number behind any other word of that length is a note's.
_UNITS_AND_FUNCTIONS = frozenset(
    """mm cm dm km nm µm μm pm hm mi in ft yd ha kg mg lb lbs oz ml cl dl hl kn kw kj mj pa kpa mpa hz khz mol min sec
    sin cos tan cot csc log ln exp lim det sinh cosh tanh inch inches foot feet yard yards mile miles metre metres
    meter meters mètre mètres metro metros centimetre centimetres centimeter centimeters zentimeter kilometre
    kilometres kilometer kilometers millimetre millimetres millimeter millimeters second seconds sekunde unit
    """.split()  # noqa: SIM905 - as STOP_WORDS
)
_WORD_BEFORE = re.compile(r"(?<![^\W\d_])[^\W\d_]++\Z")
_CONTEXT = 40  # characters before a raised text that are looked at
_MOST_RAISED = 40  # characters of an exponent or an index; what is longer is small print
_MOST_MARK = 12  # characters of a note's mark

_INTEGER = re.compile(r"\d+")
_SIGNED = re.compile(r"[-−–‐‑+]\s?\d+(?:[.,]\d+)?|\d+[.,]\d+")
_NOTE_NUMBERS = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3})+")
_NOTE_IN_BRACKET = re.compile(r"(?:\d{1,3}|[a-z])\)")
_NOTE_IN_BRACKETS = re.compile(r"\((\d{1,3}|[a-z]|\*{1,3})\)")
_IN_SQUARE_BRACKETS = re.compile(r"\[[^\[\]]+\]")
_LETTERS = re.compile(r"[^\W\d_]+")
_TERM = re.compile(r"[\w+\-−–‐‑*/=().,·×<>≤≥∞′'|:]+")
_OPERATOR = re.compile(r"(?<=[\w)])\s?([+\-−–=*/])\s?(?=[\w(])")
_DEGREES_BEHIND = re.compile(r"\s?[CFK]\b")
_TEMPERATURE = ("o", "O", "0", "º", "°")
_BEFORE_NOTES = tuple('.,;:!?%€$£"”’»')  # what no power is of
_SLASH = ("/", "⁄", "∕")
_BACK_LINKS = frozenset("^↑↩↵⇑⏎")


class Place(Enum):
    """Names where a piece of text is set."""

    ON_LINE = auto()
    RAISED = auto()
    LOWERED = auto()
    NOTE = auto()  # the mark of a note, known to be one: it leads to the note


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text that is set in one place."""

    text: str
    place: Place = Place.ON_LINE


def write_runs(runs: Iterable[Run]) -> str:
    """Join the runs of one paragraph, cell or heading to its text."""
    pieces = _merge_runs(runs)
    written: list[str] = []
    before = ""
    position = 0
    while position < len(pieces):
        piece = pieces[position]
        text = _write_fraction(pieces[position : position + 3], before)
        if text:
            position += 2
        else:
            follows = pieces[position + 1] if position + 1 < len(pieces) else Run("")
            after = follows.text if follows.place is Place.ON_LINE else ""
            text = _write_run(piece, before, after)
        written.append(text)
        before = (before + text)[-_CONTEXT:]
        position += 1
    return "".join(written)


def write_raised(text: str, before: str, after: str = "") -> str:
    """Write raised text between the texts before and after it, of which the nearest end counts."""
    core = text.strip()
    before = before[-_CONTEXT:]
    if not core or _IN_SQUARE_BRACKETS.fullmatch(core):
        return text
    if core in _TEMPERATURE and before[-1:].isdecimal() and _DEGREES_BEHIND.match(after):
        return _keep_white_space(text, "°")
    if core == "TM" and _ends_in_word(before):
        return _keep_white_space(text, "™")
    if _is_note(core, before):
        return _keep_white_space(text, write_note(core))
    if _INTEGER.fullmatch(core) and not before[-1:].strip():
        gap = " " if len(_first_word(after)) > 2 else ""  # a note begins with its mark
        return _keep_white_space(text, core.translate(_RAISED) + gap)
    if _LETTERS.fullmatch(core):
        return _keep_white_space(text, _write_raised_letters(core, before, after))
    if _is_term(core, before):
        return _keep_white_space(text, _write_term(core, before, _RAISED, "^"))
    return _set_apart(core, before, after)


def write_lowered(text: str, before: str, after: str = "") -> str:
    """Write lowered text between the texts before and after it, of which the nearest end counts."""
    core = text.strip()
    if not core:
        return text
    if _INTEGER.fullmatch(core):
        last = before[-1:]
        is_plain = ((last.isalpha() and last.isascii()) or last in (")", "]")) and not after[:1].isdecimal()
        return text if is_plain or not last.strip() else _keep_white_space(text, core.translate(_LOWERED))
    if _LETTERS.fullmatch(core) and len(core) > 1 and len(core) <= _MOST_RAISED:
        return _keep_white_space(text, f"_{core}" if _ends_in_word(before) else core)
    if _is_term(core, before):
        return _keep_white_space(text, _write_term(core, before, _LOWERED, "_"))
    return _set_apart(core, before, after)


def write_note(mark: str) -> str:
    """Write the mark of a note so that it is no part of the word or figure before it: "[1]"; signs as they are."""
    core = mark.strip().strip("()[]").strip()
    if not core or core in _BACK_LINKS:
        return ""
    if not any(character.isalnum() for character in core):
        return core
    plain = core.replace("–", "-").replace(";", ",")
    return f"[{plain}]" if len(core) <= _MOST_MARK else f" {core} "


def _merge_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the runs without empty ones, neighbours in the same place joined: programs cut them as they like."""
    merged: list[tuple[Place, list[str]]] = []
    for run in runs:
        if not run.text:
            continue
        if merged and merged[-1][0] is run.place and run.place is not Place.NOTE:
            merged[-1][1].append(run.text)
        else:
            merged.append((run.place, [run.text]))
    return [Run("".join(texts), place) for place, texts in merged]


def _write_run(run: Run, before: str, after: str) -> str:
    match run.place:
        case Place.RAISED:
            return write_raised(run.text, before, after)
        case Place.LOWERED:
            return write_lowered(run.text, before, after)
        case Place.NOTE:
            return _keep_white_space(run.text, write_note(run.text))
        case _:
            return run.text


def _write_fraction(runs: list[Run], before: str) -> str:
    """Return a figure above a slash and one below it, as 1/2; "" where the three runs are none."""
    if len(runs) < 3 or [run.place for run in runs] != [Place.RAISED, Place.ON_LINE, Place.LOWERED]:
        return ""
    above, slash, below = (run.text.strip() for run in runs)
    if slash not in _SLASH or not _INTEGER.fullmatch(above) or not _INTEGER.fullmatch(below):
        return ""
    return f"{' ' if before[-1:].isdecimal() else ''}{above}/{below}"


def _is_note(core: str, before: str) -> bool:
    """Return True if a raised text can be nothing but the mark of a note."""
    last, word = before[-1:], _word_before(before)
    is_behind_name = len(word) > 3 and word.casefold() not in _UNITS_AND_FUNCTIONS
    if _NOTE_IN_BRACKET.fullmatch(core):
        return True
    if _NOTE_IN_BRACKETS.fullmatch(core):
        return is_behind_name or last.isdecimal() or not last.isalnum()
    if _NOTE_NUMBERS.fullmatch(core):
        return bool(last.strip()) and not before.endswith("10") and (len(word) != 1)
    if _INTEGER.fullmatch(core) and len(core) < 4:
        return _is_note_number(int(core), word) if word else last in tuple('.,;:!?%€$£"”’»')
    return is_behind_name and len(core) == 1 and core.islower()


def _is_note_number(number: int, word: str) -> bool:
    if len(word) == 1 or word.casefold() in _UNITS_AND_FUNCTIONS:
        return False
    return len(word) > 2 or number not in (2, 3)


def _write_raised_letters(core: str, before: str, after: str) -> str:
    """Raised letters: an ordinal's ending, an exponent, or a word that is set small."""
    word = _word_before(before)
    is_abbreviated = before[-1:].isdecimal() or word in _ABBREVIATED or (word.isupper() and set(word) <= set("IVXLC"))
    if core.casefold() in _ENDINGS:
        return core
    if len(core) == 1:
        if is_abbreviated and core in _LETTER_ENDINGS:
            return _LETTER_ENDINGS[core]
        return _in_place(core, _RAISED, "^") if _ends_in_word(before) or before[-1:] in tuple(")]") else core
    if before[-1:].isdecimal() or len(word) == 1:
        return f"^({core})"
    return _set_apart(core, before, after)


def _is_term(core: str, before: str) -> bool:
    """Return True if a text is an exponent, an index or a sign, and no small print."""
    term = _without_spaces(core)
    if not any(character.isalnum() for character in term):
        return True
    if not before[-1:].strip():
        return bool(_SIGNED.fullmatch(term))
    return len(term) <= _MOST_RAISED and bool(_TERM.fullmatch(term))


def _write_term(core: str, before: str, characters: dict[int, int], sign: str) -> str:
    """Return an exponent or an index of more than letters; signs as they are, without those of a charge."""
    term = _without_spaces(core)
    if any(character.isalnum() for character in term):
        return _in_place(term, characters, sign)
    is_charge = set(term) <= set("+-−–") and len(_word_before(before)) < 4 and term != "++"
    return term.translate(characters) if is_charge else term


def _without_spaces(core: str) -> str:
    return core.replace(" ", "") if _SIGNED.fullmatch(core) else _OPERATOR.sub(r"\1", core)


def _in_place(term: str, characters: dict[int, int], sign: str) -> str:
    """Return a term in the raised or lowered characters of Unicode, or behind a sign where it lacks one of them."""
    if all(ord(character) in characters or ord(character) in characters.values() for character in term):
        return term.translate(characters)
    return f"{sign}{term}" if len(term) == 1 or _SIGNED.fullmatch(term) else f"{sign}({term})"


def _keep_white_space(text: str, core: str) -> str:
    """Return the written core with the white space that was set at the ends of the text."""
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{start}{core}{end}"


def _set_apart(core: str, before: str, after: str) -> str:
    """Small print with a space between it and the words around it."""
    return f"{' ' if before[-1:].isalnum() else ''}{core}{' ' if after[:1].isalnum() else ''}"


def _word_before(before: str) -> str:
    found = _WORD_BEFORE.search(before[-_CONTEXT:])
    return found.group() if found else ""


def _first_word(after: str) -> str:
    found = _LETTERS.match(after)
    return found.group() if found else ""


def _ends_in_word(before: str) -> bool:
    return before[-1:].isalnum()


def leave_out_struck(runs: Iterable[Run | None]) -> Iterator[Run]:
    """Yield the runs of a paragraph without those struck out, each of which is given as None."""
    is_behind_gap, was_struck = True, False
    for run in runs:
        if run is None:
            was_struck = True
        elif run.text:
            text = run.text.lstrip(" ") if was_struck and is_behind_gap else run.text
            yield replace(run, text=text)
            if text:
                is_behind_gap, was_struck = text[-1].isspace(), False
