"""Charts in the form that Office 2016 added: waterfalls, trees and the like."""

import pytest
from docx import Document
from docx.oxml import parse_xml
from lxml import etree

from core.library.ingestion.extent import Found, Loss
from core.library.ingestion.parsers.new_charts import write_new_chart
from tests.unit.ingestion.test_drawings import add_part, graphic, read, saved

_NAMESPACES = (
    'xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def level(*values: str, more: str = "") -> str:
    """The points of a dimension."""
    points = "".join(f'<cx:pt idx="{place}">{value}</cx:pt>' for place, value in enumerate(values))
    return f'<cx:lvl ptCount="{len(values)}" {more}>{points}</cx:lvl>'


def chart(data: str, series: str, title: str = "") -> bytes:
    """The part of a chart."""
    shown = f"<cx:title><cx:tx><cx:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"
    return (
        f"<cx:chartSpace {_NAMESPACES}><cx:chartData>{data}</cx:chartData><cx:chart>{shown if title else ''}"
        f"<cx:plotArea><cx:plotAreaRegion>{series}</cx:plotAreaRegion></cx:plotArea></cx:chart></cx:chartSpace>"
    ).encode()


def one(name: str, data: str = "0", layout: str = "waterfall") -> str:
    """A series."""
    named = f"<cx:tx><cx:txData><cx:f>Sheet1!$B$1</cx:f><cx:v>{name}</cx:v></cx:txData></cx:tx>" if name else ""
    return f'<cx:series layoutId="{layout}">{named}<cx:dataId val="{data}"/></cx:series>'


WATERFALL = chart(
    '<cx:data id="0"><cx:strDim type="cat"><cx:f>Sheet1!$A$2:$A$4</cx:f>'
    + level("Budget", "Repairs", "Left")
    + '</cx:strDim><cx:numDim type="val">'
    + level("1200", "-340.5", "859.5", more='formatCode="#,##0.0"')
    + "</cx:numDim></cx:data>",
    one("Crowns"),
    "Money for the pier",
)
TREE = chart(
    '<cx:data id="0"><cx:strDim type="cat">'
    + level("Cod", "Eel")
    + level("Sea", "River")
    + '</cx:strDim><cx:numDim type="size">'
    + level("40", "3")
    + "</cx:numDim></cx:data>",
    one("Tonnes", layout="treemap"),
)
WATERFALL_TEXT = (
    "Chart: Money for the pier\nCategory | Crowns\n--- | ---\nBudget | 1,200.0\nRepairs | -340.5\nLeft | 859.5"
)


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (WATERFALL, WATERFALL_TEXT),
        (TREE, "Chart: Tonnes\nCategory | Tonnes\n--- | ---\nSea Cod | 40\nRiver Eel | 3"),
        (
            chart(f'<cx:data id="7"><cx:numDim type="val">{level("2", "4")}</cx:numDim></cx:data>', one("", "7")),
            "Chart: Series 1\nCategory | Series 1\n--- | ---\n1 | 2\n2 | 4",
        ),
        (chart("", one("Crowns")), ""),
        (chart('<cx:data id="0"/>', one("Crowns")), ""),
        (chart(f'<cx:data id="0"><cx:numDim type="val">{level("2")}</cx:numDim></cx:data>', one("x", "1")), ""),
    ],
)
def test_a_chart_is_a_table_of_its_figures(part: bytes, expected: str) -> None:
    """With its title; labels of several levels are one, and a chart without figures is nothing."""
    assert write_new_chart(etree.fromstring(part)) == expected


def test_a_chart_of_many_points_is_read_in_part() -> None:
    """A file has limits."""
    values = level(*map(str, range(5000)))
    part = chart(f'<cx:data id="0"><cx:numDim type="val">{values}</cx:numDim></cx:data>', one("x") * 100)
    text = write_new_chart(etree.fromstring(part))
    assert len(text.splitlines()) == 303


def test_a_word_document_says_what_such_a_chart_says() -> None:
    """In its place, and it is counted as read."""
    document = Document()
    part = add_part(document, "/word/charts/chartEx1.xml", "chartEx", WATERFALL)
    drawn = f'<cx:chart xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" r:id="{part}"/>'
    document.add_paragraph("See the money.")._p.append(parse_xml(graphic(drawn)))
    texts, extent = read(saved(document), "money.docx")
    assert texts == ["See the money.", WATERFALL_TEXT]
    assert extent.found[Found.CHARTS] == 1
    assert Loss.CHARTS not in extent.left_out
