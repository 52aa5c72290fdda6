"""Charts, diagrams and alternative texts in Office files, OpenDocument files and web pages."""

import io
import re
import zipfile
from typing import Any

import pytest
from docx import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.parser import parse_xml
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from core.library.ingestion.extent import Extent, Found, Loss
from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.drawings import read_alt_text
from tests.unit.ingestion.files import OPEN_DOCUMENT, xlsx, zip_of

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
FERRY = "A ferry at the pier with its ramp lowered"
CATCH = (
    "Chart: Catch of the year (Tonnes)\nSpecies | North | South\n--- | --- | ---\nCod | 12.5 | 3\nHerring | 40 | 71.25"
)
DUTIES = (
    f"<dgm:dataModel {NAMESPACES}><dgm:ptLst>"
    '<dgm:pt modelId="1" type="doc"><dgm:t/></dgm:pt>'
    '<dgm:pt modelId="4"><dgm:t><a:p><a:r><a:t>Checks </a:t></a:r><a:r><a:t>lamps</a:t></a:r></a:p></dgm:t></dgm:pt>'
    '<dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Harbour master</a:t></a:r></a:p></dgm:t></dgm:pt>'
    '<dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>Keeper</a:t></a:r></a:p></dgm:t></dgm:pt>'
    '<dgm:pt modelId="9" type="pres"><dgm:t><a:p><a:r><a:t>how it looks</a:t></a:r></a:p></dgm:t></dgm:pt>'
    "</dgm:ptLst><dgm:cxnLst>"
    '<dgm:cxn modelId="7" srcId="3" destId="4" srcOrd="0"/>'
    '<dgm:cxn modelId="6" srcId="1" destId="3" srcOrd="1"/>'
    '<dgm:cxn modelId="5" srcId="1" destId="2" srcOrd="0"/>'
    '<dgm:cxn modelId="8" type="presOf" srcId="2" destId="9" srcOrd="0"/>'
    "</dgm:cxnLst></dgm:dataModel>"
).encode()
DUTIES_TEXT = "Diagram:\n- Harbour master\n- Keeper\n  - Checks lamps"


def picture() -> io.BytesIO:
    """The bytes of a small picture."""
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "blue").save(out, "PNG")
    return io.BytesIO(out.getvalue())


def catch_on(presentation: Any) -> bytes:
    """Put a chart on the first slide, and return its part."""
    data = CategoryChartData()
    data.categories = ["Cod", "Herring"]
    data.add_series("North", (12.5, 40))
    data.add_series("South", (3, 71.25))
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    frame = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(3), Inches(4), Inches(3), data)
    chart = frame.chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Catch of the year"
    for axis, title in ((chart.value_axis, "Tonnes"), (chart.category_axis, "Species")):
        axis.has_title = True
        axis.axis_title.text_frame.text = title
    return re.sub(rb"<c:externalData .*?</c:externalData>", b"", chart.part.blob, flags=re.DOTALL)


def saved(file: Any) -> bytes:
    """The bytes of a file."""
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def read(content: bytes, name: str) -> tuple[list[str], Extent]:
    """The texts of a file's blocks, and its counts."""
    [document] = parse(content, name).documents
    return [block.text for block in document.blocks], document.extent


