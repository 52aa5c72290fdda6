"""PPTX: a page for each slide."""

import io

import pytest
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn
from pptx.util import Inches

from core.errors import EmptyFileError
from core.library.ingestion.parsers import parse


def saved(presentation: object) -> bytes:
    """A presentation as bytes."""
    out = io.BytesIO()
    presentation.save(out)  # type: ignore[attr-defined]
    return out.getvalue()


def presentation_of_boats() -> bytes:
    """A title slide, a list with notes, a hidden slide and a table."""
    made = Presentation()
    made.core_properties.author = "Ada Writer"
    first = made.slides.add_slide(made.slide_layouts[0])
    first.shapes.title.text, first.placeholders[1].text = "Boats of 2025", "For all members"
    second = made.slides.add_slide(made.slide_layouts[1])
    second.shapes.title.text = "Before leaving"
    frame = second.placeholders[1].text_frame
    frame.text = "Take along"
    for text, level in (("a lamp", 1), ("Tell the keeper", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    second.notes_slide.notes_text_frame.text = "The keeper sits in the shed."
    hidden = made.slides.add_slide(made.slide_layouts[1])
    hidden.shapes.title.text, hidden.placeholders[1].text = "Secret", "Not to be told"
    hidden._element.set("show", "0")
    last = made.slides.add_slide(made.slide_layouts[6])
    for text, top, left in (("below", 3, 1), ("right", 1, 4), ("left", 1, 1)):
        last.shapes.add_textbox(Inches(left), Inches(top), Inches(2), Inches(1)).text_frame.text = text
    table = last.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for row, values in enumerate((("Boat", "Fee"), ("Dinghy", "4"))):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    return saved(made)


def test_a_page_for_each_slide() -> None:
    """Its title is the section; lists keep their depth, tables their header; what is hidden is left out."""
    [document] = parse(presentation_of_boats(), "boats.pptx").documents
    assert (document.title, document.full_citation) == ("Boats of 2025", "Ada Writer. Boats of 2025.")
    assert [(block.page_number, block.section, block.text) for block in document.blocks] == [
        (1, "Boats of 2025", "For all members"),
        (2, "Before leaving", "- Take along\n  - a lamp\n- Tell the keeper"),
        (2, "Before leaving", "Notes of the speaker:\nThe keeper sits in the shed."),
        (4, "Slide 4", "left"),
        (4, "Slide 4", "right"),
        (4, "Slide 4", "below"),
        (4, "Slide 4", "Boat | Fee\n--- | ---\nDinghy | 4"),
    ]


def test_groups_and_counted_items() -> None:
    """A group's texts are in the group's place; a slide of a title alone says that."""
    made = Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "Only a title"
    slide = made.slides.add_slide(made.slide_layouts[6])
    slide.shapes.add_textbox(0, Inches(3), Inches(2), Inches(1)).text_frame.text = "last"
    group = slide.shapes.add_group_shape()
    frame = group.shapes.add_textbox(0, Inches(1), Inches(2), Inches(1)).text_frame
    frame.text = "Stop"
    frame.add_paragraph().text = "Wait"
    for paragraph in frame.paragraphs:
        paragraph._p.get_or_add_pPr().append(paragraph._p.makeelement(qn("a:buAutoNum"), {"type": "arabicPeriod"}))
    [document] = parse(saved(made), "made.pptx").documents
    assert [block.text for block in document.blocks] == ["Only a title", "1. Stop\n2. Wait", "last"]


def test_raised_lowered_and_struck_out_words() -> None:
    """In text boxes, titles and cells; equations are read too, and the picture of one is not."""
    math = "http://schemas.openxmlformats.org/officeDocument/2006/math"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    runs = (
        '<a:r><a:t>Up to 10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>5</a:t></a:r><a:r><a:t> m</a:t></a:r>'
        '<a:r><a:rPr baseline="30%"/><a:t>2</a:t></a:r><a:br/><a:r><a:t>CO</a:t></a:r><a:r><a:rPr baseline="-25000"/>'
        '<a:t>2</a:t></a:r><a:r><a:rPr strike="sngStrike"/><a:t> and tar</a:t></a:r><a:fld id="{1}" type="x">'
        '<a:t>.</a:t></a:fld><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice><a14:m xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"><m:oMath xmlns:m="'
        f'{math}"><m:f><m:num><m:r><m:t>s</m:t></m:r></m:num><m:den><m:r><m:t>t</m:t></m:r></m:den></m:f></m:oMath>'
        "</a14:m></mc:Choice><mc:Fallback><a:r><a:t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent>"
    )
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[5])
    slide.shapes.title.text = "Limits"
    box = slide.shapes.add_textbox(0, Inches(3), Inches(2), Inches(1)).text_frame
    table = slide.shapes.add_table(1, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    table.cell(0, 0).text = "Load"
    for frame in (slide.shapes.title.text_frame, box, table.cell(0, 1).text_frame):
        for element in parse_xml(f'<a:p xmlns:a="{drawing}">{runs}</a:p>'):
            frame.paragraphs[0]._p.append(element)
    [document] = parse(saved(made), "made.pptx").documents
    line = "Up to 10⁵ m²\nCO2.s/t"
    assert document.title == f"Limits{line}".replace("\n", " ")
    assert [block.text for block in document.blocks] == [line, f"Load | {line}".replace("\n", " ")]


def test_merged_cells_of_a_slide() -> None:
    """A cell over rows holds for each, one over columns for each but a label; a merge may begin nowhere."""
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    table = slide.shapes.add_table(5, 3, Inches(1), Inches(5), Inches(4), Inches(1)).table
    values = ("Day", "Opens", "Closes", "Monday", "Ann", "", "", "Bob", "Cid", "", "Dan", "Eve", "Lost", "Flo", "")
    for place, text in enumerate(values):
        table.cell(place // 3, place % 3).text = text
    table.cell(1, 1).merge(table.cell(1, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(4, 0)._tc.vMerge = True
    [document] = parse(saved(made), "made.pptx").documents
    assert document.blocks[0].text.splitlines()[2:] == [
        "Monday | Ann | Ann",
        "Monday | Bob | Cid",
        "— | Dan | Eve",
        "Lost | Flo |",
    ]


def test_a_presentation_without_words() -> None:
    """Is empty."""
    with pytest.raises(EmptyFileError, match=r"e\.pptx is empty"):
        parse(saved(Presentation()), "e.pptx")


def test_raised_text_and_what_is_struck_out() -> None:
    """In a box, a title, a table and the notes."""
    presentation = Presentation()
    slide = presentation.slides.add_slide(presentation.slide_layouts[5])
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    frames = [
        slide.shapes.title.text_frame,
        slide.shapes.add_textbox(Inches(1), Inches(2), Inches(4), Inches(1)).text_frame,
        table.cell(0, 0).text_frame,
        table.cell(1, 1).text_frame,
        slide.notes_slide.notes_text_frame,
    ]
    for frame in frames:
        for text, attributes in [
            ("It drifts by ", {}),
            ("3 or ", {"strike": "sngStrike"}),
            ("4", {"strike": "dblStrike"}),
            (" 10", {"strike": "noStrike", "baseline": "0"}),
            ("-", {"baseline": "30000"}),
            ("3", {"baseline": "30%"}),
            (" H", {}),
            ("2", {"baseline": "-25000"}),
            ("O", {}),
        ]:
            run = frame.paragraphs[0].add_run()
            run.text = text
            for name, value in attributes.items():
                run._r.get_or_add_rPr().set(name, value)
    table.cell(0, 1).text, table.cell(1, 0).text = "Size", "Tank"
    [document] = parse(saved(presentation), "drift.pptx").documents
    said = "It drifts by 10⁻³ H2O"
    assert document.title == said
    assert [(block.section, block.text) for block in document.blocks] == [
        (said, said),
        (said, f"{said} | Size\n--- | ---\nTank | {said}"),
        (said, f"Notes of the speaker:\n{said}"),
    ]
