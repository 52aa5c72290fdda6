"""Find passwords, keys and tokens in the text of documents, and mask them. Pure, and linear in the text's length.

Two kinds of signs are used: the published formats of tokens (a prefix, and a length), and words that announce a secret
("password:", "Passwort lautet", a column "PIN") before a value that looks like one. Formats are those that the vendors
document; the README of the detector's dataset, evaluation/secrets.jsonl, says how well it finds what people write.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.values.secret_patterns import (
    ABOUT,
    ACCENTED_PARTS,
    ANNOUNCED,
    BEARER,
    BEFORE_SIGNING_IN,
    BETWEEN,
    CAPITAL_OR_DIGIT,
    CODE_OF_CAPITALS,
    CODE_VALUE,
    COMBINATION,
    COMPOUNDS,
    DATE_OR_TIME,
    DIGITS,
    DIRECTLY,
    FORMATS,
    FORMATS_AFTER,
    IN_ADDRESS,
    KEY_BEGINS,
    KEY_BODY,
    KEY_ENDS,
    KEY_LINES,
    LONG,
    LONGEST_SIGN,
    MOST_AFTER_VERB,
    MOST_BEFORE,
    MOST_ROUNDS,
    NEAR,
    NO_CODE_AFTER,
    NO_CODE_BEHIND,
    OPENED,
    OPENED_PARTS,
    OPENING,
    OPENING_REACH,
    OPENING_VALUE,
    PAIR,
    PARTS,
    PLACEHOLDER,
    QUANTITY,
    QUOTES,
    RECOVERY_REACH,
    RECOVERY_VALUE,
    REST_OF_KEY,
    SHORT_PARTS,
    SHORTEST_KEY_LINE,
    SHORTEST_TOKEN,
    SIGN,
    SIGNING_IN,
    STRONG,
    SYMBOLS,
    USER_OPTION,
    VALUE,
    WEBHOOK,
    WORD_BEGINS,
    YEAR,
)

MASK = "•"  # one for each character, so that every place in the text stays where it is


class SecretKind(StrEnum):
    """Lists the kinds of secrets."""

    PASSWORD = "password"  # noqa: S105 - the name of a kind
    CODE = "code"  # PINs, codes of doors and alarms, recovery codes
    TOKEN = "token"  # noqa: S105 - the name of a kind
    PRIVATE_KEY = "private_key"
    CONNECTION = "connection"  # the password within an address or a connection string


SECRETS_IN_WORDS = {
    SecretKind.PASSWORD: "password",
    SecretKind.CODE: "PIN or code",
    SecretKind.TOKEN: "access key or token",
    SecretKind.PRIVATE_KEY: "private key",
    SecretKind.CONNECTION: "password in an address",
}


@dataclass(frozen=True, order=True, slots=True)
class Secret:
    """Holds the place of a secret: text[start:end]."""

    start: int
    end: int
    kind: SecretKind


_KINDS = {"recovery": SecretKind.CODE, "code": SecretKind.CODE, "token": SecretKind.TOKEN}


def find_secrets(text: str) -> list[Secret]:
    """Find the secrets in a text, in their order; those that overlap count as one, of the kind that begins first.

    What is found in the text with these masked counts too, so that a masked text has no secret.
    """
    found: list[Secret] = []
    for _ in range(MOST_ROUNDS):
        more = list(_find_all(text))
        if not more:
            break
        found = _merge([*found, *more])
        text = mask_found(text, found)
    return found


def _merge(found: list[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if merged and one.start < merged[-1].end:
            merged[-1] = replace(merged[-1], end=max(merged[-1].end, one.end))
        else:
            merged.append(one)
    return merged


def mask_found(text: str, found: Iterable[Secret]) -> str:
    """Put a dot in the place of each character of secrets that were found in a text."""
    pieces, done = [], 0
    for one in found:
        words = text[one.start : one.end]
        pieces += [text[done : one.start], "".join(letter if letter == "\n" else MASK for letter in words)]
        done = one.end
    return "".join([*pieces, text[done:]])


def mask_secrets(text: str, *, is_shown: Callable[[str], bool] | None = None) -> str:
    """Put a dot in the place of each character of each secret; line breaks stay.

    is_shown: says of a secret's words whether they are meant to be read; those stay. None: no secret is.
    """
    found = find_secrets(text)
    if is_shown is not None:
        found = [one for one in found if not is_shown(text[one.start : one.end])]
    return mask_found(text, found) if found else text


def is_same_but_masked(one: str, other: str) -> bool:
    """Return True if two texts differ in nothing but what is masked in one of them.

    What was quoted before a secret was said to be meant to be read, or before secrets were masked, is still that quote.
    """
    if one == other:
        return True
    return len(one) == len(other) and all(
        left == right or MASK in (left, right) for left, right in zip(one, other, strict=True)
    )


def _find_all(text: str) -> Iterator[Secret]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose small form is two, such as İ: places would differ
        lowered = "".join(letter if len(letter.lower()) > 1 else letter.lower() for letter in text)
    yield from _find_tokens(text)
    yield from _find_keys(text)
    yield from _find_credentials(text, lowered)
    yield from _find_announced(text, lowered)
    yield from _find_opening(text, lowered)
    for word in SIGNING_IN:
        for place in _list_places(lowered, word):
            yield from _find_strong(text, max(0, place - BEFORE_SIGNING_IN), place + NEAR)
    for pair in PAIR.finditer(text) if "@" in text else ():
        yield from _find_mixed(text, pair.start(1), pair.end(1), SecretKind.PASSWORD)
    if "|" in text:
        yield from _find_in_tables(text)


def _find_tokens(text: str) -> Iterator[Secret]:
    """Yield what has the format of a token. Only words that are long enough are looked at."""
    done, has_key_lines = 0, False
    for word in text.split():
        if len(word) < SHORTEST_TOKEN or not CAPITAL_OR_DIGIT.search(word, 1):
            continue
        start = text.index(word, done)
        done = start + len(word)
        has_key_lines |= len(word) >= SHORTEST_KEY_LINE
        first = FORMATS.search(text, start, done)
        if first:
            yield Secret(first.start(), first.end(), SecretKind.TOKEN)
        for match in FORMATS_AFTER.finditer(text, first.end(), done) if first else ():
            yield Secret(match.start(), match.end(), SecretKind.TOKEN)
        for match in WEBHOOK.finditer(text, start, done):
            yield Secret(match.start(1), match.end(1), SecretKind.TOKEN)
    for lines in KEY_LINES.finditer(text) if has_key_lines else ():
        if _count_classes(lines[0]) >= 3:
            yield Secret(lines.start(), lines.end(), SecretKind.PRIVATE_KEY)


def _find_keys(text: str) -> Iterator[Secret]:
    """Yield private keys, each with its first and last line; one that is cut off goes as far as its base64 does."""
    begins = KEY_BEGINS.search(text) if "PRIVATE KEY" in text else None
    ends: re.Match[str] | None = None
    is_cut_off = False
    while begins:
        ends = None if is_cut_off else KEY_ENDS.search(text, begins.end())
        is_cut_off = ends is None
        end = ends.end() if ends else begins.end()
        if ends is None and (rest := REST_OF_KEY.match(text, end)):
            end = rest.end()
        if KEY_BODY.search(text, begins.end(), end):
            yield Secret(begins.start(), end, SecretKind.PRIVATE_KEY)
        begins = KEY_BEGINS.search(text, end)


def _find_credentials(text: str, lowered: str) -> Iterator[Secret]:
    """Yield what is sent to log in: behind "Bearer", in curl's option, and within an address."""
    for word in ("bearer", "basic"):
        for place in _list_places(lowered, word):
            match = BEARER.match(text, place)
            if match and (_count_classes(match[1]) >= 3 or len(match[1]) > 30):
                yield Secret(match.start(1), match.end(1), SecretKind.TOKEN)
    places = _list_places(text, "://") if "@" in text else []
    found = [IN_ADDRESS.match(text, place) for place in places]
    found += [USER_OPTION.match(text, place) for place in _list_places(lowered, "curl")]
    for match in filter(None, found):
        if not PLACEHOLDER.search(match[1]):
            yield Secret(match.start(1), match.end(1), SecretKind.CONNECTION)


