"""Values in what a service answers, of whose form nothing is taken for granted. Pure."""

from collections.abc import Mapping
from string import ascii_letters, digits
from typing import Any

NO_ID = "the source gives it no id by which it could be kept apart"
_ID_MARKS = frozenset(ascii_letters + digits + "-_")


def inner(found: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The object below some names; {} when there is none."""
    for name in names:
        below = found.get(name)
        if not isinstance(below, dict):
            return {}
        found = below
    return found


def identifier(found: Mapping[str, Any], *names: str) -> str:
    """The value below some names, if it is an id; "" for anything else: what has none cannot be kept apart."""
    value = text(found, *names)
    return value if value and set(value) <= _ID_MARKS else ""


def text(found: Mapping[str, Any], *names: str) -> str:
    """The value below some names as text; "" when there is none."""
    value = inner(found, *names[:-1]).get(names[-1])
    return "" if value is None or isinstance(value, dict | list) else str(value)
