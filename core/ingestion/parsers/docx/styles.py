"""The styles of a Word document: their names, what they inherit, and which headings they make."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.ingestion.parsers.docx.markup import OFF, Paragraph, get, named, number_of, value_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_MOST_PARENTS = 20  # styles that a style inherits from
_BODY_LEVEL = 9  # the outline level of what is no heading; headings have 0 to 8
_LONGEST_HEADING = 120  # characters of a heading that only its outline level makes one
_ENDS_SENTENCE = (".", ";", ",", ":")


class Styles:
    """The styles by their ids."""

    def __init__(self, root: "_Element | None") -> None:
        self._styles: dict[str, _Element] = {}
        self._default = ""
        self._said: dict[tuple[str, str], str | None] = {}
        for style in () if root is None else root.iterchildren(named("w:style")):
            identifier = get(style, "w:styleId")
            self._styles.setdefault(identifier, style)
            if get(style, "w:type") == "paragraph" and get(style, "w:default") in ("1", "true", "on"):
                self._default = self._default or identifier

    def name(self, identifier: str) -> str:
        """Return the name of a style in lower case; "" where there is none."""
        return value_of(self._styles.get(identifier), "w:name").casefold()

    def name_of(self, paragraph: Paragraph) -> str:
        """Return the name of a paragraph's style in lower case; "" where there is none."""
        return self.name(self._id_of(paragraph))

    def chain_of(self, paragraph: Paragraph) -> "Iterator[tuple[str, _Element]]":
        """Yield a paragraph's style and those that it inherits from, nearest first, each with its id."""
        return self._chain(self._id_of(paragraph))

    def heading_level(self, paragraph: Paragraph, text: str) -> int | None:
        """Return the level of a heading, from 1; None for other paragraphs.

        The nearest style decides that is called a heading or has an outline level. An outline level alone makes no
        heading of a whole sentence, as in contracts whose clauses have levels.
        """
        may_be = 0 < len(text) <= _LONGEST_HEADING and not text.endswith(_ENDS_SENTENCE)
        own = value_of(paragraph.properties, "w:outlineLvl")
        if may_be and number_of(own, _BODY_LEVEL) < _BODY_LEVEL:
            return int(own) + 1
        for _, style in self.chain_of(paragraph):
            heading = _HEADING.match(value_of(style, "w:name"))
            if heading:
                return int(heading[1])
            stated = value_of(style.find(named("w:pPr")), "w:outlineLvl")
            if stated:
                level = number_of(stated, _BODY_LEVEL)
                return level + 1 if level < _BODY_LEVEL and may_be else None
        return None

    def run_is(self, name: str, properties: "_Element | None", paragraph_style: str) -> bool:
        """Return True if something is on for a run."""
        return self.run_value(name, properties, paragraph_style) not in OFF

    def run_value(self, name: str, properties: "_Element | None", paragraph_style: str) -> str:
        """Return the w:val that holds for a run, "0" for none: its own, its style's or its paragraph's style's."""
        own = _stated(properties, name)
        if own is None:
            own = self._style_value(name, value_of(properties, "w:rStyle"))
        if own is None:
            own = self._style_value(name, paragraph_style or self._default)
        return own or "0"

    def _style_value(self, name: str, identifier: str) -> str | None:
        if (name, identifier) not in self._said:
            stated = (_stated(style.find(named("w:rPr")), name) for _, style in self._chain(identifier))
            self._said[name, identifier] = next((one for one in stated if one is not None), None)
        return self._said[name, identifier]

    def _id_of(self, paragraph: Paragraph) -> str:
        return paragraph.style_id if paragraph.style_id in self._styles else self._default

    def _chain(self, identifier: str) -> "Iterator[tuple[str, _Element]]":
        for _ in range(_MOST_PARENTS):
            style = self._styles.get(identifier)
            if style is None:
                return
            yield identifier, style
            identifier = value_of(style, "w:basedOn")


def _stated(properties: "_Element | None", name: str) -> str | None:
    """Return the w:val of a property, "true" for one that is only named; None for one that is not."""
    found = None if properties is None else properties.find(named(name))
    return None if found is None else get(found, "w:val", "true")
