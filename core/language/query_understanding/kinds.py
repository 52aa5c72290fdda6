"""Find the kind of a question: one thing, two beside each other, one at two times, an overview, a list. Pure."""

import re

from core.language.nlp.document_types import SPOKEN, SPOKEN_PLURALS
from core.language.query_understanding.annotations import Annotated
from core.language.query_understanding.frames import Frame, find_frame
from core.language.query_understanding.values import Kind

_HOW_IT_CHANGED = Frame(
    opens=re.compile(r"\bhow\s(?:did|do|does|has|have|had|was|were)\s", re.IGNORECASE),
    joins=re.compile(
        r"\b(?:chang(?:e|es|ed|ing)|evol(?:ve|ves|ved|ving|ution)|develop(?:ed|ment)|shift(?:ed|s)?|trend(?:ed)?"
        r"|differ(?:ed)?|r[io]se|risen|fell|fall|fallen|gr[eo]w|grown|increased?|decreased?|moved?|progress(?:ed)?"
        r"|raised?|lowered?|revis(?:e|ed|ion))\b",
        re.IGNORECASE,
    ),
)
_WHERE_IT_WENT = Frame(
    opens=re.compile(r"\bwhere\sdid\s", re.IGNORECASE), joins=re.compile(r"\s(?:go|move|end)\b", re.IGNORECASE)
)
_WHAT_CHANGED = re.compile(r"\bwhat(?:\shas|\shave)?\schanged\b", re.IGNORECASE)
_CHANGE_NAMED = re.compile(
    r"\bwhat\s(?:has\s)?happened\sto\b|\b(?:changes?|evolution|development|shift|trend)\s(?:in|of|to)\b", re.IGNORECASE
)
_OVER_TIME = re.compile(r"\bover (?:time|the (?:years|months|past))\b", re.IGNORECASE)
_OVERVIEW = re.compile(
    r"\b(?:summari[sz]e|summary|overview|outline|tell me (?:more )?about|main (?:points?|themes?|topics?|findings?"
    r"|views?|messages?|ideas?)|key (?:points?|themes?|topics?|findings?|messages?|takeaways?)|in general|overall"
    r"|what (?:is|was|has been) (?:said|written|known|reported) (?:about|on)"
    r"|what (?:do|does|did) (?:the |these |our |all ){0,3}[\w\s,–-]{0,40}?"
    rf"(?:{'|'.join(SPOKEN_PLURALS)}|documents|participants|members|sources|texts|pages)"
    r" (?:say|state|report|note|mention|discuss|think|see|judge|conclude)\b)",
    re.IGNORECASE,
)
# A request for a list, or a question whose noun is in the plural: "which papers propose", "what are the rules".
_TO_LIST = re.compile(
    r"^\s?(?:(?:please\s)?(?:list|name|enumerate|give (?:me )?(?:a|the) list)|who\s(?:are|were)\sthe)\b", re.IGNORECASE
)
_WHAT_ARE = re.compile(
    r"\b(?:what|which)\s(?:are|were)\s(?:all\s)?(?:the|some|its|their|our)?\s?(?:[\w-]+\s){0,4}?[\w-]+s\b"
)
_WHICH_ONES = re.compile(
    r"\b(?:what|which)\s(?!do\b|did\b)(?:[\w-]+\s){0,2}?(?!is\b|was\b|does\b|has\b|this\b|it'?s\b|us\b|as\b)"
    r"[\w-]*[^\Wsiu_]s\s(?!is\b|was\b|does\b|has\b)\w+",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\b(?:about|regarding|concerning|on|of|for)\s(?:the\s)?(?P<topic>[^?.!]+)", re.IGNORECASE)
_WHERE = re.compile(
    r"\s(?:in|from|of|at|according to)\s(?:the|these|our|all)\s(?:\w+\s)?"
    rf"(?:{'|'.join(SPOKEN)}|documents?|meetings?|library)\s?$",
    re.IGNORECASE,
)


def find_kind(asked: Annotated) -> Kind:
    """Return the kind of a question."""
    if asked.sides:
        return Kind.COMPARE
    if _asks_for_change(asked):
        return Kind.CHANGE
    if _OVERVIEW.search(asked.words):
        return Kind.BROAD
    return Kind.LIST if _asks_for_list(asked.words) else Kind.SINGLE


def find_topic(question: str) -> str:
    """Return the topic of an overview: "inflation" of "what do the minutes say about inflation?"; or nothing."""
    found = _TOPIC.search(question)
    return _WHERE.sub("", found["topic"]).strip(" ,;") if found else ""


def _asks_for_change(asked: Annotated) -> bool:
    """Return True if it is about two times; "over time" are two, where it is asked how something changed."""
    if _WHAT_CHANGED.search(asked.words):
        return True
    asks_how = find_frame(asked.words, _HOW_IT_CHANGED) is not None
    if not asked.has_stretch:
        return asks_how and bool(_OVER_TIME.search(asked.words))
    return asks_how or bool(_CHANGE_NAMED.search(asked.words) or find_frame(asked.words, _WHERE_IT_WENT))


def _asks_for_list(words: str) -> bool:
    return bool(_TO_LIST.search(words) or _WHAT_ARE.search(words) or _WHICH_ONES.search(words))
