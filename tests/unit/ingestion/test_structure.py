"""Lists and tables of every kind of file: items keep depth and number, terms their meaning, tables their header."""

import io

import docx
import pytest
from docx.document import Document

from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import paragraph, pdf

FILLER = "<p>The keeper of the harbour writes down every boat that comes and every boat that goes, day and night.</p>"
LISTS = """
<p>Bring these:</p>
<ol start="1"><li>A lamp</li><li>Ropes<ul><li>a red one</li><li>a blue one</li></ul></li><li><p>A map</p></li></ol>
<dl><dt>Dinghy</dt><dd>A small boat.</dd><dt>Quay</dt><dd>Where boats are moored.</dd></dl>
<table><caption>Fees</caption><tr><th>Boat</th><th>Euros</th></tr><tr><td>Dinghy</td><td>4</td></tr></table>
<table><tr><td>Keeper</td><td>Ann</td></tr><tr><td>Shed</td><td>7</td></tr></table>
"""
READ = [
    "1. A lamp\n2. Ropes\n  - a red one\n  - a blue one\n3. A map",
    "- Dinghy: A small boat.\n- Quay: Where boats are moored.",
    "Fees\nBoat | Euros\n--- | ---\nDinghy | 4",
    "Keeper | Ann\nShed | 7",
]


def texts(content: bytes, name: str) -> list[str]:
    """The texts of a file's blocks."""
    [document] = parse(content, name).documents
    return [block.text for block in document.blocks]


def saved(document: Document) -> bytes:
    """A Word document as bytes."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("around", ["<main>{}</main>", "<div>{}</div><form><input></form>"])
def test_a_web_page(around: str) -> None:
    """The lists are read both from extracted content and from a whole body."""
    page = f"<html><body>{around.format(f'<h1>Harbour</h1>{FILLER}{LISTS}')}</body></html>"
    assert texts(page.encode(), "page.html")[2:] == READ
    short = f"<html><body>{LISTS}</body></html>"
    assert texts(short.encode(), "page.html")[-4:] == READ


def test_list_entries_with_headings_are_sections() -> None:
    """As some pages are set; and text between items is not lost."""
    page = "<html><body><ul><li><h2>Dogs</h2><p>They are welcome.</p></li></ul><ul><p>Loose.</p></ul></body></html>"
    [document] = parse(page.encode(), "page.html").documents
    assert [(block.section, block.text) for block in document.blocks] == [
        ("Dogs", "They are welcome."),
        ("Dogs", "Loose."),
    ]


def test_markdown() -> None:
    """The rule under a table's header stays."""
    page = b"Do this:\n\n3. Stop.\n4. Wait.\n   - a minute\n\n| Boat | Fee |\n|------|:----:|\n| Dinghy | 4 |\n"
    assert texts(page, "page.md") == [
        "Do this:",
        "3. Stop.\n4. Wait.\n   - a minute",
        "Boat | Fee\n--- | ---\nDinghy | 4",
    ]


def test_a_word_document_counts_its_items() -> None:
    """By their styles: paragraphs of one style go on counting, as in Word; bullets without numbers, levels below."""
    document = docx.Document()
    for text, style in (
        *(("Do this:", None), ("Stop", "List Number"), ("Wait", "List Number"), ("a minute", "List Bullet 2")),
        *(("Then:", None), ("Go", "List Number"), ("Look", "List Bullet")),
    ):
        document.add_paragraph(text, style=style)
    assert texts(saved(document), "list.docx") == [
        *("Do this:", "1. Stop", "2. Wait", "  - a minute"),
        *("Then:", "3. Go", "- Look"),
    ]


def test_a_word_document_counts_what_word_numbers() -> None:
    """A paragraph that is numbered without a style for lists, as most are, with the format of its list."""
    document = docx.Document()
    numbered = document.styles["List Number"].element.pPr.numPr.numId.val
    bulleted = document.styles["List Bullet"].element.pPr.numPr.numId.val
    for text, number in (("Stop", numbered), ("Go", numbered), ("A lamp", bulleted)):
        properties = document.add_paragraph(text)._p.get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_numId().val = number
    assert texts(saved(document), "list.docx") == ["1. Stop", "2. Go", "- A lamp"]


@pytest.mark.parametrize(
    ("cells", "bold", "has_rule"),
    [
        ([["Boat", "Fee"], ["Dinghy", "4"]], True, True),
        ([["Keeper", "Ann"], ["Shed", "7"]], False, False),
        ([["Boat", "Day", "Week"], ["Dinghy", "4", "20"]], False, True),
        ([["Dinghy", "4", "20"], ["Yacht", "11", "60"]], False, False),
        ([["EUR million", "2018", "2019"], ["Revenue", "4", "5"]], False, True),
        ([["", "2018", "2019"], ["Revenue", "4", "5"]], False, True),
        ([["", "Until 18:00", "Evening"], ["Members", "£12 an hour", "£16 an hour"]], False, True),
        ([["Hall", "Until 18:00", "Evening"], ["Members", "-£12", "(16)"]], False, True),
        ([["", "Until 18:00", "Evening"], ["Members", "cheap", "dear"]], False, False),
        ([["Ann", "Room 4", "Monday 9"], ["Bo", "Room 5", "Friday 8"]], False, False),
        ([["", "€ 4", "Evening"], ["Members", "12", "16"]], False, False),
    ],
)
def test_the_header_of_a_word_table(cells: list[list[str]], bold: bool, has_rule: bool) -> None:
    """Set in bold type, or names above three columns or more; two columns are names and values as often."""
    document = docx.Document()
    table = document.add_table(0, len(cells[0]))
    for number, row in enumerate(cells):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.paragraphs[0].add_run(text).bold = bold and number == 0
    [text] = texts(saved(document), "table.docx")
    assert ("\n--- | ---" in text) is has_rule


def test_what_follows_a_list_in_a_pdf_is_no_part_of_its_last_item() -> None:
    """It begins further left than the item's mark, though no further below than the items are apart."""
    lines = paragraph(["The harbour has three lamps, which burn all night and are lit by the keeper."], y=100)
    lines += [line for n in range(3) for line in paragraph([f"• Lamp {n} stands on the pier."], x=64, y=120 + n * 20)]
    lines += paragraph(["Call the keeper first. He knows", "which of them is out."], y=180)
    found = texts(pdf([lines]), "lamps.pdf")
    assert found[-2:] == ["• Lamp 2 stands on the pier.", "Call the keeper first. He knows which of them is out."]