def _list_places(text: str, words: str) -> list[int]:
    """Return where words are in a text."""
    places, place = [], text.find(words)
    while place >= 0:
        places.append(place)
        place = text.find(words, place + 1)
    return places


def _find_announced(text: str, lowered: str) -> Iterator[Secret]:
    """Yield the values that a word for a secret announces."""
    for word in _list_announcing(text, lowered):
        group = str(word.lastgroup)
        kind = _KINDS.get(group, SecretKind.PASSWORD)
        if group == "recovery":
            yield from _find_recovery_codes(text, word.end())
            continue
        yield from _find_value(text, lowered, word.end(), kind, is_verb=group == "verb")
        if group == "password":
            yield from _find_strong(text, word.end(), word.end() + NEAR)
        elif group == "code" and (digits := DIGITS.match(text, word.end())):
            yield Secret(digits.start(1), digits.end(1), kind)
        if group in ("password", "code") and (value := DIRECTLY.match(text, word.end())):
            yield from _find_mixed(text, value.start(1), value.end(1), kind)


def _find_mixed(text: str, start: int, end: int, kind: SecretKind) -> Iterator[Secret]:
    """Yield a value that is nothing but a password by its characters: of three kinds, digits among them."""
    start, end = _trim(text, start, end)
    value = text[start:end]
    is_plain = PLACEHOLDER.search(value) or DATE_OR_TIME.match(value) or QUANTITY.match(value)
    if not is_plain and _count_classes(value) >= 3 and any(map(str.isdigit, value)):
        yield Secret(start, end, kind)


