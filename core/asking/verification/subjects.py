"""Check that a statement is about the same subject as its source: Class A, not Class C; March; the chair. Pure.

A thing's label has to be in the sentence, list item or table row with the rest, or in a heading above it. Elsewhere in
the passage it belongs to another thing.
"""

from collections.abc import Sequence

from core.asking.verification.clauses import split_clauses
from core.asking.verification.names import find_names
from core.asking.verification.units import Unit
from core.language.nlp.labels import Labels, find_labels
from core.language.nlp.text import content_stems, stem, words_of

LEAST_BESIDE = 2  # words beside a name that show which sentence is meant
_NUMBER_COUNTS = 3  # as many words: a number shows best which sentence is meant


def is_of_another(statement: str, units: Sequence[Unit]) -> bool:
    """Return True when the source makes a statement's claim about another subject than the statement does."""
    if not find_labels(statement):
        return False
    read = [(set(content_stems(f"{unit.text} {unit.lead}")), _find_labels(unit)) for unit in units]
    for clause in split_clauses(statement):
        mine = find_labels(clause.text)
        words = clause.stems - {stem(value) for values in mine.values() for value in values}
        scored = [(sum(_weigh(word) for word in words & theirs), found) for theirs, found in read]
        best = max((score for score, _ in scored), default=0)
        if best and not any(_agree(mine, found) for score, found in scored if score == best):
            return True
    return False


def _agree(mine: Labels, theirs: Labels) -> bool:
    """Return True if no label contradicts another; a text without a label of that kind may be about the same thing."""
    return all(not theirs.get(kind) or theirs[kind] & values for kind, values in mine.items())


def names_another(statement: str, units: Sequence[Unit]) -> bool:
    """Return True when one name replaces another: the source of the rest has a name of its own and lacks this one."""
    for clause in split_clauses(statement):
        mine = list(find_names(clause.text))
        stems = {stem(word) for run in mine for word in run}
        words = set(content_stems(clause.text)) - stems
        scored = [(len(words & set(content_stems(unit.text))), unit) for unit in units]
        best = max((score for score, _ in scored), default=0)
        leading = [unit for score, unit in scored if score == best]
        for run in mine if 2 * best >= len(words) and best >= LEAST_BESIDE else ():
            if all(_names_others(unit, run, statement) for unit in leading):
                return True
    return False


def _names_others(unit: Unit, run: Sequence[str], statement: str) -> bool:
    have = {stem(word) for text in (unit.text, *unit.above) for word in words_of(text)}
    if any(stem(word) in have for word in run):
        return False
    said = {stem(word) for word in words_of(statement)}
    return any(not any(stem(word) in said for word in other) for other in find_names(unit.text))


def _find_labels(unit: Unit) -> Labels:
    """Find the labels of a unit's subject: its own, else the nearest of that kind above it."""
    found: dict[str, frozenset[str]] = {}
    for text in (unit.text, *unit.above):
        for kind, values in find_labels(text).items():
            found.setdefault(kind, values)
    return found


def _weigh(word: str) -> int:
    return _NUMBER_COUNTS if word[0].isdigit() else 1
