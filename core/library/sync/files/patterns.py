"""Patterns of paths, as people write them: `*.pdf`, `board/`, `reports/**/2024-*`. Pure."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

LONGEST = 500  # characters of a pattern
_ANY = "**"  # any number of folders, and none
_WILD = re.compile(r"[*?[]")


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
        names = _split(path)
        reached = self._pass_any({0})
        for place, name in enumerate(names, start=1):
            reached = self._pass_any({after for before in reached for after in self._take(before, name)})
            if not reached:
                return False
            if len(self.parts) in reached and not (self.is_folder and place == len(names)):
                return True
        return False

    def _take(self, place: int, name: str) -> Iterable[int]:
        if place == len(self.parts):
            return ()
        if self.parts[place] == _ANY:
            return (place,)
        part = self.parts[place]
        return (place + 1,) if name == part or (_WILD.search(part) and fnmatchcase(name, part)) else ()

    def _pass_any(self, places: set[int]) -> set[int]:
        """The places, and those that are reached from them without a name."""
        for place in range(len(self.parts)):
            if place in places and self.parts[place] == _ANY:
                places.add(place + 1)
        return places


def read_pattern(text: str) -> PathPattern:
    """A pattern as it was written. ValueError, with what is wrong, when it can fit nothing."""
    if len(text) > LONGEST:
        raise ValueError(f"a pattern has at most {LONGEST} characters")
    folded = _fold(text.strip())
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
def _split(path: str) -> tuple[str, ...]:
    return tuple(_fold(path).split("/"))


def _fold(text: str) -> str:
    """One spelling for those that a person takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
