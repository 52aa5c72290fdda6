"""Read plain prose as statements: its sentences, the items of its lists, the rows of its tables. Pure."""

import re
from collections.abc import Iterator
from typing import Any

from core.language.nlp.text import sentences, words_of

_OF_WHAT_IS_GIVEN = (
    r"(?:passages?|context|excerpts?|(?:provided|given|available|retrieved|above|these) "
    r"(?:documents?|texts?|sources?|information))"
)
# "The passages do not mention it", "It is not mentioned in the passages", "I cannot answer": a refusal in words.
_ABSENT = (
    re.compile(
        rf"\b{_OF_WHAT_IS_GIVEN}\b.{{0,40}}?\b(?:(?:do|does|did) not|(?:do|does|did)n['’]t|no|not|nothing)\b.{{0,40}}?"
        r"\b(?:mention|contain|provid|sa[yi]|stat|specif|includ|answer|giv|address|discuss|indicat|cover|tell|inform)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:not|n['’]t|nowhere|nothing)\b.{0,30}?\b(?:mentioned|provided|specified|stated|given|found|included"
        r"|contained|available|addressed|discussed|answered|covered|said)\b.{0,40}?"
        rf"\b(?:in|by|from) (?:the |these |any |this )?(?:\w+ )?{_OF_WHAT_IS_GIVEN}",
        re.IGNORECASE,
    ),
    re.compile(
        r"^\W*(?:(?:sorry|unfortunately|i am sorry|i['’]m sorry|i apologi[sz]e)\W+(?:but )?)?(?:i|we) "
        r"(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|am unable to|['’]m unable to|am not able to)\b"
        r".{0,30}?\b(?:answer|find|determine|know|provide|tell|have|help)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:no|not enough|insufficient) (?:\w+ ){0,2}(?:information|answer|mention|details?)\b.{0,60}?"
        rf"\b{_OF_WHAT_IS_GIVEN}",
        re.IGNORECASE,
    ),
)
_NOTHING = re.compile(r"\W*(?:nothing|none|no answer|n/?a|unknown|not found|not mentioned)\b\W*\Z", re.IGNORECASE)
_PLACE = re.compile(
    r"\s?(?:\[(?:passages? ?|sources? ?)?|\((?:passages?|sources?) ?)"
    r"(\d{1,2}(?:(?:,| and|, and) ?(?:passages? )?\d{1,2}){0,5})[\])]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,2}")
_MARK_BEHIND_STOP = re.compile(r"([.!?])((?: ?\[[^\]\n]{1,20}\]){1,6})")
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+(?=\S)")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_FOR_PROGRAMS = ("{", "}", "[{", '"', "```", "<")
_NULL = ("null", "[]")
_STEP = re.compile(r"(?:\A|(?<=\s))\(?(\d{1,2})[.)] (?=\S)")
_FEWEST_STEPS = 2


def is_nothing(text: str) -> bool:
    """Return True if a sentence says, in whatever words, that there is no answer. People are not shown it."""
    return bool(_NOTHING.match(text)) or any(form.search(text) for form in _ABSENT)


def statements_of_prose(reply: str) -> list[dict[str, Any]] | None:
    """Return the statements of a text in its order, items and rows with their marks; None where it has no words.

    What says that there is no answer is no statement; a text of nothing else gives an empty list. Marks such as [2]
    become quotes without words, which only name a passage.
    """
    said = [text for text in _list_texts(reply) if words_of(text)]
    if not said:
        return None
    return [_make_statement(text) for text in said if not is_nothing(text)]


def _list_texts(reply: str) -> Iterator[str]:
    item = ""
    for line in reply.splitlines():
        bare = line.strip()
        if item and bare and line[:1].isspace() and not _ITEM.match(line):
            item += f" {bare}"  # an item goes on in an indented line
            continue
        if item:
            yield item
            item = ""
        if not bare or bare.startswith(_FOR_PROGRAMS) or bare in _NULL:
            continue
        if len(steps := split_steps(bare)) > 1:
            yield from steps
        elif _ITEM.match(bare):
            item = bare
        elif bare.startswith("|"):
            yield bare
        elif _HEADING.match(bare):
            yield _HEADING.sub("", bare).rstrip(":") + ":"
        else:
            placed = _MARK_BEHIND_STOP.sub(r"\2\1", bare)
            yield from (placed[start:end] for start, end in sentences(placed))
    if item:
        yield item


def split_steps(text: str) -> list[str]:
    """Return the steps of a text that has them in one line, "1. ... 2. ...", behind what introduces them; else it."""
    starts: list[re.Match[str]] = []
    for found in () if text.lstrip().startswith("|") else _STEP.finditer(text):
        if int(found[1]) == len(starts) + 1:  # another number is one of the text
            starts.append(found)
    if len(starts) < _FEWEST_STEPS:
        return [text]
    lead = text[: starts[0].start()].strip()
    ends = [*(found.start() for found in starts[1:]), len(text)]
    steps = (
        f"{number}. {text[one.end() : end].strip()}"
        for number, (one, end) in enumerate(zip(starts, ends, strict=True), 1)
    )
    return [*([lead] if lead else []), *steps]


def _make_statement(text: str) -> dict[str, Any]:
    numbers = [number for place in _PLACE.findall(text) for number in _NUMBER.findall(place)]
    quotes = [{"passage": int(number), "text": ""} for number in dict.fromkeys(numbers)]
    return {"text": _PLACE.sub("", text).strip(), "quotes": quotes}
