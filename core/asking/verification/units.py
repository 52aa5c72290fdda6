"""Divide a passage into its smallest pieces about one thing, with the text above them that names it. Pure.

A sentence, an item of a list with its lead-in, a row of a table with its header; each with the headings it is under.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.asking.verification.cleaning import clean
from core.asking.verification.found_quotes import FoundQuote, read_leads
from core.language.nlp import structure
from core.language.nlp.text import sentences

_HEADING = re.compile(r"^[ \t]*+#{1,6}[ \t][^\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, an item or a row, and what names its subject."""

    text: str
    lead: str  # what introduces a list's item or heads a table; empty for a sentence
    above: tuple[str, ...]  # sentences before it in its paragraph, the lead, headings, the source: the nearest first


def find_units(evidence: Sequence[FoundQuote]) -> list[Unit]:
    """The units that some quotes are part of, each once."""
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
    """The heading above a place, where the text has some."""
    above = [found.group() for found in _HEADING.finditer(content, 0, start)]
    return tuple(clean(heading) for heading in above[-1:])


def _find_before(content: str, start: int) -> Iterable[str]:
    """The sentences before a place in its paragraph, the nearest first."""
    paragraph = content.rfind("\n\n", 0, start) + 1
    spans = [span for span in sentences(content[paragraph:start]) if span[0] < span[1]]
    return tuple(clean(content[paragraph + a : paragraph + b]) for a, b in reversed(spans))
