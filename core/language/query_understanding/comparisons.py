"""The two things that a question compares, and in which respect. Pure."""

import re
from dataclasses import dataclass

from core.language.query_understanding.frames import Frame, find_frame

_MOST_CHARACTERS = 200  # of one of the things

_HOW_DO = re.compile(r"\bhow\s(?:do|does|did)\s", re.IGNORECASE)
_AND = re.compile(r"\sand\s", re.IGNORECASE)
# What opens a comparison, what joins its two sides, and what closes it. White space in a question has been folded to
# single spaces: see core.language.nlp.text.one_line.
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
_PREPOSITION = re.compile(r"\b(?:in|at|on|for|of|from|by|with|under|during|before|after)\s", re.IGNORECASE)
_STANDS_FOR_FIRST = re.compile(r"\A(?:the\s)?(?:that|those|the\sones?)(?:\s|\Z)", re.IGNORECASE)
_LAST_PHRASE = re.compile(
    r"\s(?P<preposition>in|at|on|for|of|from|by|under|during)\s(?:the\s|an?\s)?(?P<thing>\S+(?:\s\S+){0,2})\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The two things that a question compares, and the words that say in which respect."""

    first: str
    second: str
    respect: str


def find_sides(question: str) -> tuple[slice, slice] | None:
    """Return the places of both sides of a question's first comparison; None where it compares nothing."""
    found = find_frame(question, *_FORMS)
    if found is None:
        return None
    opened, joined, *closed = found
    return slice(opened.end(), joined.start()), slice(joined.end(), closed[0].start() if closed else len(question))


def name_compared(sides: tuple[str, str]) -> Compared | None:
    """Return the things on both sides of a comparison; None where it cannot be told which words are which thing."""
    second = sides[1].rstrip(" ?.!")
    respect = _RESPECT.search(second)
    if respect and respect.start() and not _is_of_both(respect["respect"], sides[0]):
        second = second[: respect.start()]
    else:
        respect = None
    first, second = (_BEFORE_A_THING.sub("", side.strip(" ,;?.!\"'")) for side in (sides[0], second))
    if not first or not second or " and " in f"{first} {second}" or max(len(first), len(second)) > _MOST_CHARACTERS:
        return None
    return Compared(
        first=_share_end(first, second),
        second=_share_beginning(first, second),
        respect=respect["respect"] if respect else "",
    )


def _is_of_both(respect: str, first: str) -> bool:
    """Return True if the first thing has a phrase like it: "the fee for members and that for guests"."""
    preposition = _PREPOSITION.match(respect)
    return preposition is not None and preposition.group().casefold() in first.casefold()


def _share_end(first: str, second: str) -> str:
    """Return the first thing with the end that it shares with the second.

    "encoder" beside "decoder models" is "encoder models", "June" beside "July totals" June's totals, and "main pool"
    beside "teaching pool chlorine" the main pool's chlorine.
    """
    words, own = second.split(), first.split()
    shared = [place for place, word in enumerate(words[:-1]) if word.casefold() == own[-1].casefold()]
    if len(own) > 1 and shared and shared[0] + 1 == len(own):
        return " ".join((*own, *words[shared[0] + 1 :]))
    if len(own) > 1 or len(words) != 2 or first.endswith("s") or not _are_alike(first, words[0]):
        return first
    return f"{first} {words[-1]}"


def _share_beginning(first: str, second: str) -> str:
    """Return the second thing with the beginning that it shares with the first.

    "June" beside "attendance in May" is attendance in June, as are "in June" and "that in June"; "late one" beside
    "early shift" is the late shift.
    """
    bare = _STANDS_FOR_FIRST.sub("", second).strip()
    if opening := _PREPOSITION.match(bare):
        same = [
            found for found in _PREPOSITION.finditer(first) if found.group().casefold() == opening.group().casefold()
        ]
        return f"{first[: same[-1].start()]}{bare}" if same else second
    if bare.casefold().endswith(" one"):
        return f"{bare[:-4]} {first.split()[-1]}"
    phrase = _LAST_PHRASE.search(first)
    if not phrase or _PREPOSITION.search(second) or not _are_alike(phrase["thing"], second):
        return second
    if phrase["preposition"].casefold() == "of" and not _is_name(phrase["thing"]):
        last_of_phrase, last_of_second = (words.split()[-1].casefold() for words in (phrase["thing"], second))
        if last_of_phrase != last_of_second:
            return second
    return f"{first[: phrase.start('thing')]}{second}"


def _are_alike(one: str, other: str) -> bool:
    """Return True if two things are both names or numbers, or neither is."""
    return _is_name(one) == _is_name(other) and abs(len(one.split()) - len(other.split())) <= 1


def _is_name(thing: str) -> bool:
    return thing[:1].isupper() or any(character.isdigit() for character in thing)
