"""Read what an IMAP server answers, as imaplib gives it: texts, with the literals that they announce. Pure.

The forms are those of RFC 3501, 9. Each function raises ValueError for an answer of another form.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

Piece = bytes | tuple[bytes, bytes]  # a tuple: text that ends in the size of a literal, and the literal
Given = Sequence[Piece | None]  # None: there was no such answer

_TOKEN = re.compile(
    rb"(?P<open>\()|(?P<close>\))"
    rb'|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    rb"|(?P<literal>\{\d{1,19}\})$"
    rb'|(?P<atom>[^\s()"{\[\]]+(?:\[[^\[\]]*\](?:<\d*>)?)?)'
)
_WORD = re.compile(rb"\S+")
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_DEEPEST = 20  # lists within each other
_LARGEST = 2**32 - 1  # of an UID: RFC 3501, 2.3.1.1
_LONGEST_ID = 20  # digits of Gmail's ids, of 64 bits


@dataclass(frozen=True, kw_only=True, slots=True)
class Mail:
    """Holds what a server tells of one mail."""

    uid: int
    flags: frozenset[str]  # in small letters
    received: dt.datetime  # INTERNALDATE, in UTC
    size: int | None = None
    content: bytes | None = None
    gmail_id: str = ""
    labels: frozenset[str] = frozenset()  # of Gmail, in small letters


def split_answers(given: Given) -> Iterator[list[Piece]]:
    """Yield the pieces of each answer: literals are followed by the rest of their line."""
    answer: list[Piece] = []
    for piece in given:
        if piece is None:
            continue
        answer.append(piece)
        if isinstance(piece, bytes):
            yield answer
            answer = []
    if answer:
        raise ValueError("An answer has no end.")


def read_tokens(pieces: Iterable[Piece]) -> list[Any]:
    """Return the words of an answer: bytes, None for NIL, and lists of these."""
    found: list[Any] = []
    open_lists: list[list[Any]] = [found]
    for piece in pieces:
        text, literal = piece if isinstance(piece, tuple) else (piece, None)
        for token in _split_text(text):
            if token == b"(":
                if len(open_lists) > _DEEPEST:
                    raise ValueError("Lists are within each other too deep.")
                inner: list[Any] = []
                open_lists[-1].append(inner)
                open_lists.append(inner)
            elif token == b")":
                open_lists.pop()
                if not open_lists:
                    raise ValueError("A list ends that did not begin.")
            elif isinstance(token, _Literal):
                if literal is None:
                    raise ValueError("A literal is announced and does not come.")
                open_lists[-1].append(literal)
            else:
                open_lists[-1].append(token.value)
    if len(open_lists) != 1:
        raise ValueError("A list has no end.")
    return found


@dataclass(frozen=True, slots=True)
class _Word:
    value: bytes | None


class _Literal:
    """Stands where a literal belongs."""


def _split_text(text: bytes) -> Iterator[Any]:
    place = 0
    while place < len(text):
        if text[place] in b" \t":
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None:
            raise ValueError("An answer holds what the protocol does not know.")
        place = match.end()
        if match["open"] or match["close"]:
            yield match[0]
        elif match["quoted"] is not None:
            yield _Word(_ESCAPED.sub(rb"\1", match["quoted"]))
        elif match["literal"]:
            yield _Literal()
        else:
            yield _Word(None if match["atom"].upper() == b"NIL" else match["atom"])


def read_number(word: object, *, least: int = 0) -> int:
    """Return a number of at most 32 bits."""
    if not isinstance(word, bytes) or not word.isdigit() or len(word) > len(str(_LARGEST)):
        raise ValueError("An answer holds no number where one belongs.")
    number = int(word)
    if not least <= number <= _LARGEST:
        raise ValueError("An answer holds a number that is too small or too large.")
    return number


def read_found(given: Given) -> list[int]:
    """Return the UIDs that a search found, each once. ValueError where it was not answered at all."""
    found: set[int] = set()
    answered = False
    for piece in given:
        if isinstance(piece, bytes):
            answered = True
            found.update(read_number(word[0], least=1) for word in _WORD.finditer(piece))  # not all words at once
        elif piece is not None:
            raise ValueError("A search is answered by a literal.")
    if not answered:
        raise ValueError("A search is not answered.")
    return sorted(found)


def read_mails(given: Given) -> dict[int, Mail]:
    """Return what a server tells of mails, by UID. What is told without an UID or a date was not asked for.

    ValueError also where two things are told of one mail.
    """
    found: dict[int, Mail] = {}
    for answer in split_answers(given):
        tokens = read_tokens(answer)
        if len(tokens) != 2 or not isinstance(tokens[1], list) or len(tokens[1]) % 2:
            raise ValueError("A mail is not described as it should be.")
        names, values = tokens[1][::2], tokens[1][1::2]
        if not all(isinstance(name, bytes) for name in names):
            raise ValueError("A mail is not described as it should be.")
        told = dict(zip((name.upper() for name in names), values, strict=True))
        if not {b"UID", b"INTERNALDATE"} <= set(told):
            continue  # a change of flags, which servers tell unasked
        mail = _read_mail(told)
        if found.setdefault(mail.uid, mail) != mail:
            raise ValueError("Two things are told of one mail.")
    return found


def _read_mail(told: dict[bytes, Any]) -> Mail:
    content = told.get(b"BODY[]")
    identifier = told.get(b"X-GM-MSGID")
    if content is not None and not isinstance(content, bytes):
        raise ValueError("A mail is a list.")
    if identifier is not None and not (
        isinstance(identifier, bytes) and identifier.isdigit() and len(identifier) <= _LONGEST_ID
    ):
        raise ValueError("An id is no number.")
    return Mail(
        uid=read_number(told[b"UID"], least=1),
        flags=_read_words(told.get(b"FLAGS")),
        received=_read_date(told[b"INTERNALDATE"]),
        size=read_number(told[b"RFC822.SIZE"]) if b"RFC822.SIZE" in told else None,
        content=content,
        gmail_id=identifier.decode("ascii") if identifier else "",
        labels=_read_words(told.get(b"X-GM-LABELS")),
    )


def _read_words(value: object) -> frozenset[str]:
    if value is None:
        return frozenset()
    if not isinstance(value, list):
        raise ValueError("Flags are no list.")
    return frozenset(word.decode("latin-1").lower() for word in value if isinstance(word, bytes))


def _read_date(value: object) -> dt.datetime:
    if not isinstance(value, bytes):
        raise ValueError("A date is a list.")
    try:
        found = parsedate_to_datetime(value.decode("ascii").strip())
        if found.tzinfo is None:
            raise ValueError("A date has no zone.")
        return found.astimezone(dt.UTC)
    except (TypeError, IndexError, OverflowError) as error:
        raise ValueError("A date is none of this calendar.") from error


def write_set(uids: Iterable[int]) -> str:
    """Write UIDs as commands take them, those that follow each other as a range: "3,7:12"."""
    parts: list[tuple[int, int]] = []
    for uid in sorted(uids):
        if parts and parts[-1][1] + 1 == uid:
            parts[-1] = (parts[-1][0], uid)
        else:
            parts.append((uid, uid))
    return ",".join(str(first) if first == last else f"{first}:{last}" for first, last in parts)


def quote(text: str) -> str:
    """Write a text in quotation marks. ValueError for one that does not fit into them: RFC 3501, 9, "quoted"."""
    if not text.isascii() or any(character in text for character in "\r\n\0"):
        raise ValueError("It cannot be written in quotation marks.")
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))
