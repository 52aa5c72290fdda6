"""The two things that a question compares, and in which respect. Pure."""

import re
from dataclasses import dataclass

from core.query_understanding.frames import Frame, find_frame

_MOST_CHARACTERS = 200  # of one of the things

_HOW_DO = re.compile(r"\bhow\s(?:do|does|did)\s", re.IGNORECASE)
_AND = re.compile(r"\sand\s", re.IGNORECASE)
# What opens a comparison, what joins its two sides, and what closes it. White space in a question has been folded to
# single spaces: see core.nlp.text.one_line.
_FORMS = (
    Frame(
        opens=re.compile(r"\bcompare[ds]?\s", re.IGNORECASE),
        joins=re.compile(r"\s(?:and|with|to|against|versus|vs\.?)\s", re.IGNORECASE),
    ),
    Frame(
        opens=re.compile(
            r"\b(?:differences?|similarit(?:y|ies)|comparison|distinction)\s(?:\w+\s)?between\s", re.IGNORECASE
        ),
        joins=_AND,
    ),
    Frame(opens=_HOW_DO, joins=re.compile(r"\sdiffer\sfrom\s", re.IGNORECASE)),
    Frame(opens=_HOW_DO, joins=_AND, closes=re.compile(r"\s(?:differ|compare)\b", re.IGNORECASE)),
    Frame(opens=_HOW_DO, joins=re.compile(r"\scompare\s(?:with|to)\s", re.IGNORECASE)),
    Frame(
        opens=re.compile(r"\bhow\s(?:is|are|was|were)\s", re.IGNORECASE),
        joins=re.compile(r"\sdifferent\s(?:from|than|to)\s", re.IGNORECASE),
    ),
    Frame(
        opens=re.compile(r"\b"),
        joins=re.compile(
            r"\s(?:versus|vs\.?|as\sopposed\sto|(?:in\scomparison|compared)\s(?:with|to))\s", re.IGNORECASE
        ),
    ),
)
# Words behind the second thing that say in which respect the two are compared.
_RESPECT = re.compile(
    r"\s(?P<respect>(?:in terms of|with (?:respect|regard) to|regarding|concerning|about|when it comes to|in|on|for"
    r"|when|according to|at)\s.+)\Z",
    re.IGNORECASE | re.DOTALL,
)
_BEFORE_A_THING = re.compile(
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


def find_sides(question: str) -> tuple[slice, slice] | None:
    """Where both sides of the first comparison that a question holds stand; None where it compares nothing."""
    found = find_frame(question, *_FORMS)
    if found is None:
        return None
    opened, joined, *closed = found
    return slice(opened.end(), joined.start()), slice(joined.end(), closed[0].start() if closed else len(question))


def name_compared(sides: tuple[str, str]) -> Compared | None:
    """The things on both sides of a comparison, or None where it cannot be told which words are which thing."""
    second = sides[1].rstrip(" ?.!")
    respect = _RESPECT.search(second)
    if respect and respect.start():
        second = second[: respect.start()]
    first, second = (_BEFORE_A_THING.sub("", side.strip(" ,;?.!\"'")) for side in (sides[0], second))
    if not first or not second or " and " in f"{first} {second}" or max(len(first), len(second)) > _MOST_CHARACTERS:
        return None
    return Compared(first=_add_head(first, second), second=second, respect=respect["respect"] if respect else "")


def _add_head(first: str, second: str) -> str:
    """ "encoder" beside "decoder models" is "encoder models": one plain word before a longer phrase shares its head."""
    words = second.split()
    alone = first.split()
    if len(alone) == 1 and len(words) == 2 and first.islower() and words[0].islower() and not first.endswith("s"):
        return f"{first} {words[-1]}"
    return first
