"""The words in drawings of Office files: alternative texts of pictures, charts with their figures, diagrams."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.parsers.charts import write_chart
from core.library.ingestion.parsers.new_charts import write_new_chart
from core.library.ingestion.parsers.written import item

if TYPE_CHECKING:
    from lxml.etree import _Element


Related = Callable[[str], bytes | None]  # the part that an id of the drawing refers to; None where there is none

_RELATIONS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"
_NEW_CHART = "{http://schemas.microsoft.com/office/drawing/2014/chartex}chart"  # waterfalls, trees and the like
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_BOX = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}txbxContent"
_ALTERNATES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"
_VML = "{urn:schemas-microsoft-com:vml}"
_NAMES = ("docPr", "cNvPr")  # elements that hold the alternative text of a shape, in whatever namespace
_MOST_ELEMENTS = 20_000  # of a drawing
_LARGEST_PART = 20_000_000  # bytes of a chart or diagram
_ON = {"1", "true", "on"}

_LONGEST = 2000  # characters
_LEAST_LETTERS = 8  # of a text that says something; in other scripts than the Latin one half of it
# Sentences that programs add to a text of their own: Office in its languages, and programs for notes.
_GENERATED = re.compile(
    r"automatically generated|automatisch (?:generiert|erstellt|gegenereerd)|générée? automatiquement"
    r"|generad[ao] automáticamente|generat[ao] automaticamente|gerad[ao] automaticamente"
    r"|(?:AI|machine)[- ]generated|KI-generiert|IA-generated|généré par l.IA|generado por (?:la )?IA"
    r"|^a picture containing|^image result for|^bildergebnis für|^résultat d.images? pour|^resultado de imagen",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|svg|tiff?|webp|avif|heic|emf|wmf|ico|pdf|eps)(?:\?\S{0,200})?$", re.IGNORECASE
)
_ADDRESS = re.compile(r"^(?:[a-z]{2,10}://|data:|[a-z]:\\|/\S)\S{0,500}$", re.IGNORECASE)
# What programs call a picture, and what says no more than that there is one.
_NO_MORE = re.compile(
    r"^(?:a |an |the |our |company |site |your )?"
    r"(?:picture|image|img|photo|photograph|graphic|grafik|bild|figure|abbildung|imagen|immagine|foto|screenshot|logo"
    r"|icon|symbol|avatar|banner|spacer|placeholder|decorative|chart|diagramm?|graphique|gráfico|object|objekt|content"
    r"|shape|group|gruppe|rectangle|textbox|text box|thumbnail)"
    r"(?: (?:picture|image|logo|icon|placeholder|photo))?[\s_\-#.:]{0,3}[\d\s_\-.:]{0,30}$",
    re.IGNORECASE,
)
_LOGO = re.compile(r"^(?:\S{1,40} ){0,3}(?:logo|icon|avatar|banner)$", re.IGNORECASE)

_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_SHAPES = {"node", "asst", "doc"}  # kinds of points; the others are lines between them, or how they look
_MOST_SHAPES = 2000
_MOST_DEPTH = 9


class Drawings:
    """Reads the drawings of one file, counts them, and says each thing once: a logo is on every slide."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._said: set[str] = set()

    def read(self, drawing: "_Element", related: Related) -> list[str]:
        """Return the passages of a drawing. Text boxes in it are left to whoever reads paragraphs."""
        elements = list(walk(drawing))
        if any(element.tag == _DECORATIVE and element.get("val") in _ON for element in elements):
            return []
        described = [text for element in elements if (text := _read_description(element))]
        passages: list[str] = []
        for element in elements:
            if element.tag == _CHART:
                passages += self._read_part(element.get(f"{_RELATIONS}id"), related, Found.CHARTS, write_chart)
            elif element.tag == _NEW_CHART:
                identifier = element.get(f"{_RELATIONS}id")
                passages += self._read_part(identifier, related, Found.CHARTS, write_new_chart)
            elif element.tag == _DIAGRAM:
                passages += self._read_part(element.get(f"{_RELATIONS}dm"), related, Found.DIAGRAMS, write_diagram)
        pictures = sum(element.tag == f"{_VML}imagedata" or str(element.tag).endswith("}pic") for element in elements)
        self._tally.find(Found.PICTURES, pictures)
        if not described:
            self._tally.leave_out(Loss.PICTURES, pictures)
        passages += map(name_picture, described)
        return [text for text in passages if self._is_new(text)]

    def describe(self, description: str, *, is_decorative: bool = False) -> list[str]:
        """Count one picture, and return the passage of its alternative text."""
        if is_decorative:
            return []
        text = read_alt_text(description)
        self._tally.find(Found.PICTURES)
        if not text:
            self._tally.leave_out(Loss.PICTURES)
        return [passage for passage in [name_picture(text)] if text and self._is_new(passage)]

    def show_chart(self, text: str) -> list[str]:
        """Count one chart, and return its passage. text: its figures, "" where the file does not hold them."""
        self._tally.find(Found.CHARTS)
        if not text:
            self._tally.leave_out(Loss.CHARTS)
        return [text] if text and self._is_new(text) else []

    def _read_part(
        self, name: str | None, related: Related, kind: Found, write: "Callable[[_Element], str]"
    ) -> list[str]:
        self._tally.find(kind)
        root = parse_part(related(name) if name else None)
        text = write(root) if root is not None else ""
        if not text:
            self._tally.leave_out(Loss.CHARTS if kind is Found.CHARTS else Loss.DIAGRAMS)
        return [text] if text else []

    def _is_new(self, text: str) -> bool:
        is_new = text not in self._said
        self._said.add(text)
        return is_new


