"""Tell which folders of a mailbox are read, by their names and what the server says of them. Pure."""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from core.errors import SourceError
from core.library.ingestion.sources import LeftOut
from core.library.sync.files.store import shown
from core.library.sync.mail.answers import Given, Piece, read_tokens, split_answers

INBOX = "INBOX"
ALL = "\\all"
_MOST_FOLDERS = 10_000
_MOST_NAMED = 20  # in an error
_NEVER = {"\\trash", "\\junk", "\\drafts"}  # RFC 6154, 2
_REPEAT_OTHERS = {ALL, "\\flagged", "\\important"}  # RFC 6154, 2 and RFC 8457, 3
_HOLDS_NO_MAILS = {"\\noselect", "\\nonexistent"}  # RFC 3501, 7.2.2 and RFC 5258, 3
# What such folders are called by servers that do not say which they are.
_USUAL_NAMES = {
    "bulk mail", "deleted items", "deleted messages", "draft", "drafts", "junk", "junk e-mail", "junk email", "spam",
    "trash",
}  # fmt: skip
_BELOW = "/*"  # after a name: with the folders below it
_TWICE = "there are two folders of that name"
_UNREADABLE = "its name is not written as the protocol says"
_SHIFTED = re.compile(r"&([^-&]*)-")


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """Holds a folder of a mailbox."""

    raw: str  # its name as the server takes it
    name: str  # for people, with "/" between a folder and one below it
    path: str  # another one for every other folder, as addresses have it: RFC 5092
    flags: frozenset[str] = frozenset()  # in small letters
    above: tuple[str, ...] = ()  # the raw names of the folders that it is in


def read_folders(given: Given) -> tuple[list[Folder], list[LeftOut]]:
    """Read the answer to LIST: the folders, INBOX first, and those that cannot be told apart.

    ValueError for an answer of another form. SourceError for more folders than are read.
    """
    folders: dict[str, Folder] = {}
    left_out: list[LeftOut] = []
    for number, answer in enumerate(split_answers(given), start=1):
        if number > _MOST_FOLDERS:
            raise SourceError(f"The mailbox has more than {_MOST_FOLDERS:,} folders. Name those that are to be read.")
        found = _read_folder(answer)
        if isinstance(found, LeftOut):
            left_out.append(found)
        elif folders.setdefault(found.path, found).raw != found.raw:
            left_out.append(LeftOut(name=found.name, reason=_TWICE))
    return sorted(folders.values(), key=lambda folder: (folder.raw != INBOX, folder.name)), left_out


def _read_folder(answer: list[Piece]) -> Folder | LeftOut:
    tokens = read_tokens(answer)
    if len(tokens) < 3 or not isinstance(tokens[0], list) or not isinstance(tokens[2], bytes):
        raise ValueError("A folder is not described as it should be.")
    flags = frozenset(flag.decode("latin-1").lower() for flag in tokens[0] if isinstance(flag, bytes))
    delimiter = _read_delimiter(tokens[1])
    written = tokens[2].decode("latin-1")
    raw = INBOX if written.upper() == INBOX else written
    try:
        parts = [decode(part) for part in (raw.split(delimiter) if delimiter else [raw])]
    except ValueError:
        return LeftOut(name=shown(raw), reason=_UNREADABLE)
    return Folder(
        raw=raw,
        name="/".join(parts),
        path="/".join(quote(part, safe="") for part in parts),
        flags=flags,
        above=tuple(_list_above(raw, delimiter)),
    )


def _read_delimiter(token: Any) -> str:
    if token is None:
        return ""
    if not isinstance(token, bytes) or len(token) != 1:
        raise ValueError("What parts the names of folders is not one character.")
    return token.decode("latin-1")


def _list_above(raw: str, delimiter: str) -> Iterator[str]:
    place = raw.find(delimiter) if delimiter else -1
    while place >= 0:
        yield raw[:place]
        place = raw.find(delimiter, place + 1)


def decode(written: str) -> str:
    """Return a name in plain letters, of one in the protocol's own: RFC 3501, 5.1.3.

    ValueError for what is not written in the one way that there is, since two names would look the same.
    """
    if not written.isascii() or not written.isprintable():
        raise ValueError("It is written in other characters.")
    name = _SHIFTED.sub(lambda shifted: _decode_shifted(shifted[1]), written)
    if encode(name) != written or shown(name) != name:
        raise ValueError("It is not written in the one way that there is.")
    return name


