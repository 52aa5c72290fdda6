"""Patterns that stand one behind the other, with words between them. Pure."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """Holds a frame of words: what opens it, what joins its two sides, and what closes it."""

    opens: re.Pattern[str]
    joins: re.Pattern[str]
    closes: re.Pattern[str] | None = None


def find_frame(text: str, *frames: Frame, start: int = 0) -> list[re.Match[str]] | None:
    """Return the matches of the first frame that a text has, in order, a character and more between; None without.

    start: where in the text the first pattern is looked for. It costs no more than the length of the text, whereas one
    pattern with `.+?` between its parts begins again at each place where it may begin.
    """
    return next(filter(None, (_find_in_order(text, frame, start) for frame in frames)), None)


def _find_in_order(text: str, frame: Frame, start: int) -> list[re.Match[str]] | None:
    found: list[re.Match[str]] = []
    for pattern in filter(None, (frame.opens, frame.joins, frame.closes)):
        match = pattern.search(text, start)
        if match is None:
            return None
        found.append(match)
        start = match.end() + 1
    return found