def _find_opening(text: str, lowered: str) -> Iterator[Secret]:
    """Yield codes of doors, alarms and safes that no single word announces: "the alarm is disarmed with 70316"."""
    if not any(part in lowered for part in OPENED_PARTS):
        return
    for match in OPENING_VALUE.finditer(text):
        start, end = match.span()
        while start and (text[start - 1] in "*#" or "A" <= text[start - 1] <= "Z"):
            start -= 1
        value = text[start:end]
        is_apart = not (start and (text[start - 1].isalnum() or text[start - 1] in "_.,:/€$£-"))
        if not is_apart or not CODE_OF_CAPITALS.fullmatch(value) or NO_CODE_AFTER.match(text, end) or YEAR.match(value):
            continue
        before = lowered[max(0, start - OPENING_REACH) : start].rpartition("\n\n")[2]
        near = before + lowered[end : end + 20]
        if OPENED.search(near) and OPENING.search(before) and not NO_CODE_BEHIND.search(before):
            yield Secret(start, end, SecretKind.CODE)


def _find_value(text: str, lowered: str, after: int, kind: SecretKind, *, is_verb: bool) -> Iterator[Secret]:
    """Yield the value behind the first sign that one comes."""
    between = BETWEEN.match(lowered, after)
    sign = SIGN.search(lowered, after, between.end() + LONGEST_SIGN) if between else None
    if between is None or sign is None or sign.start() > between.end() or ABOUT.search(lowered, after, sign.start()):
        return
    is_said = not sign[0].strip(" \t\n:=->→*_`")
    if is_verb and not (is_said and sign.start() - after <= MOST_AFTER_VERB):
        return
    value = VALUE.match(text, sign.end())
    if value:
        start, end = _trim(text, value.start(), value.end())
        if _is_value(text[start:end], kind, is_said=is_said, is_quoted=value[0][0] in QUOTES):
            yield Secret(start, end, kind)


def _list_announcing(text: str, lowered: str) -> list[re.Match[str]]:
    """Return the words that announce a secret, in their order, none within another."""
    parts = PARTS if lowered.isascii() else (*PARTS, *ACCENTED_PARTS)
    places = {place for part in parts if part in lowered for place in _list_places(lowered, part)}
    for part in SHORT_PARTS:
        if part in lowered:
            places |= {place for place in _list_places(lowered, part) if not (place and lowered[place - 1].isalpha())}
    found: list[re.Match[str]] = []
    for place in sorted(places):
        if found and place < found[-1].end():
            continue
        least = max(found[-1].end() if found else 0, place - MOST_BEFORE)
        starts = [begins.start() for begins in WORD_BEGINS.finditer(lowered, least, place + 1)]
        is_within = not starts or starts[-1] != place
        if is_within and (_is_of_name(text, place) or lowered.startswith(COMPOUNDS, place)):
            starts.append(place)
        for start in starts:
            match = ANNOUNCED.match(lowered, start)
            if match and match.end() > place:
                found.append(match)
                break
    return found


def _is_of_name(text: str, place: int) -> bool:
    """Return True if a word begins within a name as programs have them, as in dbPassword."""
    return text[place] in "PST" and text[place - 1].islower()


def _find_recovery_codes(text: str, after: int) -> Iterator[Secret]:
    """Yield the codes of a list."""
    for code in RECOVERY_VALUE.finditer(text, after, min(len(text), after + RECOVERY_REACH)):
        if len(code[0]) >= 8:
            yield Secret(code.start(), code.end(), SecretKind.CODE)