def graphic(inside: str, described: str = "") -> str:
    """A drawing in a Word document."""
    return (
        f'<w:r {NAMESPACES}><w:drawing><wp:inline><wp:docPr id="7" name="Object 7" descr="{described}"/>'
        f"<a:graphic><a:graphicData>{inside}</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def add_part(document: Any, name: str, kind: str, content: bytes) -> str:
    """Add a part to a Word document, and return the id that refers to it."""
    part = Part(PackURI(name), "application/xml", content, document.part.package)
    return str(document.part.relate_to(part, f"{RELATIONSHIP_TYPE.CHART.rpartition('/')[0]}/{kind}"))


def test_a_word_document_says_what_its_drawings_say() -> None:
    """In their places: a chart as a table, a diagram as a list, a picture by its alternative text."""
    document = Document()
    chart = add_part(document, "/word/charts/chart1.xml", "chart", catch_on(Presentation()))
    data = add_part(document, "/word/diagrams/data1.xml", "diagramData", DUTIES)
    document.add_paragraph("See the catch.")._p.append(parse_xml(graphic(f'<c:chart r:id="{chart}"/>')))
    document.add_paragraph("Who does what.")._p.append(parse_xml(graphic(f'<dgm:relIds r:dm="{data}"/>')))
    document.add_picture(picture())
    document.inline_shapes[-1]._inline.docPr.set("descr", FERRY)
    document.add_picture(picture())
    document.add_paragraph()._p.append(parse_xml(graphic('<c:chart r:id="rIdNowhere"/>')))
    document.add_comment(document.paragraphs[0].runs, "A remark that nobody is to read", author="Ada")
    texts, extent = read(saved(document), "catch.docx")
    assert texts == ["See the catch.", CATCH, "Who does what.", DUTIES_TEXT, f"Picture: {FERRY}"]
    assert extent == Extent(
        found={Found.PICTURES: 2, Found.CHARTS: 2, Found.DIAGRAMS: 1, Found.COMMENTS: 1},
        left_out={Loss.PICTURES: 1, Loss.CHARTS: 1, Loss.COMMENTS: 1},
    )


def test_a_picture_in_a_cell_is_described_in_the_cell() -> None:
    """In its row, beside the words of the cell."""
    document = Document()
    table = document.add_table(rows=2, cols=2)
    for row, values in zip(table.rows, (("Pier", "View"), ("North", "By day")), strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    table.cell(1, 1).paragraphs[0].add_run().add_picture(picture())
    next(table._tbl.iter("{*}docPr")).set("descr", FERRY)
    [text] = read(saved(document), "piers.docx")[0]
    assert text.splitlines()[-1] == f"North | By day Picture: {FERRY}"


def test_a_presentation_says_what_its_drawings_say() -> None:
    """From the top down; a picture on several slides is described once, and hidden slides are counted."""
    presentation = Presentation()
    catch_on(presentation)
    for number in (0, 1, 2):
        slide = presentation.slides[0] if not number else presentation.slides.add_slide(presentation.slide_layouts[6])
        shape = slide.shapes.add_picture(picture(), Inches(1), Inches(1))
        shape._element.nvPicPr.cNvPr.set("descr", FERRY)
    presentation.slides[0].notes_slide.notes_text_frame.text = "Say it slowly."
    presentation.slides[2]._element.set("show", "0")
    texts, extent = read(saved(presentation), "catch.pptx")
    assert texts == [f"Picture: {FERRY}", CATCH, "Notes of the speaker:\nSay it slowly."]
    assert extent == Extent(
        found={Found.PAGES: 3, Found.PICTURES: 2, Found.CHARTS: 1, Found.NOTES: 1}, left_out={Loss.HIDDEN_PAGES: 1}
    )


def test_a_chart_of_points_has_both_values_in_a_row() -> None:
    """The titles of its axes name them."""
    presentation = Presentation()
    data = XyChartData()
    series = data.add_series("Depth")
    for x, y in ((1, 2.5), (2.25, 7)):
        series.add_data_point(x, y)
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    chart = slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, Inches(4), Inches(3), data).chart
    for axis, title in ((chart.category_axis, "Kilometres"), (chart.value_axis, "Metres")):
        axis.has_title = True
        axis.axis_title.text_frame.text = title
    chart.has_title = False
    texts, _ = read(saved(presentation), "depth.pptx")
    assert texts == ["Chart: Depth (Metres)\nKilometres | Depth\n--- | ---\n1 | 2.5\n2.25 | 7"]


def test_a_shape_in_two_forms_is_read_in_the_newer_one() -> None:
    """PowerPoint keeps a box with an equation so, with a picture of it for older programs."""
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, Inches(2), Inches(1))
    box.text_frame.text = "Speed is way by time."
    old = slide.shapes.add_picture(picture(), 0, 0)._element
    space = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    both = parse_xml(f'<mc:AlternateContent xmlns:mc="{space}"><mc:Choice/><mc:Fallback/></mc:AlternateContent>')
    box._element.addprevious(both)
    both[0].append(box._element)
    both[1].append(old)
    assert read(saved(presentation), "speed.pptx") == (["Speed is way by time."], Extent(found={Found.PAGES: 1}))


