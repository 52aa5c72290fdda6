"""The numbers that headings begin with: "4.", "4.2", "2a.", "A.1", "IV.", "Chapter 4:", "§ 3". Pure."""

import re

_COUNTED = r"\d{1,3}(?:\.\d{1,3}){0,3}[a-z]?"
_LETTERED = r"(?:[IVX]{1,5}|[A-Z])"
_NUMBER = re.compile(
    rf"\A\W*(?:(?:chapter|section|part|article|annex|appendix)\s+(?:{_COUNTED}|{_LETTERED})\b[\s.:)–—-]*"
    rf"|{_COUNTED}(?:[.:)]\s*|\s+)|{_LETTERED}(?:(?:\.\d{{1,3}}){{1,3}}[.:)]?|[.:)])\s+)(?=\w)",
    re.IGNORECASE,
)


def drop_number(heading: str) -> str:
    """The heading without its number, which says nothing of what is below it; as it is where it is a number alone."""
    return _NUMBER.sub("", heading)
