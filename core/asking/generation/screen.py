"""Keep a draft to what a person reads on one screen: steps as steps, nothing twice, not without an end. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.language.nlp.text import words_of
from core.types import Statement

MOST_STATEMENTS = 24
MOST_CHARACTERS = 3_000  # of all statements together

_STEP = re.compile(r"(?:\A|(?<=\s))\(?(\d{1,2})[.)] (?=\S)")
_FEWEST_STEPS = 2


def fit_screen(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements without those that say the same words as an earlier one, as far as a screen goes."""
    kept: dict[str, Statement] = {}
    left = MOST_CHARACTERS
    for statement in (replace(one, text=text) for one in statements for text in split_steps(one.text)):
        said = " ".join(words_of(statement.text.casefold()))
        if not said or said in kept:
            continue
        if len(statement.text) <= MOST_CHARACTERS:  # a longer one is none of a document, and is not shown
            left -= len(statement.text)
        if kept and (left < 0 or len(kept) == MOST_STATEMENTS):
            break
        kept[said] = statement
    return tuple(kept.values())


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
