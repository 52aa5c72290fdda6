"""Patterns of paths, as people write them, and the rules of readers that a source's owners write with them. Pure.

Patterns are `*.pdf`, `board/`, `reports/**/2024-*`. Rules map the files of a source to the groups that may read them:

    # The last line that fits a file decides.
    *: staff
    board/: directors, company secretary
    board/drafts/:

Before the colon is a pattern, after it the groups that read matching files; without groups, nobody does. A file that no
line fits is read by nobody.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from core.errors import SourceError

LONGEST = 500  # characters of a pattern
_ANY = "**"  # any number of folders, and none
_WILD = re.compile(r"[*?[]")

RULES_FILE = ".footnote-readers.txt"  # in the root of a source
_MOST_LINES = 5000


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A pattern that matches a file, or a folder with everything below it.

    It counts from the root where it has a "/" before its end, and anywhere else otherwise. "*" and "?" stay within one
    name. Letters fit in either case, because on many servers a folder has two spellings.
    """

    parts: tuple[str, ...]
    is_folder: bool  # it fits no file by its own name

    def fits(self, path: str) -> bool:
        """Return True if the pattern matches a file, given by its path from the root. A folder's path ends in "/"."""
        names = _split_path(path)
        reached = self._pass_any({0})
        for place, name in enumerate(names, start=1):
            reached = self._pass_any({after for before in reached for after in self._take_name(before, name)})
            if not reached:
                return False
            if len(self.parts) in reached and not (self.is_folder and place == len(names)):
                return True
        return False

    def _take_name(self, place: int, name: str) -> Iterable[int]:
        if place == len(self.parts):
            return ()
        if self.parts[place] == _ANY:
            return (place,)
        part = self.parts[place]
        return (place + 1,) if name == part or (_WILD.search(part) and fnmatchcase(name, part)) else ()

    def _pass_any(self, places: set[int]) -> set[int]:
        """Return the places, and those that are reached from them without a name."""
        for place in range(len(self.parts)):
            if place in places and self.parts[place] == _ANY:
                places.add(place + 1)
        return places


def read_pattern(text: str) -> PathPattern:
    """Return a pattern as it was written. ValueError, with what is wrong, when it can fit nothing."""
    if len(text) > LONGEST:
        raise ValueError(f"a pattern has at most {LONGEST} characters")
    folded = _fold_spelling(text.strip())
    inner = folded.removesuffix("/**").removesuffix("/") if folded != "/**" else ""
    parts = inner.removeprefix("/").split("/")
    if any(part in {"", ".", ".."} for part in parts):
        raise ValueError('a pattern is a name or a path from the root, such as *.pdf or board/, without "." and ".."')
    anywhere = (_ANY,) if "/" not in inner else ()
    return PathPattern(parts=(*anywhere, *parts), is_folder=inner != folded)


def read_patterns(text: str) -> tuple[PathPattern, ...]:
    """Patterns, one in a line. ValueError, with the line, when one can fit nothing."""
    patterns = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            patterns.append(read_pattern(line))
        except ValueError as error:
            raise ValueError(f"Line {number}: {error}.") from error
    return tuple(patterns)


@lru_cache(maxsize=16)  # one path is held against many patterns
def _split_path(path: str) -> tuple[str, ...]:
    return tuple(_fold_spelling(path).split("/"))


def _fold_spelling(text: str) -> str:
    """One spelling for those that a person takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@dataclass(frozen=True, slots=True)
class ReaderRules:
    """Rules in their order."""

    rules: tuple[tuple[PathPattern, tuple[str, ...]], ...]

    def groups(self, path: str) -> tuple[str, ...]:
        """Return the groups that read a file; none: nobody does."""
        return next((groups for pattern, groups in reversed(self.rules) if pattern.fits(path)), ())


def read_rules(text: str, *, where: str) -> ReaderRules:
    """Return the rules in a text. SourceError, which says the line, when one of them is no rule.

    where: what the text is, for people.
    """
    lines = text.splitlines()
    if len(lines) > _MOST_LINES:
        raise SourceError(f"{where} has more than {_MOST_LINES} lines. Name folders rather than each file.")
    rules = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            rules.append(_read_rule(line.strip()))
        except (ValueError, csv.Error) as error:
            raise SourceError(
                f"{where}, line {number}: {error}. Expected a pattern, a colon, and the groups that read what it fits, "
                "such as board/: directors, company secretary. Until that is mended, nothing is taken from this source."
            ) from error
    return ReaderRules(tuple(rules))


def _read_rule(line: str) -> tuple[PathPattern, tuple[str, ...]]:
    pattern, colon, named = line.partition(": ") if ": " in line else (line.removesuffix(":"), line[-1:], "")
    if not colon.startswith(":"):
        raise ValueError("there is no colon with a space after it")
    groups = [name.strip() for name in next(csv.reader([named.strip()], skipinitialspace=True, strict=True), [])]
    if not all(groups):
        raise ValueError("the name of a group is missing beside a comma")
    return read_pattern(pattern), tuple(dict.fromkeys(groups))