SHEET = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def relations(*parts: tuple[str, str]) -> bytes:
    """The relations of a part: each the end of its type, and where it leads."""
    each = "".join(
        f'<Relationship Id="rId{number}" Type="{SHEET}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(parts, 1)
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{each}</Relationships>'.encode()


def anchor(row: int, inside: str) -> str:
    """A place on a sheet."""
    place = f"<xdr:from><xdr:col>1</xdr:col><xdr:row>{row}</xdr:row></xdr:from>"
    return f"<xdr:twoCellAnchor>{place}{inside}</xdr:twoCellAnchor>"


def test_a_workbook_says_what_lies_on_its_sheets() -> None:
    """Below the cells of their sheet, from the top down; comments are counted and not read."""
    drawing = (
        f"<xdr:wsDr {NAMESPACES}>"
        + anchor(30, described_picture())
        + anchor(
            8,
            '<xdr:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic>'
            "</xdr:graphicFrame>",
        )
        + anchor(
            20,
            "<xdr:sp><xdr:txBody><a:p><a:r><a:t>Figures are </a:t></a:r><a:r><a:t>rounded.</a:t></a:r></a:p>"
            "</xdr:txBody></xdr:sp>",
        )
        + "</xdr:wsDr>"
    )
    with zipfile.ZipFile(io.BytesIO(xlsx({"Catch": [["Year", 2025]]}))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts |= {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            ("drawing", "/xl/drawings/drawing1.xml"), ("comments", "../comments1.xml")
        ),
        "xl/drawings/drawing1.xml": drawing.encode(),
        "xl/drawings/_rels/drawing1.xml.rels": relations(("chart", "../charts/chart1.xml")),
        "xl/charts/chart1.xml": catch_on(Presentation()),
        "xl/comments1.xml": b"<comments><commentList><comment ref='A1'/><comment ref='A2'/></commentList></comments>",
    }
    texts, extent = read(zip_of(parts), "catch.xlsx")
    assert texts == ["Year | 2025", CATCH, "Figures are rounded.", f"Picture: {FERRY}"]
    assert extent == Extent(
        found={Found.PAGES: 1, Found.CHARTS: 1, Found.PICTURES: 1, Found.COMMENTS: 2}, left_out={Loss.COMMENTS: 2}
    )


def test_a_sheet_that_is_a_chart_is_read_under_its_name() -> None:
    """Hidden sheets are counted. A chart that a program wrote without its figures is counted as left out."""
    book = Workbook()
    book.active.append(["Year", 2025])
    book.create_sheet("Secret").append(["Never", "read"])
    book["Secret"].sheet_state = "hidden"
    for title in ("Catch", "Empty"):
        chart = BarChart()
        chart.add_data(Reference(book.active, min_col=2, min_row=1))
        book.create_chartsheet(title).add_chart(chart)
    with zipfile.ZipFile(io.BytesIO(saved(book))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/charts/chart1.xml"] = catch_on(Presentation())
    [document] = parse(zip_of(parts), "catch.xlsx").documents
    assert [(block.section, block.text) for block in document.blocks] == [("Sheet", "Year | 2025"), ("Catch", CATCH)]
    assert document.extent == Extent(
        found={Found.PAGES: 4, Found.CHARTS: 2}, left_out={Loss.HIDDEN_PAGES: 1, Loss.CHARTS: 1}
    )


def described_picture() -> str:
    """A picture on a sheet."""
    name = f'<xdr:cNvPr id="2" name="Picture 1" descr="{FERRY}"/>'
    return f"<xdr:pic><xdr:nvPicPr>{name}</xdr:nvPicPr></xdr:pic>"


def frame(described: str, more: str = "") -> str:
    """A picture in an OpenDocument file."""
    return f"<draw:frame {more}><draw:image/><svg:desc>{described}</svg:desc></draw:frame>"


def open_document(body: str, kind: str) -> bytes:
    """An OpenDocument file of a body."""
    content = f"<office:document-content {OPEN_DOCUMENT}><office:body>{body}</office:body></office:document-content>"
    return zip_of({"mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(), "content.xml": content.encode()})


@pytest.mark.parametrize(
    ("kind", "ending", "body"),
    [
        (
            "text",
            "odt",
            f"<office:text><text:p>Pier.{frame(FERRY)}{frame('Picture 3')}<office:annotation/></text:p></office:text>",
        ),
        (
            "presentation",
            "odp",
            '<office:presentation><draw:page><draw:frame svg:y="1cm"><draw:text-box><text:p>Pier.</text:p>'
            "</draw:text-box></draw:frame>"
            + frame(FERRY, 'svg:y="2cm"')
            + frame("", 'svg:y="3cm"')
            + "<office:annotation/></draw:page></office:presentation>",
        ),
    ],
)
def test_open_documents_describe_their_pictures(kind: str, ending: str, body: str) -> None:
    """One without a description is counted, and so is a comment."""
    texts, extent = read(open_document(body, kind), f"pier.{ending}")
    assert texts == ["Pier.", f"Picture: {FERRY}"]
    assert extent.found[Found.PICTURES] == 2
    assert extent.left_out == {Loss.PICTURES: 1, Loss.COMMENTS: 1}


def test_a_web_page_describes_its_pictures() -> None:
    """Behind the block that it is in; decorations are not counted, and captions are not repeated."""
    words = "The north pier was built of oak and is repaired each spring by the people of the town."
    page = (
        f"<html><body><main><h1>Pier</h1><p>{words} <img src='a.png' alt='{FERRY}'> More of it here.</p>"
        "<figure><img src='b.png' alt='The old lighthouse in fog'><figcaption>The old lighthouse in fog, 1931"
        "</figcaption></figure><p><img src='c.png' alt=''><img src='d.png'><img src='line.png' alt='line.png'>"
        f"{words}</p></main></body></html>"
    )
    texts, extent = read(page.encode(), "pier.html")
    assert texts == [f"{words} More of it here.", f"Picture: {FERRY}", "The old lighthouse in fog, 1931", words]
    assert extent == Extent(found={Found.PICTURES: 3}, left_out={Loss.PICTURES: 1})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Picture 4",
        "image002.png",
        "My holiday photo.jpeg",
        r"D:\plans\plan of the pier.png",
        "https://example.org/a/b",
        "Company logo",
        "Grafik 12",
        "A picture containing text, outdoor, boat",
        "Diagram Description automatically generated with medium confidence",
        "Ein Bild, das Text, Boot enthält. Automatisch generierte Beschreibung",
        "A boat on the water. AI-generated content may be incorrect.",
        "Une image contenant texte Description générée automatiquement",
        "Screenshot 2026-03-01 10.22.14",
        "Logo",
    ],
)
def test_an_alternative_text_that_nobody_wrote_is_not_read(text: str) -> None:
    """Generated ones, names of files, and what says no more than that there is a picture."""
    assert read_alt_text(text) == ""


@pytest.mark.parametrize(
    "text",
    [FERRY, "Plan of the second floor with both fire exits", "Карта гавани", "港口的平面图", "Schéma du réseau d'eau"],
)
def test_an_alternative_text_that_says_something_is_read(text: str) -> None:
    """In any language."""
    assert read_alt_text(text) == text


def test_a_damaged_chart_costs_only_itself() -> None:
    """The words beside it are read, and the chart is counted as left out."""
    presentation = Presentation()
    catch_on(presentation)
    box = presentation.slides[0].shapes.add_textbox(0, 0, Inches(2), Inches(1))
    box.text_frame.text = "Words beside it."
    with zipfile.ZipFile(io.BytesIO(saved(presentation))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    [chart] = [name for name in parts if name.startswith("ppt/charts/chart")]
    parts[chart] = re.sub(rb"<c:numCache>.*?</c:numCache>", b"", parts[chart], flags=re.DOTALL)
    assert read(zip_of(parts), "catch.pptx") == (
        ["Words beside it."],
        Extent(found={Found.PAGES: 1, Found.CHARTS: 1}, left_out={Loss.CHARTS: 1}),
    )
