"""Values in what a service answers, of whose form nothing is taken for granted. Pure."""

from collections.abc import Mapping
from typing import Any


def inner(found: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The object below some names; {} when there is none."""
    for name in names:
        below = found.get(name)
        if not isinstance(below, dict):
            return {}
        found = below
    return found


def text(found: Mapping[str, Any], *names: str) -> str:
    """The value below some names as text; "" when there is none."""
    value = inner(found, *names[:-1]).get(names[-1])
    return "" if value is None or isinstance(value, dict | list) else str(value)
