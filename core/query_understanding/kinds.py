"""What a question wants: one thing, two beside each other, one at two times, an overview, a list."""

import re
from dataclasses import dataclass

from core.nlp.document_types import SPOKEN, SPOKEN_PLURALS
from core.query_understanding.frames import in_order
from core.query_understanding.values import Kind, Period

# Patterns that stand one behind the other with words between them: what opens a comparison, what joins its two sides,
# and what closes it. White space in a question has been folded to single spaces: see core.nlp.text.one_line.
_COMPARE = (
    (
        re.compile(r"\bcompare[ds]?\s", re.IGNORECASE),
        re.compile(r"\s(?:and|with|to|against|versus|vs\.?)\s", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:differences?|similarit(?:y|ies)|comparison|distinction)\s(?:\w+\s)?between\s", re.IGNORECASE),
        re.compile(r"\sand\s", re.IGNORECASE),
    ),
    (re.compile(r"\bhow\s(?:do|does|did)\s", re.IGNORECASE), re.compile(r"\sdiffer\sfrom\s", re.IGNORECASE)),
    (
        re.compile(r"\bhow\s(?:do|does|did)\s", re.IGNORECASE),
        re.compile(r"\sand\s", re.IGNORECASE),
        re.compile(r"\s(?:differ|compare)\b", re.IGNORECASE),
    ),
    (re.compile(r"\bhow\s(?:do|does|did)\s", re.IGNORECASE), re.compile(r"\scompare\s(?:with|to)\s", re.IGNORECASE)),
    (
        re.compile(r"\bhow\s(?:is|are|was|were)\s", re.IGNORECASE),
        re.compile(r"\sdifferent\s(?:from|than|to)\s", re.IGNORECASE),
    ),
    (re.compile(r"\b"), re.compile(r"\s(?:versus|vs\.?|as opposed to)\s", re.IGNORECASE)),
    (re.compile(r"\b"), re.compile(r"\s(?:in comparison|compared)\s(?:with|to)\s", re.IGNORECASE)),
)
_CHANGING = (
    r"(?:chang(?:e|es|ed|ing)|evol(?:ve|ves|ved|ving|ution)|develop(?:ed|ment)|shift(?:ed|s)?|trend(?:ed)?|differ(?:ed)?"
    r"|r[io]se|risen|fell|fall|fallen|gr[eo]w|grown|increased?|decreased?|moved?|progress(?:ed)?|raised?|lowered?"
    r"|revis(?:e|ed|ion))"
)
_CHANGED = (
    re.compile(r"\bhow\s(?:did|do|does|has|have|had|was|were)\s", re.IGNORECASE),
    re.compile(rf"\b{_CHANGING}\b", re.IGNORECASE),
)
_WHAT_CHANGED = re.compile(r"\bwhat(?:\shas|\shave)?\schanged\b", re.IGNORECASE)
_WENT = (
    re.compile(r"\bwhere\sdid\s", re.IGNORECASE),
    re.compile(r"\s(?:go|move|end)\b", re.IGNORECASE),
)
_CHANGE_NAMED = re.compile(
    r"\bwhat\s(?:has\s)?happened\sto\b|\b(?:changes?|evolution|development|shift|trend)\s(?:in|of|to)\b", re.IGNORECASE
)
_OVER_TIME = re.compile(r"\bover (?:time|the (?:years|months|past))\b", re.IGNORECASE)
_BROAD = re.compile(
    r"\b(?:summari[sz]e|summary|overview|outline|tell me (?:more )?about|main (?:points?|themes?|topics?|findings?"
    r"|views?|messages?|ideas?)|key (?:points?|themes?|topics?|findings?|messages?|takeaways?)|in general|overall"
    r"|what (?:is|was|has been) (?:said|written|known|reported) (?:about|on)"
    r"|what (?:do|does|did) (?:the |these |our |all ){0,3}[\w\s,–-]{0,40}?"
    rf"(?:{'|'.join(SPOKEN_PLURALS)}|documents|participants|members|sources|texts|pages)"
    r" (?:say|state|report|note|mention|discuss|think|see|judge|conclude)\b)",
    re.IGNORECASE,
)
_LIST = (
    re.compile(r"^\s?(?:please\s)?(?:list|name|enumerate|give (?:me )?(?:a|the) list)\b", re.IGNORECASE),
    re.compile(r"\b(?:what|which)\s(?:are|were)\s(?:all\s)?(?:the|some|its|their|our)?\s?(?:[\w-]+\s){0,4}?[\w-]+s\b"),
    re.compile(
        r"\b(?:what|which)\s(?!do\b|did\b)(?:[\w-]+\s){0,2}?(?!is\b|was\b|does\b|has\b|this\b|it'?s\b|us\b|as\b)[\w-]*[^\Wsiu_]s\s(?!is\b"
        r"|was\b|does\b|has\b)\w+",
        re.IGNORECASE,
    ),
    re.compile(r"^\s?who\s(?:are|were)\sthe\b", re.IGNORECASE),
)
# Words behind the second thing that say in which respect the two are compared.
_RESPECT = re.compile(
    r"\s(?P<respect>(?:in terms of|with (?:respect|regard) to|regarding|concerning|about|when it comes to|in|on|for"
    r"|when|according to|at)\s.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_FRAME = re.compile(
    r"^(?:please\s|can you\s|could you\s|what\s(?:is|are|was|were)\s|which\sis\s\w+,?\s|tell me\s|explain\s"
    r"|the\s|both\s|between\s|of\s|a\s|an\s)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The two things that a question compares, and the words that say in which respect."""

    first: str
    second: str
    respect: str


def kind_of(question: str, periods: tuple[Period, ...]) -> Kind:
    """What a question wants."""
    if _sides_in(question):
        return Kind.COMPARE
    has_stretch = any(period.relation in {"between", "since"} for period in periods) or len(periods) > 1
    if _WHAT_CHANGED.search(question) or (has_stretch and _speaks_of_change(question)):
        return Kind.CHANGE
    if in_order(question, *_CHANGED) and _OVER_TIME.search(question):
        return Kind.CHANGE
    if _BROAD.search(question):
        return Kind.BROAD
    return Kind.LIST if any(pattern.search(question) for pattern in _LIST) else Kind.SINGLE


def compared(question: str) -> Compared | None:
    """The things that a question compares, or None where it cannot be told which words are which thing."""
    sides = _sides_in(question)
    if sides is None:
        return None
    second = sides[1].rstrip(" ?.!")
    respect = _RESPECT.search(second)
    if respect and respect.start():
        second = second[: respect.start()]
    first, second = (_FRAME.sub("", side.strip(" ,;?.!\"'")) for side in (sides[0], second))
    if not first or not second or " and " in f"{first} {second}" or max(len(first), len(second)) > 200:
        return None
    return Compared(first=_with_head(first, second), second=second, respect=respect["respect"] if respect else "")


def _sides_in(question: str) -> tuple[str, str] | None:
    """The words on both sides of the first comparison that a question holds."""
    for patterns in _COMPARE:
        found = in_order(question, *patterns)
        if found is None:
            continue
        opened, joined, *closed = found
        second = question[joined.end() : closed[0].start() if closed else None]
        if second:
            return question[opened.end() : joined.start()], second
    return None


def _speaks_of_change(question: str) -> bool:
    return bool(in_order(question, *_CHANGED) or _CHANGE_NAMED.search(question) or in_order(question, *_WENT))


def _with_head(first: str, second: str) -> str:
    """ "encoder" beside "decoder models" is "encoder models": one plain word before a longer phrase shares its head."""
    words = second.split()
    alone = first.split()
    if len(alone) == 1 and len(words) == 2 and first.islower() and words[0].islower() and not first.endswith("s"):
        return f"{first} {words[-1]}"
    return first


_TOPIC = re.compile(r"\b(?:about|regarding|concerning|on|of|for)\s(?:the\s)?(?P<topic>[^?.!]+)", re.IGNORECASE)

_WHERE = re.compile(
    r"\s(?:in|from|of|at|according to)\s(?:the|these|our|all)\s(?:\w+\s)?"
    rf"(?:{'|'.join(SPOKEN)}|documents?|meetings?|library)\s?$",
    re.IGNORECASE,
)


def topic_of(question: str) -> str:
    """What an overview is asked about: "inflation" of "what do the minutes say about inflation?"; or nothing."""
    found = _TOPIC.search(question)
    return _WHERE.sub("", found["topic"]).strip(" ,;") if found else ""