def encode(name: str) -> str:
    """Return a name as the protocol writes it. ValueError for halves of characters."""
    pieces: list[str] = []
    waiting = ""
    for character in [*name, ""]:
        if character and not " " <= character <= "~":
            waiting += character
            continue
        if waiting:
            coded = base64.b64encode(waiting.encode("utf-16-be"), altchars=b"+,").decode("ascii").rstrip("=")
            pieces.append(f"&{coded}-")
            waiting = ""
        pieces.append("&-" if character == "&" else character)
    return "".join(pieces)


def _decode_shifted(coded: str) -> str:
    if not coded:
        return "&"
    padded = coded + "=" * (-len(coded) % 4)
    try:
        return base64.b64decode(padded, altchars=b"+,", validate=True).decode("utf-16-be")
    except binascii.Error as error:
        raise ValueError("It is not written in base64.") from error


def read_foreign(given: Given) -> tuple[str, ...]:
    """Read the answer to NAMESPACE: how the names of folders begin that belong to other people, or to all."""
    for answer in split_answers(given):
        tokens = read_tokens(answer)
        spaces = [space for each in tokens[1:3] if isinstance(each, list) for space in each]
        begins = [space[0] for space in spaces if isinstance(space, list) and space and isinstance(space[0], bytes)]
        return tuple(found.decode("latin-1") for found in begins if found)
    return ()


def choose(folders: Sequence[Folder], wanted: Sequence[str], foreign: Sequence[str], *, is_gmail: bool) -> list[Folder]:
    """Return the folders that are read.

    wanted: names as the settings have them, () for what is usually read: all but the bin, junk and drafts with what is
    below them, folders that only repeat others, and those of other people. At Gmail the folder of all mails is read
    alone, since it holds all of these. foreign: as of `read_foreign`. SourceError for a name that is not there, and for
    one that is never read.
    """
    never = _find_never(folders)
    holding = [folder for folder in folders if not folder.flags & _HOLDS_NO_MAILS]
    if not holding:
        raise SourceError("The server names no folder of this mailbox. Check the user name.")
    if wanted:
        return _choose_named(holding, wanted, never)
    everything = [folder for folder in holding if ALL in folder.flags]
    if is_gmail and everything:
        return everything[:1]
    guessed = set() if any(folder.flags & _NEVER for folder in folders) else _guess_never(folders)
    return [
        folder
        for folder in holding
        if not folder.flags & _REPEAT_OTHERS
        and not _is_within(folder, never | guessed)
        and not folder.raw.startswith(tuple(foreign))
    ]


def _choose_named(holding: Sequence[Folder], wanted: Sequence[str], never: set[str]) -> list[Folder]:
    chosen: set[str] = set()
    for name in wanted:
        found = _find_named(holding, name)
        if not found:
            there = ", ".join(folder.name for folder in holding[:_MOST_NAMED])
            more = " and others" if len(holding) > _MOST_NAMED else ""
            raise SourceError(f"The mailbox has no folder {name}. It has: {there}{more}.")
        allowed = {folder.raw for folder in found if not _is_within(folder, never)}
        if not allowed:
            raise SourceError(f"The folder {name} is the bin, junk or drafts, which are never read. Leave it out.")
        chosen |= allowed
    return [folder for folder in holding if folder.raw in chosen]


def _find_named(folders: Iterable[Folder], name: str) -> list[Folder]:
    """Find the folders that a name of the settings means. That of the inbox may be written in any letters."""
    own = name.removesuffix(_BELOW)
    own = INBOX if own.casefold() == INBOX.casefold() else own
    is_deep = name.endswith(_BELOW)
    return [
        folder
        for folder in folders
        if own in (folder.name, folder.raw) or (is_deep and folder.name.startswith(f"{own}/"))
    ]


def _find_never(folders: Iterable[Folder]) -> set[str]:
    return {folder.raw for folder in folders if folder.flags & _NEVER}


def _guess_never(folders: Iterable[Folder]) -> set[str]:
    """Return those that are called as such folders usually are, at the top or below the inbox."""
    return {
        folder.raw
        for folder in folders
        if len(folder.above) <= 1 and folder.name.rpartition("/")[2].casefold() in _USUAL_NAMES
    }


def _is_within(folder: Folder, tops: set[str]) -> bool:
    return folder.raw in tops or bool(tops.intersection(folder.above))