def walk(drawing: "_Element") -> "Iterator[_Element]":
    """Yield the elements of a drawing in order, without its text boxes; of alternatives the first."""
    waiting = [drawing]
    for _ in range(_MOST_ELEMENTS):
        if not waiting:
            return
        element = waiting.pop()
        if not isinstance(element.tag, str) or element.tag == _BOX:
            continue
        yield element
        inner = list(element)
        waiting += inner[:1] if element.tag == _ALTERNATES else reversed(inner)


def _read_description(element: "_Element") -> str:
    if str(element.tag).rpartition("}")[2] in _NAMES:
        return read_alt_text(element.get("descr") or element.get("title") or "")
    return read_alt_text(element.get("alt") or "") if element.tag == f"{_VML}shape" else ""


def parse_part(content: bytes | None) -> "_Element | None":
    """Return the root of a part's XML; None where it is missing, damaged or absurdly large."""
    from lxml import etree

    if not content or len(content) > _LARGEST_PART:
        return None
    try:
        return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return None


def read_alt_text(text: str) -> str:
    """Return an alternative text on one line; "" where it was generated, or says nothing of what the picture shows."""
    line = one_line(text[: 2 * _LONGEST], _LONGEST)
    letters = [one for one in line if one.isalpha()]
    if not letters or any(each.search(line) for each in (_GENERATED, _FILE, _ADDRESS, _NO_MORE, _LOGO)):
        return ""
    if not letters[0].isascii():
        return line if len(letters) * 2 >= _LEAST_LETTERS else ""
    return line if " " in line and len(letters) >= _LEAST_LETTERS else ""


def name_picture(description: str) -> str:
    """Write a description as a passage that says what it is."""
    return f"Picture: {description}"


def write_diagram(root: "_Element") -> str:
    """Return the words of a diagram's data; "" where it has none."""
    points = {
        point.get("modelId", ""): point
        for point in root.iter(f"{_DIAGRAM_DATA}pt")
        if point.get("type", "node") in _SHAPES
    }
    below: dict[str, list[tuple[int, str]]] = {}
    for line in root.iter(f"{_DIAGRAM_DATA}cxn"):
        place = line.get("srcOrd", "")
        if line.get("type", "parOf") == "parOf" and line.get("destId", "") in points:
            order = int(place) if place.isdecimal() and len(place) < 7 else 0
            below.setdefault(line.get("srcId", ""), []).append((order, line.get("destId", "")))
    held = {one for found in below.values() for _, one in found}
    waiting = [(0, name) for name in reversed(points) if name not in held]
    seen: set[str] = set()
    items: list[str] = []
    while waiting and len(seen) < _MOST_SHAPES:
        depth, name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        words = _write_words(points[name])
        if words:
            items.append(item(words, depth=min(depth, _MOST_DEPTH)))
        deeper = depth + 1 if words else depth
        waiting += [(deeper, one) for _, one in sorted(below.get(name, []), reverse=True)]
    return "\n".join(["Diagram:", *items]) if items else ""


def _write_words(point: "_Element") -> str:
    text = point.find(f"{_DIAGRAM_DATA}t")
    if text is None:
        return ""
    return one_line(" ".join("".join(one.text or "" for one in each.iter(_TEXT)) for each in text.iter(_PARAGRAPH)))
