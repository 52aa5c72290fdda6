"""HTML, DOCX, text, JSON and JSONL."""

import datetime as dt
import io
import json

import pytest
from docx import Document

from core.library.ingestion.errors import NoDocumentError
from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.docx import parse_docx
from core.library.ingestion.parsers.html import parse_html
from core.library.ingestion.parsers.text import parse_text
from tests.unit.ingestion.files import docx

HTML = """<!doctype html><html><head><title>Site</title>
<meta property="og:title" content="Minutes, May 7, 2024"><meta property="og:url" content="https://example.org/m">
</head><body><nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<main><h3>Minutes of the Board</h3>
<p><strong>Review of the budget<sup>1</sup></strong><br>
The board looked at the budget for the coming year in detail and found it to be balanced and well explained.</p>
<p>Members thanked the staff for the thorough preparation of all the papers that had been sent out beforehand.</p>
<table><tr><td>Chair</td><td>A. Person</td></tr><tr><td>Clerk</td><td>B. Person</td></tr></table>
<ul><li>First item to follow up before the summer</li><li>Second item to follow up before the autumn</li></ul>
</main><footer>Imprint and contact</footer><script>var secret = 1;</script></body></html>"""


def test_html_content_without_what_surrounds_it() -> None:
    """Headings, paragraphs, tables and lists stay; navigation, footer and scripts do not."""
    document = parse_html(HTML, "page.html")
    text = "\n".join(b.text for b in document.blocks)
    assert document.title == "Minutes, May 7, 2024"
    assert document.document_date == dt.date(2024, 5, 7)
    assert document.source_url == "https://example.org/m"
    assert "Chair | A. Person" in text
    assert "- First item to follow up before the summer" in text
    for surrounding in ("About us", "Imprint", "secret"):
        assert surrounding not in text


def test_a_bold_first_line_begins_a_section() -> None:
    """A paragraph's bold first line is a heading, without the number of its footnote."""
    sections = {b.text[:9]: b.section for b in parse_html(HTML, "page.html").blocks}
    assert sections["The board"] == "Minutes of the Board > Review of the budget"


def test_html_too_small_for_extraction_is_read_whole() -> None:
    """A page of a few words keeps them all."""
    document = parse_html("<html><body><h1>Key</h1><p>Under the mat.</p><div>Ring twice</div></body></html>", "k.html")
    assert document.title == "Key"
    assert [(b.chapter, b.text) for b in document.blocks] == [("Key", "Under the mat."), ("Key", "Ring twice")]


def test_docx_headings_lists_and_tables() -> None:
    """The title is the title style's, chapters are first-level headings, a table's rows are lines."""
    document = parse_docx(docx(), "lift.docx")
    assert document.title == "Lift manual"
    assert document.full_citation == "Ada Writer. Lift manual."
    assert [(b.chapter, b.section, b.text) for b in document.blocks] == [
        ("Lift manual", "", "Read this first."),
        ("Operation", "Starting", "Turn the key."),
        ("Operation", "Starting", "- Press the green button."),
        ("Operation", "Starting", "Load | Speed\n100 kg | 2 m/s"),
    ]


@pytest.mark.parametrize(
    ("headings", "title"),
    [
        ([("Berths", 1), ("Prices", 2)], "Berths"),
        ([("Berths", 1), ("Prices", 1)], "Harbour 2"),
        ([("Prices", 2), ("Berths", 1)], "Harbour 2"),
    ],
)
def test_docx_without_title_is_called_by_its_one_chapter(headings: list[tuple[str, int]], title: str) -> None:
    """A heading of the first level above all else is the title; one of several, or one further down, is not."""
    made = Document()
    made.core_properties.title = ""
    for heading, level in headings:
        made.add_heading(heading, level)
        made.add_paragraph("Ring first.")
    out = io.BytesIO()
    made.save(out)
    assert parse_docx(out.getvalue(), "harbour-2.docx").title == title


def test_text_paragraphs_and_pages() -> None:
    """Blank lines part paragraphs and form feeds pages; the date is the name's."""
    document = parse_text("one\r\nstill one\r\n\r\ntwo\fthree", "notes_2024-02-03.txt")
    assert document.title == "Notes 2024-02-03"
    assert document.document_date == dt.date(2024, 2, 3)
    assert [(b.text, b.page_number) for b in document.blocks] == [("one\nstill one", 1), ("two", 1), ("three", 2)]


def test_paper_with_numbered_sections() -> None:
    """The abstract is a section, and 2.1 is below 2."""
    paper = {
        "arxiv_id": "2401.00001",
        "title": "On  things",
        "authors": "A. One, B. Two",
        "update_date": "2024-01-05",
        "abstract": "We look.",
        "sections": [
            {"number": "1", "title": "Start", "text": "First.\n\nSecond."},
            {"number": "2", "title": "Middle", "text": "Third."},
            {"number": "2.1", "title": "Inside", "text": "Fourth."},
        ],
    }
    (document,) = parse(json.dumps(paper).encode(), "p.json").documents
    assert (document.title, document.arxiv_id, document.document_type) == ("On things", "2401.00001", "paper")
    assert document.source_url == "https://arxiv.org/abs/2401.00001"
    assert document.full_citation == "A. One, B. Two (2024). On things. arXiv:2401.00001"
    assert [(b.section, b.text) for b in document.blocks] == [
        ("Abstract", "We look."),
        ("1 Start", "First."),
        ("1 Start", "Second."),
        ("2 Middle", "Third."),
        ("2 Middle > 2.1 Inside", "Fourth."),
    ]


def test_jsonl_lines_that_cannot_be_read_do_not_stop_the_others() -> None:
    """Each bad line is named with its number; a line that comes twice is one document."""
    good = {"id": "a", "title": "A", "text": "alpha", "source_url": "https://example.org/a", "metadata": {"k": 1}}
    lines = [good, good, {"id": "a", "title": "A", "text": "other"}, "no object", {"id": "b", "title": "B"}]
    content = "\n".join([*map(json.dumps, lines), "{broken", json.dumps({"id": "c", "title": "C", "summary": "s"})])
    parsed = parse(content.encode(), "docs.jsonl")
    assert [(d.identifier, d.title, d.blocks[0].text) for d in parsed.documents] == [
        ("a", "A", "alpha"),
        ("c", "C", "s"),
    ]
    assert parsed.documents[0].metadata == {"id": "a", "k": 1}
    assert [problem.partition(",")[2].split()[:2] for problem in parsed.problems] == [
        ["line", "3:"],
        ["line", "4"],
        ["line", "5"],
        ["line", "6"],
    ]


def test_json_without_a_document_says_what_was_expected() -> None:
    """JSON that is something else than documents is distinguished from damaged JSON."""
    with pytest.raises(NoDocumentError, match=r'list\.json contains no document\. Expected JSON with "title"'):
        parse(b'[{"file": "a", "licence": "b"}]', "list.json")
