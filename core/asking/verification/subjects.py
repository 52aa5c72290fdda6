"""Check that a statement is about the same subject as its source: Class A, not Class C; March; the chair. Pure.

A passage is divided into its smallest pieces about one thing, each with the text above that names it: a sentence, an
item of a list with its lead-in, a row of a table with its header. A thing's label has to be in the piece with the rest,
or in what is above it. Elsewhere in the passage it belongs to another thing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.asking.verification.clauses import split_clauses
from core.asking.verification.cleaning import clean
from core.asking.verification.found_quotes import FoundQuote, read_leads
from core.asking.verification.names import find_names
from core.language.nlp import structure
from core.language.nlp.labels import Labels, find_labels
from core.language.nlp.text import content_stems, sentences, stem, words_of

_HEADING = re.compile(r"^[ \t]*+#{1,6}[ \t][^\n]*", re.MULTILINE)

LEAST_BESIDE = 2  # words beside a name that show which sentence is meant
_NUMBER_COUNTS = 3  # as many words: a number shows best which sentence is meant


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, an item or a row, and what names its subject."""

    text: str
    lead: str  # what introduces a list's item or heads a table; empty for a sentence
    above: tuple[str, ...]  # sentences before it in its paragraph, the lead, headings, the source: the nearest first


def find_units(evidence: Sequence[FoundQuote]) -> list[Unit]:
    """Return the units that some quotes are part of, each once."""
    return list(dict.fromkeys(unit for found in evidence for unit in _find_units(found)))


def _find_units(found: FoundQuote) -> Iterator[Unit]:
    content, source = found.passage.content, found.passage.source
    for unit in structure.units(content):
        if unit.start >= found.end or unit.end <= found.start:
            continue
        text, named = clean(content[unit.start : unit.end]), (*_find_headings(content, unit.start), source)
        if unit.group is None:
            yield Unit(text, "", (*_find_before(content, unit.start), *named))
        else:
            leads = read_leads(unit, content)
            yield Unit(text, " ".join(leads), (*reversed(leads), *named))


def _find_headings(content: str, start: int) -> tuple[str, ...]:
    """Return the heading above a place, where the text has some."""
    above = [found.group() for found in _HEADING.finditer(content, 0, start)]
    return tuple(clean(heading) for heading in above[-1:])


def _find_before(content: str, start: int) -> Iterable[str]:
    """Return the sentences before a place in its paragraph, the nearest first."""
    paragraph = content.rfind("\n\n", 0, start) + 1
    spans = [span for span in sentences(content[paragraph:start]) if span[0] < span[1]]
    return tuple(clean(content[paragraph + a : paragraph + b]) for a, b in reversed(spans))


def is_of_another(statement: str, units: Sequence[Unit]) -> bool:
    """Return True when the source makes a statement's claim about another subject than the statement does."""
    if not find_labels(statement):
        return False
    read = [(set(content_stems(f"{unit.text} {unit.lead}")), _find_labels(unit)) for unit in units]
    for clause in split_clauses(statement):
        mine = find_labels(clause.text)
        words = clause.stems - {stem(value) for values in mine.values() for value in values}
        scored = [
            (sum(_NUMBER_COUNTS if word[0].isdigit() else 1 for word in words & theirs), found)
            for theirs, found in read
        ]
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
