"""Which addresses an administrator wants. Pure."""

from collections.abc import Iterable


def is_wanted(address: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Whether one of the patterns to include fits, or there is none, and none of those to exclude does."""
    wanted = list(include)
    return (not wanted or fits_any(address, wanted)) and not fits_any(address, exclude)


def fits_any(address: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns is a part of the address; "*" in one stands for anything."""
    return any(_fits(address, pattern) for pattern in patterns)


def _fits(address: str, pattern: str) -> bool:
    position = 0
    for piece in pattern.split("*"):
        found = address.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True
