"""Whether quotes carry a statement, by its words. Pure.

A lexical check: it catches numbers, names and negations that the quotes do not hold and statements about something
else; it cannot catch a wrong relation between the right words.
"""

import re

from core.text import content_stems

LEAST_SHARED = 0.7  # of the statement's content words that must stand in its quotes or in the source's name

_NUMBER = re.compile(r"\d+(?:[.,/:-]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|unable)\b|n['’]t\b", re.IGNORECASE
)


def supports(statement: str, quotes: list[str], source: str) -> bool:
    """True when the quotes, together with the name and date of their source, carry the statement."""
    said = content_stems(statement)
    if not said:
        return False
    quoted = " ".join(quotes)
    known = set(content_stems(f"{quoted} {source}"))
    shared = sum(stem in known for stem in said) / len(said)
    return (
        shared >= LEAST_SHARED
        and _numbers(statement) <= _numbers(f"{quoted} {source}")
        and bool(_NEGATION.search(statement)) == bool(_NEGATION.search(quoted))
    )


def _numbers(text: str) -> set[str]:
    return {number.rstrip(".,:-/") for number in _NUMBER.findall(text)}