def _find_strong(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield what looks like a password by itself, between two places near to a word for one."""
    for word in STRONG.finditer(text, start, min(len(text), end)):
        start, end = _trim(text, word.start(), word.end())
        value = text[start:end]
        inner = value.rstrip("!?").lstrip("#")
        is_joined = len(value) >= LONG and sum(map(value.count, "-_.")) >= 2
        least = 3 if is_joined and any(map(str.isdigit, value)) else 4
        is_path = "/" in value or value.startswith("-")
        if _count_classes(inner) >= least and not is_path and not PLACEHOLDER.search(value):
            yield Secret(start, end, SecretKind.PASSWORD)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the quotes around a value, and the punctuation behind it."""
    while end > start and text[end - 1] in ".,;:)]" + QUOTES:
        end -= 1
    while start < end and text[start] in "([" + QUOTES:
        start += 1
    for mark in ("**", "__"):  # of bold letters
        if text.startswith(mark, start, end):
            start += len(mark)
            end -= len(mark) * text.endswith(mark, start, end)
    return start, end


def _count_classes(value: str) -> int:
    """Count the kinds of characters: small letters, capitals, digits, symbols that are no punctuation of a word."""
    return sum(
        (
            any(letter.islower() for letter in value),
            any(letter.isupper() for letter in value),
            any(letter.isdigit() for letter in value),
            any(letter in SYMBOLS for letter in value),
        )
    )


def _is_value(value: str, kind: SecretKind, *, is_said: bool, is_quoted: bool) -> bool:
    """Return True if what follows a word for a secret looks like one.

    is_said: a sign such as a colon announced it, rather than a verb. is_quoted: it was within quotes.
    """
    if not 3 <= len(value) <= 500 or PLACEHOLDER.search(value):
        return False
    if kind == SecretKind.CODE and COMBINATION.match(value):
        return True
    if DATE_OR_TIME.match(value):
        return False
    if len(set(value)) < 2:
        return False
    if kind == SecretKind.CODE:
        return bool(CODE_VALUE.match(value)) or (len(value) >= 4 and not QUANTITY.match(value) and _mixes(value))
    if kind == SecretKind.TOKEN:
        return len(value) >= 12 and " " not in value and _count_classes(value) >= 2 and any(map(str.isdigit, value))
    if QUANTITY.match(value):
        return is_said and len(value) >= 6 and value.isdigit()
    return len(value) >= 4 and (_mixes(value) or (is_quoted and (len(value) >= 6)))


def _mixes(value: str) -> bool:
    """Return True if a value mixes characters as words do not: digits with letters, symbols, capitals within."""
    if " " in value:
        return False
    letters = [letter for letter in value if letter.isalpha()]
    has_digit, has_symbol = any(map(str.isdigit, value)), any(letter in SYMBOLS for letter in value[:-1])
    if letters and (has_digit or has_symbol):
        return True
    if has_digit and has_symbol:
        return True
    inner = value[1:]
    return inner.isalpha() and any(map(str.isupper, inner)) and any(map(str.islower, value))


def _find_in_tables(text: str) -> Iterator[Secret]:
    """Yield the cells below a heading that is a word for a secret, in tables of lines with bars."""
    columns: list[tuple[int, SecretKind]] | None = None
    offset = 0
    for line in text.split("\n"):
        cells = _split_row(line)
        if len(cells) < 2:
            columns = None
        elif columns is None:
            opens = bool(OPENED.search(line.lower()))
            kinds = ((place, _find_kind_of_column(cell, opens=opens)) for place, (_, cell) in enumerate(cells))
            columns = [(place, kind) for place, kind in kinds if kind]
        else:
            for place, kind in columns:
                if place >= len(cells):
                    break
                yield from _find_in_cell(offset + cells[place][0], cells[place][1], kind)
        offset += len(line) + 1


def _split_row(line: str) -> list[tuple[int, str]]:
    """Return the cells of a table's row, each with where it begins in the line; none of a line without bars."""
    if "|" not in line:
        return []
    cells, start = [], 0
    for part in line.split("|"):
        cells.append((start, part))
        start += len(part) + 1
    if not cells[0][1].strip():
        cells = cells[1:]
    if cells and not cells[-1][1].strip():
        cells = cells[:-1]
    return cells


def _find_kind_of_column(heading: str, *, opens: bool) -> SecretKind | None:
    """Return the kind of secrets below a heading. opens: another heading is of something that is opened."""
    words = heading.strip(" \t*")
    if opens and words.lower() in ("code", "codes", "código", "kombination", "combination"):
        return SecretKind.CODE
    if len(words) > 40 or ABOUT.search(words):
        return None
    match = next(iter(_list_announcing(words, words.lower())), None)
    return match and _KINDS.get(str(match.lastgroup), SecretKind.PASSWORD)


def _find_in_cell(offset: int, cell: str, kind: SecretKind) -> Iterator[Secret]:
    value = cell.strip(" \t" + QUOTES)
    if not value or set(value) <= set("-: ") or " " in value.strip():
        return
    start = offset + cell.index(value)
    is_code = kind == SecretKind.CODE and any(map(str.isdigit, value))
    if _is_value(value, kind, is_said=True, is_quoted=False) or (is_code and not PLACEHOLDER.search(value)):
        yield Secret(start, start + len(value), kind)


def list_words(text: str, found: Sequence[Secret]) -> list[str]:
    """Return the words of secrets that were found in a text."""
    return [text[one.start : one.end] for one in found]
