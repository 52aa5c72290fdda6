"""Patterns that stand one behind the other, with words between them. Pure."""

import re


def in_order(text: str, *patterns: re.Pattern[str], start: int = 0) -> list[re.Match[str]] | None:
    """The first match of each pattern behind that of the one before, at least a character between; None without one.

    start: where in the text the first is looked for. It costs no more than the length of the text, whereas one pattern
    with `.+?` between its parts begins again at each place where it may begin.
    """
    found: list[re.Match[str]] = []
    for pattern in patterns:
        match = pattern.search(text, start)
        if match is None:
            return None
        found.append(match)
        start = match.end() + 1
    return found
