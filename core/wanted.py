"""What a question wants to be told: a number, a date, a name, or what a thing is. Pure."""

import re

from core.text import MONTHS, content_stems, stem, words_of

_NUMBER_WORDS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand|million|half|once"
    r"|twice|every|daily|weekly|monthly|yearly|annually"
)
_TIME_WORDS = (
    rf"{'|'.join(MONTHS)}|monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|midnight|morning|evening"
    r"|today|tomorrow"
)
# A year alone is no amount; with a unit, a currency or a fraction it would not look like one.
_NUMBER = re.compile(
    rf"(?<![\w$€£])(?!(?:1[5-9]|20)\d\d(?![\w%/]|[.,-]\d))[$€£]?\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS})\b", re.IGNORECASE
)
_DATE = re.compile(rf"\d[\w.,:/%-]*|\b(?:{_NUMBER_WORDS}|{_TIME_WORDS})\b", re.IGNORECASE)
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][A-Za-z]+")

_DEGREES = r"many|much|long|far|often|high|large|big|fast|old|deep|close|wide|tall|heavy|small|short|low|hot|cold|loud"
_QUANTITIES = (
    r"accuracy|age|amount|area|average|budget|capacity|cost|depth|distance|duration|factor|fee|figure|frequency|height"
    r"|high|inflation|latency|length|level|limit|loss|low|margin|maximum|mean|median|minimum|number|peak"
    r"|percent(?:age)?|population|price|range|rate|ratio|score|share|size|speed|sum|temperature|threshold|total|value"
    r"|weight|width"
)
_ASKS_DATE = re.compile(r"\b(?:what|which) (?:year|date|day|month)\b")
# "what was the unemployment rate", "which rate", "to what low"; not "what did they say about the rate".
_ASKS_HOW_MUCH = re.compile(
    rf"\bhow (?:{_DEGREES})\b"
    r"|\b(?:what|which) (?:(?:is|was|are|were|will be|has been|had been) )?(?:(?:the|its|their|an?) )?"
    rf"(?:(?!(?:about|did|do|does|happened|said|say)\b)[\w'’.+-]+ ){{0,4}}(?:{_QUANTITIES})s?\b"
)
_KINDS = (
    (_ASKS_DATE, _DATE),
    (_ASKS_HOW_MUCH, _NUMBER),
    (re.compile(r"\bwhen\b"), _DATE),
    (re.compile(r"\bwho(?:m|se)?\b"), _NAME),
)
_THING = r"(?:(?:an?|the)\s+)?(?P<thing>[\w'’+./-]{1,60}(?:\s+[\w'’+./-]{1,60}){0,3}?)"
_ASKS_WHAT_IT_IS = (
    re.compile(rf"^\W*(?:what|who)\s+(?:is|are|was|were)\s+{_THING}\W*$", re.IGNORECASE),
    re.compile(rf"^\W*what\s+(?:does|do)\s+{_THING}\s+(?:mean|stand\s+for)\W*$", re.IGNORECASE),
)
_IS = r"(?:is|are|was|were)\s+(?:an?|any|one|the|those|what)\b|(?:means?|refers?\s+to|stands?\s+for)\b"
_CALLED = r"(?:called|dubbed|known\s+as|named|termed|introduces?|presents?|proposes?)"


def kind_asked(question: str) -> re.Pattern[str] | None:
    """A pattern of the kind of thing that a question asks for (a number, a date, a name), or None."""
    folded = question.casefold()
    return next((kind for asks, kind in _KINDS if asks.search(folded)), None)


def holds_new(kind: re.Pattern[str] | None, text: str, question: str) -> bool:
    """Whether the text holds a thing of that kind which the question does not name already. True when kind is None."""
    if kind is None:
        return True
    named = set(content_stems(question))
    return any(stem(word) not in named for found in kind.finditer(text) for word in words_of(found.group()))


def definition_asked(question: str) -> re.Pattern[str] | None:
    """A pattern of the words that tell what a thing is, where that alone is asked ("What is a lease?"), or None."""
    asked = next(filter(None, (asks.match(question) for asks in _ASKS_WHAT_IT_IS)), None)
    if not asked:
        return None
    thing = r"\s+".join(map(re.escape, asked["thing"].split())).removesuffix("s") + r"(?:e?s)?(?!\w)"
    return re.compile(
        rf"(?<!\w){thing}\s*(?:\([^)]{{0,200}}\)\s*)?(?:{_IS}|,\s+(?:an?|our|the|which)\b)"
        rf"|\b{_CALLED}\s+(?:an?\s+|the\s+)?{thing}",
        re.IGNORECASE,
    )
