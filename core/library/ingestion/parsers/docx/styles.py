"""The styles of a Word document: their names, what they inherit, and which headings they make."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.docx.markup import OFF, RUN_PROPERTIES, Paragraph, get, named, number_of, value_of
from core.library.ingestion.parsers.raised import Place

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_MOST_PARENTS = 20  # styles that a style inherits from
_BODY_LEVEL = 9  # the outline level of what is no heading; headings have 0 to 8
_LONGEST_HEADING = 120  # characters of a heading that only its outline level makes one
_ENDS_SENTENCE = (".", ";", ",", ":")
_VALUE = named("w:val")


_LOOKS = tuple(named(name) for name in ("w:vanish", "w:strike", "w:dstrike", "w:b", "w:vertAlign"))
_STYLE = named("w:rStyle")
_SEEN = frozenset((*_LOOKS, _STYLE))
_PLACES = {"superscript": Place.RAISED, "subscript": Place.LOWERED}


@dataclass(frozen=True, slots=True)
class Look:
    """Holds how the words of a run are set."""

    is_hidden: bool
    is_struck: bool
    is_bold: bool
    place: Place


@dataclass(frozen=True, slots=True)
class _Level:
    """The level of the headings that a style makes."""

    level: int | None  # from 1; None for no headings
    is_named: bool = True  # a heading by its name; where not, by its outline level alone


class Styles:
    """The styles by their ids."""

    def __init__(self, root: "_Element | None") -> None:
        self._styles: dict[str, _Element] = {}
        self._names: dict[str, str] = {}
        self._default = ""
        self._levels: dict[str, _Level] = {}
        self._looks: dict[tuple[str, tuple[tuple[str, str], ...]], Look] = {}
        for style in () if root is None else root.iterchildren(named("w:style")):
            identifier = get(style, "w:styleId")
            self._styles.setdefault(identifier, style)
            self._names.setdefault(identifier, value_of(style, "w:name").casefold())
            if get(style, "w:type") == "paragraph" and get(style, "w:default") in ("1", "true", "on"):
                self._default = self._default or identifier

    def name(self, identifier: str) -> str:
        """Return the name of a style in lower case; "" where there is none."""
        return self._names.get(identifier, "")

    def id_of(self, paragraph: Paragraph) -> str:
        """Return the id of the style that a paragraph has."""
        return paragraph.style_id if paragraph.style_id in self._styles else self._default

    def name_of(self, paragraph: Paragraph) -> str:
        """Return the name of a paragraph's style in lower case; "" where there is none."""
        return self.name(self.id_of(paragraph))

    def chain(self, identifier: str) -> "Iterator[tuple[str, _Element]]":
        """Yield a style and those that it inherits from, nearest first, each with its id."""
        for _ in range(_MOST_PARENTS):
            style = self._styles.get(identifier)
            if style is None:
                return
            yield identifier, style
            identifier = value_of(style, "w:basedOn")

    def heading_level(self, paragraph: Paragraph, text: str) -> int | None:
        """Return the level of a heading, from 1; None for other paragraphs.

        The nearest style decides that is called a heading or has an outline level. An outline level alone makes no
        heading of a whole sentence, as in contracts whose clauses have levels.
        """
        may_be = 0 < len(text) <= _LONGEST_HEADING and not text.endswith(_ENDS_SENTENCE)
        own = value_of(paragraph.properties, "w:outlineLvl")
        if may_be and number_of(own, _BODY_LEVEL) < _BODY_LEVEL:
            return int(own) + 1
        identifier = self.id_of(paragraph)
        if identifier not in self._levels:
            self._levels[identifier] = self._read_level(identifier)
        found = self._levels[identifier]
        return found.level if found.is_named or may_be else None

    def look(self, properties: "_Element | None", paragraph_style: str) -> Look:
        """Return how a run is set: by what it says itself (w:rPr), by its own style or by its paragraph's style."""
        stated = (
            ()
            if properties is None
            else tuple((str(child.tag), child.get(_VALUE, "true")) for child in properties if child.tag in _SEEN)
        )
        key = (paragraph_style or self._default, stated)
        if key not in self._looks:
            self._looks[key] = self._read_look(dict(stated), key[0])
        return self._looks[key]

    def _read_level(self, identifier: str) -> _Level:
        for _, style in self.chain(identifier):
            heading = _HEADING.match(value_of(style, "w:name"))
            if heading:
                return _Level(int(heading[1]))
            stated = value_of(style.find(named("w:pPr")), "w:outlineLvl")
            if stated:
                level = number_of(stated, _BODY_LEVEL)
                return _Level(level + 1 if level < _BODY_LEVEL else None, is_named=False)
        return _Level(None)

    def _read_look(self, stated: dict[str, str], paragraph_style: str) -> Look:
        found = {name: value for name, value in stated.items() if name != _STYLE}
        for identifier in (stated.get(_STYLE, ""), paragraph_style):
            for _, style in self.chain(identifier):
                for child in style.iterfind(f"{RUN_PROPERTIES}/*"):
                    if child.tag in _LOOKS:
                        found.setdefault(str(child.tag), child.get(_VALUE, "true"))
        hidden, struck, twice, bold, place = (found.get(name, "0") for name in _LOOKS)
        return Look(
            is_hidden=hidden not in OFF,
            is_struck=struck not in OFF or twice not in OFF,
            is_bold=bold not in OFF,
            place=_PLACES.get(place, Place.ON_LINE),
        )
