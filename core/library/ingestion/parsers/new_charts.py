"""Charts in the form that Office 2016 added (chartex), as waterfalls, trees, funnels and boxes: titles and figures."""

from itertools import islice
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.number_formats import show_number
from core.library.ingestion.parsers.written import table

if TYPE_CHECKING:
    from lxml.etree import _Element

_CHART = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_MOST_SERIES = 40
_MOST_LEVELS = 4  # of labels
_MOST_POINTS = 300  # of a series
_LONGEST = 300  # characters of a title or label


def write_new_chart(root: "_Element") -> str:
    """Return a chart's title and its figures; "" where the file does not hold them."""
    data = {one.get("id", ""): one for one in root.iter(f"{_CHART}data")}
    names: list[str] = []
    columns: list[dict[int, str]] = []
    labels: dict[int, str] = {}
    for number, series in enumerate(islice(root.iter(f"{_CHART}series"), _MOST_SERIES), 1):
        reference = series.find(f"{_CHART}dataId")
        source = data.get(reference.get("val", "") if reference is not None else "")
        if source is None:
            continue
        names.append(_write_title(series.find(f"{_CHART}tx")) or f"Series {number}")
        columns.append(_read_figures(source))
        labels = _read_labels(source) | labels
    places = sorted({place for column in columns for place in column})
    if not places:
        return ""
    rows = [[labels.get(place, str(place + 1)), *(column.get(place, "") for column in columns)] for place in places]
    title = _write_title(root.find(f"{_CHART}chart/{_CHART}title"))
    return table([["Category", *names], *rows], has_header=True, caption=f"Chart: {title or ', '.join(names)}")


def _write_title(element: "_Element | None") -> str:
    if element is None:
        return ""
    own = one_line("".join(text.text or "" for text in element.iter(_TEXT)), _LONGEST)
    return own or one_line(" ".join(value.text or "" for value in islice(element.iter(f"{_CHART}v"), 1)), _LONGEST)


def _read_figures(source: "_Element") -> dict[int, str]:
    """Return the figures of the first dimension that has some, by their number."""
    for level in source.iterfind(f"{_CHART}numDim/{_CHART}lvl"):
        found = _read_level(level)
        if found:
            return {place: _show_value(value, level.get("formatCode", "General")) for place, value in found.items()}
    return {}


def _read_labels(source: "_Element") -> dict[int, str]:
    """Return the labels by their number, those of several levels as one, the outermost first."""
    levels = [_read_level(level) for level in source.iterfind(f"{_CHART}strDim/{_CHART}lvl")][:_MOST_LEVELS]
    places = {place for level in levels for place in level}
    return {
        place: one_line(" ".join(level[place] for level in reversed(levels) if place in level), _LONGEST)
        for place in places
    }


def _read_level(level: "_Element") -> dict[int, str]:
    points = islice(level.iter(f"{_CHART}pt"), _MOST_POINTS)
    stated = ((point.get("idx", ""), one_line(point.text or "", _LONGEST)) for point in points)
    return {int(number): text for number, text in stated if text and number.isdecimal() and len(number) < 7}


def _show_value(value: str, number_format: str) -> str:
    try:
        return show_number(float(value), number_format)
    except ValueError:
        return value
