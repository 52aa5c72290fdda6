"""Find sentences about another site, shop or hut than the one that a question names. Pure.

Siblings are names of one kind: the sections of one document ("Corrie Lodge", "Tarn House" in a report), or the cells of
one column of a table. A sentence about one of them says in the same words what a question asks about another.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from core.language.nlp.headings import drop_number, list_parts
from core.language.nlp.layout import BAR, BlockKind, cells
from core.language.nlp.structure import units
from core.language.nlp.text import content_stems, stem, words_of

_NAME = re.compile(r"\A[A-Z][\w'’-]*(?: (?:of |the |on |upon )?[A-Z][\w'’-]*){1,3}")
_Name = frozenset[str]  # its stems


class SiblingsAsked:
    """The names that a question asks about, of those that stand side by side in passages.

    passages: each (heading, text); the heading is the document's name and its parts, with commas between them.
    """

    def __init__(self, question: str, passages: Sequence[tuple[str, str]]) -> None:
        asked = set(content_stems(question))
        self._asked: set[_Name] = set()
        self._others: set[_Name] = set()
        for names in _collect_siblings(passages):
            if named := {name for name in names if name <= asked}:
                self._asked |= named
                self._others |= names - named
        self._others -= self._asked
        told = passages if self._others else ()  # else nothing is compared
        self._texts = [set(content_stems(text)) for _, text in told]
        self._sections = [set().union(*map(content_stems, _read_sections(heading))) for heading, _ in told]

    def is_of_another(self, passage: int, text: str) -> bool:
        """Return True if a sentence, item or row is about another name than those asked for.

        passage: its number. Its section is called so and the sentence has no asked name; or the sentence has another
        name, where its passage has an asked one elsewhere. What is said of another name alone may hold for all: lost
        property of any hut is kept at one of them.
        """
        if not self._others:
            return False
        own, section = set(content_stems(text)), self._sections[passage]
        if _has_any(self._asked, own) or _has_any(self._asked, section):
            return False
        is_apart = _has_any(self._asked, self._texts[passage]) and _has_any(self._others, own)
        return is_apart or _has_any(self._others, section)


def _has_any(names: Iterable[_Name], stems: set[str]) -> bool:
    return any(name <= stems for name in names)


def _collect_siblings(passages: Sequence[tuple[str, str]]) -> list[set[_Name]]:
    """Return the names of the sections of each document, and of each table's columns.

    Headings often begin each word with a capital. A name is what the texts write so too, and never in small letters.
    """
    found: dict[Hashable, set[_Name]] = defaultdict(set)
    written = " ".join(text for _, text in passages)
    for heading, text in passages:
        document = heading.partition(", ")[0]
        titled = filter(_NAME.fullmatch, _read_sections(heading))
        found[document].update(_read_name(one) for one in titled if one in written and one.lower() not in written)
        if BAR not in text:
            continue
        for unit in units(text):
            if unit.kind is BlockKind.ROW and unit.leads:
                header = text[slice(*unit.leads[-1])]
                for column, cell in enumerate(cells(text[unit.start : unit.end])):
                    if _NAME.fullmatch(cell):
                        found[document, header, column].add(_read_name(cell))
    return [names for names in found.values() if len(names) > 1]


def _read_sections(heading: str) -> list[str]:
    """Return the parts of a passage's heading below its document, without their numbers."""
    return [drop_number(part) for part in list_parts(heading.partition(", ")[2])]


def _read_name(name: str) -> _Name:
    return frozenset(map(stem, words_of(name)))
