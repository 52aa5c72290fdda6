"""Detect questions that ask what a thing is, and the words that define it. Pure."""

import re

_THING = r"(?:(?:an?|the)\s+)?(?P<thing>[\w'’+./-]{1,60}(?:\s+[\w'’+./-]{1,60}){0,3}?)"
_ASKS_WHAT_IT_IS = (
    re.compile(rf"^\W*(?:what|who)\s+(?:is|are|was|were)\s+{_THING}\W*$", re.IGNORECASE),
    re.compile(rf"^\W*what\s+(?:does|do)\s+{_THING}\s+(?:mean|stand\s+for)\W*$", re.IGNORECASE),
)
_IS = r"(?:is|are|was|were)\s+(?:an?|any|one|the|those|what)\b|(?:means?|refers?\s+to|stands?\s+for)\b"
_CALLED = r"(?:called|dubbed|known\s+as|named|termed|introduces?|presents?|proposes?)"


def find_definition_asked(question: str) -> re.Pattern[str] | None:
    """Return a pattern of the words that define a thing, if the question asks no more ("What is a lease?"), or None."""
    asked = next(filter(None, (asks.match(question) for asks in _ASKS_WHAT_IT_IS)), None)
    if not asked:
        return None
    thing = r"\s+".join(map(re.escape, asked["thing"].split())).removesuffix("s") + r"(?:e?s)?(?!\w)"
    return re.compile(
        rf"(?<!\w){thing}\s*(?:\([^)]{{0,200}}\)\s*)?(?:{_IS}|,\s+(?:an?|our|the|which)\b)"
        rf"|\b{_CALLED}\s+(?:an?\s+|the\s+)?{thing}",
        re.IGNORECASE,
    )
