"""Which paragraphs of a Word document are items of lists, how deep, and which number Word sets before them."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docx.document import Document
    from docx.text.paragraph import Paragraph

_LIST_STYLE = re.compile(r"list(?: (?P<kind>bullet|number|paragraph|continue))?(?: (?P<level>\d))?")
_MOST_DEPTH = 8  # Word has nine levels
_PLAIN = ("bullet", "none", "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """An item's place in its list."""

    depth: int  # 0 for a list that stands in no other
    number: int | None = None  # None where a bullet is set before it


class Numbers:
    """Counts the items of a document, asked in its order."""

    def __init__(self, document: "Document") -> None:
        self._formats = _formats(document)
        self._counts: dict[tuple[str, int], int] = {}

    def of(self, paragraph: "Paragraph", style: str) -> Listed | None:
        """The place of the next paragraph; None when it is no item. style: its style's name in lower case."""
        named = _LIST_STYLE.fullmatch(style)
        identifier, depth = _read_numbering(paragraph)
        if not identifier and (not named or named["kind"] == "continue"):
            if paragraph.text.strip():
                self._counts = {key: count for key, count in self._counts.items() if key[0]}
            return None
        if named and named["level"]:
            depth = int(named["level"]) - 1
        depth = min(max(depth, 0), _MOST_DEPTH)
        if identifier:
            is_counted = self._formats.get((identifier, depth), "") not in _PLAIN
        else:
            is_counted = named is not None and named["kind"] == "number"
        if not is_counted:
            return Listed(depth=depth)
        # A deeper list begins anew below each item.
        self._counts = {key: n for key, n in self._counts.items() if key[0] != identifier or key[1] <= depth}
        self._counts[identifier, depth] = self._counts.get((identifier, depth), 0) + 1
        return Listed(depth=depth, number=self._counts[identifier, depth])


def _read_numbering(paragraph: "Paragraph") -> tuple[str, int]:
    """The id of the list that a paragraph is numbered in, "" for none, and its depth."""
    from docx.oxml.ns import qn

    element = paragraph._p.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
    if element is None:
        return "", 0
    identifier, depth = _value(element, "w:numId"), _value(element, "w:ilvl")
    return ("" if identifier == "0" else identifier), int(depth) if depth in set("012345678") else 0


def _formats(document: "Document") -> dict[tuple[str, int], str]:
    """What Word sets before the items of each list, by the list's id and the depth: "decimal", "bullet", ..."""
    from docx.opc.constants import RELATIONSHIP_TYPE
    from docx.oxml.ns import qn

    relations = document.part.rels.values()
    part: Any = next((r.target_part for r in relations if r.reltype == RELATIONSHIP_TYPE.NUMBERING), None)
    root = getattr(part, "element", None)
    if root is None:
        return {}
    levels: dict[str, dict[str, str]] = {}
    for abstract in root.findall(qn("w:abstractNum")):
        found = {level.get(qn("w:ilvl"), ""): _value(level, "w:numFmt") for level in abstract.findall(qn("w:lvl"))}
        levels[abstract.get(qn("w:abstractNumId"), "")] = found
    return {
        (number.get(qn("w:numId"), ""), int(depth)): kind
        for number in root.findall(qn("w:num"))
        for depth, kind in levels.get(_value(number, "w:abstractNumId"), {}).items()
        if depth in set("012345678")
    }


def _value(element: Any, name: str) -> str:
    from docx.oxml.ns import qn

    child = element.find(qn(name))
    return str(child.get(qn("w:val"), "")) if child is not None else ""
