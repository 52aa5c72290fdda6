"""Read what the frames of an OpenDocument file show: charts as tables, pictures by their alternative texts."""

import posixpath
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.extent import Tally
from core.library.ingestion.parsers.drawings import Drawings
from core.library.ingestion.parsers.odf.content import rows_of, text_of
from core.library.ingestion.parsers.odf.package import Package, named
from core.library.ingestion.parsers.written import table

if TYPE_CHECKING:
    from lxml.etree import _Element

_CHART = "{urn:oasis:names:tc:opendocument:xmlns:chart:1.0}"
_ADDRESS = "{http://www.w3.org/1999/xlink}href"
_MOST_CELLS = 12_000  # of a chart's figures: 300 rows of 40 columns
_LONGEST = 300  # characters of a title


class Frames:
    """Reads the frames of one file, and counts what they show."""

    def __init__(self, package: Package, tally: Tally, name: str) -> None:
        self._package = package
        self._name = name
        self._drawings = Drawings(tally)

    def describe(self, frame: "_Element") -> list[str]:
        """Return the passage of a frame that holds a chart or a picture; nothing for other frames."""
        if frame.tag != named("draw:frame"):
            return []
        chart = self._find_chart(frame)
        if chart is not None:
            return self._drawings.show_chart(self._write_chart(chart))
        if frame.find(named("draw:image")) is None:
            return []
        stated = (frame.findtext(named(name)) or "" for name in ("svg:desc", "svg:title"))
        is_decorative = any(name.endswith("}decorative") and value == "true" for name, value in frame.attrib.items())
        return self._drawings.describe(next(filter(str.strip, stated), ""), is_decorative=is_decorative)

    def _find_chart(self, frame: "_Element") -> "_Element | None":
        """Return the chart that lies in a part of its own; None where a frame has none."""
        object_ = frame.find(named("draw:object"))
        if object_ is None:
            return None
        folder = posixpath.normpath(object_.get(_ADDRESS, ""))
        root = self._package.read_object(f"{folder}/content.xml")
        return next(root.iter(f"{_CHART}chart"), None) if root is not None else None

    def _write_chart(self, chart: "_Element") -> str:
        figures = chart.find(named("table:table"))
        if figures is None:
            return ""
        cells = rows_of(figures, self._package.styles, _MOST_CELLS, self._name)
        rows = [[one_line(cell.text, _LONGEST) for cell in row] for row in cells]
        if len(rows) < 2 or not any(text for row in rows[1:] for text in row[1:]):
            return ""
        axes = {axis.get(f"{_CHART}dimension", ""): self._write_title(axis) for axis in chart.iter(f"{_CHART}axis")}
        head = [axes.get("x") or "Category", *rows[0][1:]]
        unit = f" ({axes['y']})" if axes.get("y") else ""
        title = self._write_title(chart) or ", ".join(filter(None, rows[0][1:]))
        return table([head, *rows[1:]], has_header=True, caption=f"Chart: {title}{unit}")

    def _write_title(self, element: "_Element") -> str:
        paragraphs = element.iterfind(f"{_CHART}title/{named('text:p')}")
        return one_line(" ".join(text_of(each, self._package.styles) for each in paragraphs), _LONGEST)
