"""The words of a paragraph on a slide as a viewer sees them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.library.ingestion.parsers.docx.equations import write_equation
from core.library.ingestion.parsers.raised import Place, Run, write_runs
from core.library.ingestion.parsers.struck import leave_out_struck

if TYPE_CHECKING:
    from lxml.etree import _Element
    from pptx.text.text import TextFrame, _Paragraph

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RUNS = {f"{_DRAWING}r", f"{_DRAWING}fld"}
_BREAK, _ALTERNATES = f"{_DRAWING}br", f"{_COMPATIBILITY}AlternateContent"
_EQUATION = "{http://schemas.microsoft.com/office/drawing/2010/main}m"
_STRUCK = {"sngStrike", "dblStrike"}


def read_paragraph(paragraph: "_Paragraph") -> str:
    """Return the words of a paragraph without what is struck out; a line break is a "\\n"."""
    return write_runs(leave_out_struck(_runs(paragraph._p)))


def read_frame(frame: "TextFrame") -> str:
    """Return the words of a text box, each paragraph on a line."""
    return "\n".join(read_paragraph(paragraph) for paragraph in frame.paragraphs)


def _runs(element: "_Element") -> Iterator[Run | None]:
    for child in element:
        if child.tag == _BREAK:
            yield Run("\n")
        elif child.tag in _RUNS:
            properties = child.find(f"{_DRAWING}rPr")
            is_struck = properties is not None and properties.get("strike") in _STRUCK
            yield None if is_struck else Run(child.findtext(f"{_DRAWING}t") or "", _place(properties))
        elif child.tag == _ALTERNATES:  # an equation, with a picture of it for older programs
            choice = child.find(f"{_COMPATIBILITY}Choice")
            yield from () if choice is None else _runs(choice)
        elif child.tag == _EQUATION:
            yield Run("\n".join(write_equation(equation) for equation in child))


def _place(properties: "_Element | None") -> Place:
    """Return the place of a run by the height of its baseline, in thousandths of a line or in percent."""
    baseline = "" if properties is None else properties.get("baseline", "").strip()
    if not baseline.strip("+-0.%"):
        return Place.ON_LINE
    return Place.LOWERED if baseline.startswith("-") else Place.RAISED
