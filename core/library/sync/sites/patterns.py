"""Select addresses by the patterns that an administrator set. Pure."""

from collections.abc import Iterable


def is_wanted(address: str, include: Iterable[str], exclude: Iterable[str]) -> bool:
    """Return True if a pattern to include matches, or there is none, and no pattern to exclude matches."""
    wanted = list(include)
    return (not wanted or fits_any(address, wanted)) and not fits_any(address, exclude)


def fits_any(address: str, patterns: Iterable[str]) -> bool:
    """Return True if the address contains one of the patterns, in which "*" matches anything."""
    return any(_fits(address, pattern) for pattern in patterns)


def _fits(address: str, pattern: str) -> bool:
    position = 0
    for piece in pattern.split("*"):
        found = address.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True
