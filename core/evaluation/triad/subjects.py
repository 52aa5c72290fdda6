"""Detect statements about another subject than the labelled one in the question: Class A, Bay 3, step 6. Pure."""

import re

from core.nlp.text import STOP_WORDS, one_line, stem

# Any word may be the kind: a measure that shared the list of what it measures, core.nlp.labels, could not see what that
# lacks.
_LABELLED = re.compile(r"\b([^\W\d_]{3,30})[ \t]+([A-Z]|\d{1,4})\b")
_ASKED = re.compile(r"\b([^\W\d_]{3,30})[ \t]+([a-z]|\d{1,4})\b", re.IGNORECASE)
_ITEM = re.compile(r"\n(?=[ \t]*(?:[-*\u2022]|\d+[.)])[ \t])|\n[ \t]*\n")  # a list item or a paragraph begins


def of_another_subject(question: str, statement: str, passage: str) -> bool:
    """Return True if the label nearest to a statement differs from the question's label of that kind.

    The statement occurs word for word in the passage. Its own labels go before those of its list item or paragraph. A
    question whose labels the passage does not have names no subject here.
    """
    known = set(_labels(passage))
    asked = {label for label in _labels(question, asked=True) if label in known}
    own, before = _around(statement, passage)
    for kind, _ in asked:
        near = [value for name, value in _labels(own) if name == kind] or [
            value for name, value in _labels(before) if name == kind
        ][-1:]
        if near and not any((kind, value) in asked for value in near):
            return True
    return False


def _labels(text: str, *, asked: bool = False) -> list[tuple[str, str]]:
    """The (kind, label) pairs of a text, in order. In a question, which may be in lower case, any letter counts."""
    found = (_ASKED if asked else _LABELLED).findall(text)
    return [(stem(kind), label.upper()) for kind, label in found if kind.casefold() not in STOP_WORDS]


def _around(statement: str, passage: str) -> tuple[str, str]:
    """Return a statement as written in the passage, and the text before it in its list item or paragraph."""
    wanted = one_line(statement).rstrip(".!?").lower()
    for part in _ITEM.split(passage):
        item = one_line(part)
        start = item.lower().find(wanted)
        if start >= 0:
            return item[start : start + len(wanted)], item[:start]
    return statement, ""
