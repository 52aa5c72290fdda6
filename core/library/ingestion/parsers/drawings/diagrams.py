"""Diagrams of Office files (SmartArt): the words of their shapes as a list, each below the one that it belongs to."""

from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.written import item

if TYPE_CHECKING:
    from lxml.etree import _Element

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_SHAPES = {"node", "asst", "doc"}  # kinds of points; the others are lines between them, or how they look
_MOST_SHAPES = 2000
_MOST_DEPTH = 9


def write_diagram(root: "_Element") -> str:
    """Return the words of a diagram's data; "" where it has none."""
    points = {
        point.get("modelId", ""): point for point in root.iter(f"{_DIAGRAM}pt") if point.get("type", "node") in _SHAPES
    }
    below: dict[str, list[tuple[int, str]]] = {}
    for line in root.iter(f"{_DIAGRAM}cxn"):
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
    text = point.find(f"{_DIAGRAM}t")
    if text is None:
        return ""
    return one_line(" ".join("".join(one.text or "" for one in each.iter(_TEXT)) for each in text.iter(_PARAGRAPH)))
