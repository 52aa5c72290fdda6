"""Define what a file source offers so that its files can be listed and loaded."""

import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from core.errors import GoneError, SourceError, UnsupportedFileError
from core.library.ingestion.sources import LeftOut

ANSWER_S = 30.0  # for a connection, and for each answer on it
LOADING_S = 300.0  # for all of one document, and for all of a folder
LISTING_MB = 64  # of one answer that is no document
PIECE = 256 * 1024  # bytes that are read at a time
_DEEPEST = 40  # folders within each other
_MOST_FOLDERS = 100_000
MOST_ENTRIES = 100_000  # in one folder
_NO_TEXT = "its name holds a control character, or is not written in UTF-8"
_TWICE = "there are two files or folders of that name"
_UNFIT = {"Cc", "Cs", "Zl", "Zp"}  # controls, halves of characters, ends of lines and paragraphs

PassedOver = Callable[[str], bool]  # whether a path is left out unseen; a folder's ends in "/"

LINK = "a link, which is not followed"
SUBMODULE = "another repository. Add it as a source of its own"
_POINTER = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredFile:
    """A file, as its store lists it."""

    path: str  # from the root of the source, with "/" between its parts
    fingerprint: str  # another one means another content
    source_url: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """Something in a folder."""

    name: str
    fingerprint: str = ""
    source_url: str = ""
    is_folder: bool = False
    left_out: str = ""  # why it is neither read nor entered: a link, a device


class FileStore(Protocol):
    """A place that holds files. Its methods raise what those of a Connector do, and pause before each request."""

    def files(self, passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
        """Return all files below the root. Those that are passed over may be named or not."""

    def pieces(self, path: str, fingerprint: str) -> Iterator[bytes]:
        """Return the content of a file, in pieces of some hundred kilobytes; GoneError when there is none of that path.

        fingerprint: as it was listed; "" for a file that was not, which is read as it is now. What is given as a whole
        is the content with that fingerprint: ChangedMeanwhileError, at the latest after the last piece, for another.
        """

    def fingerprint_of(self, path: str) -> str:
        """The fingerprint of a file as a listing would give it now; GoneError when there is no file of that path."""


@contextmanager
def within(seconds: float, close: Callable[[], object], server: str) -> Iterator[None]:
    """End what is inside after so many seconds, for libraries that wait for answers without an end.

    close: ends what it waits for, from another thread. server: for people. SourceError, instead of the errors that come
    of it, when the time was over.
    """
    is_over = threading.Event()

    def end() -> None:
        is_over.set()
        close()

    late = threading.Timer(seconds, end)
    late.daemon = True
    late.start()
    try:
        yield
    except Exception as error:
        if is_over.is_set():
            raise SourceError(f"{server} did not answer within {seconds:g} seconds.") from error
        raise
    finally:
        late.cancel()


def check_number(entries: int, path: str) -> None:
    """Raise SourceError for a folder with more in it than is listed. path: "" for the root."""
    if entries > MOST_ENTRIES:
        place = shown(path) or "The folder of the source"
        raise SourceError(f"{place} holds more than {MOST_ENTRIES:,} files and folders. Split it, or exclude it.")


def walk(folder: Callable[[str], Iterable[Entry]], passed_over: PassedOver) -> Iterator[StoredFile | LeftOut]:
    """Yield all files below the root of a store that lists folder by folder.

    folder: what is in a folder, given by its path, "" for the root. GoneError below the root means that it went while
    the rest was listed; anything else ends the walk, because what is not named counts as gone.
    """
    waiting = [""]
    entered = 0
    while waiting:
        above = waiting.pop()
        entered += 1
        if above.count("/") >= _DEEPEST or entered > _MOST_FOLDERS:
            raise SourceError(
                f"The source has folders within each other more than {_DEEPEST} deep, or more than {_MOST_FOLDERS:,} "
                "folders: it may lead into itself. Exclude the folder that does."
            )
        try:
            entries = sorted(folder(above.removesuffix("/")), key=lambda entry: entry.name)
        except GoneError as error:
            if not above:
                raise SourceError("The folder of the source is not there. Check its path.") from error
            continue
        below = []
        for entry in _drop_doubles(entries):
            path = above + entry.name
            if reason := entry.left_out or why_unfit(entry.name, is_name=True):
                yield LeftOut(name=shown(path), reason=reason)
            elif not entry.is_folder:
                yield StoredFile(path=path, fingerprint=entry.fingerprint, source_url=entry.source_url)
            elif not passed_over(f"{path}/"):
                below.append(f"{path}/")
        waiting.extend(reversed(below))


def _drop_doubles(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries in the order of their names, leaving out those of one name, which it could not identify."""
    for name, same in groupby(entries, key=lambda entry: entry.name):
        first, *others = same
        yield first if all(other == first for other in others) else Entry(name=name, left_out=_TWICE)


def as_stored(path: str, fingerprint: str) -> StoredFile | LeftOut:
    """Build a file of a service that gives names as text; left out when its name may be that of others."""
    if reason := why_inexact(path):
        return LeftOut(name=shown(path), reason=reason)
    return StoredFile(path=path, fingerprint=fingerprint)


def why_inexact(path: str) -> str:
    """Explain why a path received as text may name several files; "" when it names exactly one.

    In JSON and XML, and by the libraries that read them, a name that is no text has each wrong byte replaced by the
    same character.
    """
    return _NO_TEXT if "\N{REPLACEMENT CHARACTER}" in path else why_unfit(path)


def path_below(prefix: str, name: str) -> str:
    """Return the path of an object below a prefix; "" for another, and for the empty objects that mark folders."""
    path = name.removeprefix(prefix) if name.startswith(prefix) else ""
    return "" if path.endswith("/") else path


def why_unfit(path: str, *, is_name: bool = False) -> str:
    """Explain why a path cannot serve as a unique key; "" when it can."""
    if any(unicodedata.category(character) in _UNFIT for character in path):
        return _NO_TEXT
    if any(part in {"", ".", ".."} for part in path.split("/")) or (is_name and "/" in path):
        return "its name is a path that leads elsewhere"
    return ""


def shown(path: str) -> str:
    """Return a path that may hold anything, for people."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(one) in _UNFIT else one for one in path)


def refuse_pointer(path: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a file as it is; UnsupportedFileError for a pointer to one that Git LFS keeps elsewhere."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first) >= len(_POINTER):
            break
    if first.startswith(_POINTER):
        raise UnsupportedFileError(f"{path} is kept by Git LFS, which is not read. Put it into another source.")
    yield first
    yield from pieces
