"""Keep a draft to what a person reads on one screen: nothing twice, and not without an end. Pure."""

from collections.abc import Sequence

from core.nlp.text import words_of
from core.types import Statement

MOST_STATEMENTS = 24
MOST_CHARACTERS = 3_000  # of all statements together


def fit_screen(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements without those that say the same words as an earlier one, as far as a screen goes."""
    kept: dict[str, Statement] = {}
    left = MOST_CHARACTERS
    for statement in statements:
        said = " ".join(words_of(statement.text.casefold()))
        if not said or said in kept:
            continue
        if len(statement.text) <= MOST_CHARACTERS:  # a longer one is none of a document, and is not shown
            left -= len(statement.text)
        if kept and (left < 0 or len(kept) == MOST_STATEMENTS):
            break
        kept[said] = statement
    return tuple(kept.values())
