"""Charts of Office files: their titles and the figures that they show, as a table."""

import datetime as dt
from itertools import islice
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.parsers.number_formats import show_date, show_number
from core.library.ingestion.parsers.written import table

if TYPE_CHECKING:
    from lxml.etree import _Element

_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_PARAGRAPH = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_MOST_SERIES = 40
_MOST_LEVELS = 4  # of labels
_MOST_POINTS = 300  # of a series; a chart of more shows a shape, and no figures
_LONGEST = 300  # characters of a title or label
_FIRST_DAY = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - sheets count days without a time zone
_LAST_DAY = 2_958_465  # 31 December 9999
_DAYS = frozenset("dy")  # letters of the format of a date


def write_chart(root: "_Element") -> str:
    """Return a chart's title, the titles of its axes and its figures; "" where the file does not hold them."""
    series = list(islice(root.iter(f"{_CHART}ser"), _MOST_SERIES))
    chart = root.find(f"{_CHART}chart")
    if chart is None or not series:
        return ""
    names: list[str] = []
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for number, one in enumerate(series, 1):
        names.append(_write_title(one.find(f"{_CHART}tx")) or f"Series {number}")
        for place, label in _read_points(one.find(f"{_CHART}cat"), one.find(f"{_CHART}xVal")).items():
            categories.setdefault(place, label)
        columns.append(_read_points(one.find(f"{_CHART}val"), one.find(f"{_CHART}yVal")))
    title = _write_title(chart.find(f"{_CHART}title"))
    across, up = _read_axes(chart)
    places = sorted({place for column in columns for place in column})
    if not places:
        return ""
    rows = [[categories.get(place, ""), *(column.get(place, "") for column in columns)] for place in places]
    if not any(row[0] for row in rows) and len(rows) > 1:
        rows = [[str(place + 1), *row[1:]] for place, row in zip(places, rows, strict=True)]
    unit = f" ({up})" if up else ""
    head = [across or "Category", *names]
    return table([head, *rows], has_header=True, caption=f"Chart: {title or ', '.join(names)}{unit}")


def _read_axes(chart: "_Element") -> tuple[str, str]:
    """Return the titles of the axis of categories and of that of values; "" for one without a title."""
    titles = {}
    for kind in ("catAx", "dateAx", "valAx"):
        titles[kind] = [
            title for axis in chart.iter(f"{_CHART}{kind}") if (title := _write_title(axis.find(f"{_CHART}title")))
        ]
    across = [*titles["catAx"], *titles["dateAx"]]
    up = titles["valAx"]
    if (
        not across
        and len(up) > 1
        and next(chart.iter(f"{_CHART}scatterChart", f"{_CHART}bubbleChart"), None) is not None
    ):
        return up[0], up[1]
    return next(iter(across), ""), ", ".join(up)


def _write_title(element: "_Element | None") -> str:
    """Return the words of a title: its own, or those of the cell that it refers to."""
    if element is None:
        return ""
    paragraphs = ("".join(text.text or "" for text in each.iter(_TEXT)) for each in element.iter(_PARAGRAPH))
    own = one_line(" ".join(filter(None, paragraphs)), _LONGEST)
    values = (value.text or "" for value in islice(element.iter(f"{_CHART}v"), _MOST_SERIES))
    return own or one_line(" ".join(values), _LONGEST)


def _read_points(*places: "_Element | None") -> dict[int, str]:
    """Return the values that the file keeps of a series, by their number; labels of several levels as one."""
    for place in places:
        if place is None:
            continue
        levels = place.iter(f"{_CHART}lvl")
        inner, *outer = [_read_level(level) for level in list(islice(levels, _MOST_LEVELS)) or [place]]
        for level in outer:  # each holds for all labels up to its next one
            label = ""
            for number in sorted(inner):
                label = level.get(number, label)
                inner[number] = one_line(f"{label} {inner[number]}", _LONGEST)
        return inner
    return {}


def _read_level(level: "_Element") -> dict[int, str]:
    number_format = next((each.text or "" for each in level.iter(f"{_CHART}formatCode")), "")
    is_number = next(level.iter(f"{_CHART}numCache", f"{_CHART}numLit"), None) is not None
    found = {}
    for point in islice(level.iter(f"{_CHART}pt"), _MOST_POINTS):
        value = one_line(point.findtext(f"{_CHART}v") or "", _LONGEST)
        found[_number_of(point)] = _show_value(value, point.get("formatCode") or number_format) if is_number else value
    return found


def _number_of(point: "_Element") -> int:
    stated = point.get("idx", "")
    return int(stated) if stated.isdecimal() and len(stated) < 7 else 0


def _show_value(value: str, number_format: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    if _DAYS & set(number_format.casefold()) and "General" not in number_format and 0 <= number <= _LAST_DAY:
        return show_date(_FIRST_DAY + dt.timedelta(days=number), number_format)
    return show_number(number, number_format)
