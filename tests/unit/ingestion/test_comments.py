"""Comments are kept apart from a file's text, and say what they are, whose and when."""

import io
import json
import time
import zipfile

import pytest
from docx import Document
from docx.oxml import parse_xml
from openpyxl import Workbook
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.opc.package import Part as SlidePart
from pptx.opc.packuri import PackURI as SlideURI
from pptx.util import Inches

from core.library.ingestion.document import Block, ParsedDocument, include_comments
from core.library.ingestion.extent import Extent, Found, Loss, Tally
from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.store import hash_of
from tests.unit.ingestion.files import zip_of
from tests.unit.ingestion.hostile_files import FONT, SHOWN, page_of, raw_pdf, stream
from tests.unit.ingestion.test_drawings import add_part, open_document, relations, saved

THREADS = "http://schemas.microsoft.com/office/2017/10/relationships"
SLIDES = "http://schemas.microsoft.com/office/2018/10/relationships"
MODERN = "http://schemas.microsoft.com/office/powerpoint/2018/8/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DUBLIN = "http://purl.org/dc/elements/1.1/"
LIBRE = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"


def read(content: bytes, name: str) -> tuple[list[str], list[tuple[str, str]], Extent]:
    """A file's own texts, its comments with the sections that they are in, and its counts."""
    [document] = parse(content, name).documents
    own = [block.text for block in document.blocks]
    assert not any("Comment" in block.text or "Comment" in block.section for block in document.blocks)
    assert all(block.page_number is None for block in document.comments)
    return own, [(block.section, block.text) for block in document.comments], document.extent


def test_comments_in_word_have_their_writers_and_days() -> None:
    """Without those of a resolved thread, on deleted words, and without a place in the text."""
    document = Document()
    document.add_paragraph("Leave is 18 days.")
    runs = document.paragraphs[0].runs
    made = [
        document.add_comment(runs, text, author=author)
        for text, author in (
            ("Should be 20.\nAsk Eve.", "Ann Lee"),
            ("Is this settled?", "Bo"),
            ("Yes.", "Ann Lee"),
            ("On words that are gone.", "Bo"),
            ("Without a place.", "Bo"),
        )
    ]
    for number, comment in enumerate(made, 1):
        comment._comment_elm.set(f"{{{WORD}}}date", "2024-05-03T10:00:00Z")
        last = comment.paragraphs[-1]._p
        last.set("{http://schemas.microsoft.com/office/word/2010/wordml}paraId", f"0000000{number}")
    found = document.element.body.iter(f"{{{WORD}}}commentReference")
    references = sorted(found, key=lambda each: int(each.get(f"{{{WORD}}}id")))
    deleted = parse_xml(f'<w:del xmlns:w="{WORD}" w:id="9"/>')
    document.paragraphs[0]._p.append(deleted)
    deleted.append(references[3].getparent())
    references[4].getparent().getparent().remove(references[4].getparent())
    states = (
        b'<w15:commentsEx xmlns:w15="http://schemas.microsoft.com/office/word/2012/wordml">'
        b'<w15:commentEx w15:paraId="00000002" w15:done="1"/>'
        b'<w15:commentEx w15:paraId="00000003" w15:paraIdParent="00000002" w15:done="0"/></w15:commentsEx>'
    )
    add_part(document, "/word/commentsExtended.xml", "commentsExtended", states)
    own, comments, extent = read(saved(document), "leave.docx")
    assert own == ["Leave is 18 days."]
    assert comments == [("Comment by Ann Lee, 2024-05-03", "Comment: Should be 20.\nAsk Eve.")]
    assert (extent.found[Found.COMMENTS], extent.left_out[Loss.COMMENTS]) == (5, 5)


def test_comments_on_slides_of_both_kinds() -> None:
    """The older list, and threads with answers; a resolved thread and a hidden slide stay out."""
    presentation = Presentation()
    for text in ("Catch", "Hidden"):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, Inches(2), Inches(1)).text_frame.text = text
    shown, hidden = presentation.slides
    hidden._element.set("show", "0")

    def relate(part: object, name: str, kind: str, xml: str) -> None:
        package = presentation.part.package
        made = SlidePart(SlideURI(name), "application/xml", package, xml.encode())
        part.relate_to(made, kind)  # type: ignore[attr-defined]

    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    space = 'xmlns="http://schemas.openxmlformats.org/presentationml/2006/main"'
    authors = f'<cmAuthorLst {space}><cmAuthor id="0" name="Ann Lee"/></cmAuthorLst>'
    relate(presentation.part, "/ppt/commentAuthors.xml", f"{office}/commentAuthors", authors)
    people = f'<p188:authorLst xmlns:p188="{MODERN}"><p188:author id="{{B}}" name="Bo"/></p188:authorLst>'
    relate(presentation.part, "/ppt/authors.xml", f"{SLIDES}/authors", people)
    old = f'<cmLst {space}><cm authorId="0" dt="2023-01-31T09:00:00"><text>Too few cod.</text></cm></cmLst>'
    relate(shown.part, "/ppt/comments/comment1.xml", f"{office}/comments", old)
    relate(hidden.part, "/ppt/comments/comment2.xml", f"{office}/comments", old)

    def said(tag: str, text: str, state: str = "", more: str = "") -> str:
        body = f"<p188:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p188:txBody>"
        return f'<p188:{tag} authorId="{{B}}" created="2024-02-01T08:00:00" {state}>{more}{body}</p188:{tag}>'

    answer = f"<p188:replyLst>{said('reply', 'It is not.')}</p188:replyLst>"
    threads = said("cm", "Is it so?", more=answer) + said("cm", "Done.", 'status="resolved"', answer)
    new = f'<p188:cmLst xmlns:p188="{MODERN}" xmlns:a="{DRAWING}">{threads}</p188:cmLst>'
    relate(shown.part, "/ppt/comments/modern1.xml", f"{SLIDES}/comments", new)
    own, comments, extent = read(saved(presentation), "catch.pptx")
    assert own == ["Catch"]
    assert sorted(comments) == [
        ("Comment by Ann Lee, 2023-01-31, on page 1", "Comment: Too few cod."),
        ("Comment by Bo, 2024-02-01, on page 1", "Comment: Is it so?"),
        ("Comment by Bo, 2024-02-01, on page 1", "Comment: It is not."),
    ]
    assert extent.found[Found.COMMENTS] == 5


def test_notes_on_cells_say_the_cell() -> None:
    """But not those on hidden rows, columns and sheets."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Prices"
    for row in (["Boat", "Fee"], ["Dory", 5], ["Ketch", 9]):
        sheet.append(row)
    book.create_sheet("Secret").append(["Never"])
    book["Secret"].sheet_state = "hidden"
    for cell in (sheet["B2"], sheet["B3"], sheet["D9"], book["Secret"]["A1"]):
        cell.comment = Comment(f"Ann Lee:\nLook at {cell.coordinate} again.", "Ann Lee")
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["D"].hidden = True
    own, comments, extent = read(saved(book), "prices.xlsx")
    assert own == ["Boat | Fee\n--- | ---\nDory | 5"]
    assert comments == [("Comment by Ann Lee, on B2 of Prices", "Comment: Look at B2 again.")]
    assert extent.left_out == {Loss.HIDDEN_PAGES: 1, Loss.COMMENTS: 3}


def test_threads_on_cells_are_read_once() -> None:
    """Excel keeps a note that repeats a thread for older programs. Resolved threads stay out, with their answers."""
    book = Workbook()
    book.active.append(["Fee", 5])
    book.active["A1"].comment = Comment("[Threaded comment] Is it 6?", "tc={1}")
    with zipfile.ZipFile(io.BytesIO(saved(book))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    rows = (
        ("1", "", "A1", "Is it 6?"),
        ("2", "1", "A1", "From May on."),
        ("3", "", "B1", "Solved."),
        ("4", "3", "B1", ""),
    )
    written = "".join(
        f'<threadedComment ref="{ref}" dT="2024-05-03T10:00:00" personId="{{P}}" id="{key}"'
        + (f' parentId="{first}"' if first else "")
        + (' done="1"' if text == "Solved." else "")
        + f"><text>{text}</text></threadedComment>"
        for key, first, ref, text in rows
    )
    parts["xl/threadedComments/threadedComment1.xml"] = f"<ThreadedComments>{written}</ThreadedComments>".encode()
    parts["xl/persons/person.xml"] = b'<personList><person displayName="Bo" id="{P}"/></personList>'
    for part, kind, target in (
        ("xl/worksheets/_rels/sheet1.xml.rels", "threadedComment", "/xl/threadedComments/threadedComment1.xml"),
        ("xl/_rels/workbook.xml.rels", "person", "/xl/persons/person.xml"),
    ):
        more = f'<Relationship Id="rIdT" Type="{THREADS}/{kind}" Target="{target}"/></Relationships>'
        parts[part] = parts[part].replace(b"</Relationships>", more.encode())
    _, comments, extent = read(zip_of(parts), "fee.xlsx")
    assert comments == [
        ("Comment by Bo, 2024-05-03, on A1 of Sheet", "Comment: Is it 6?"),
        ("Comment by Bo, 2024-05-03, on A1 of Sheet", "Comment: From May on."),
    ]
    assert extent.found[Found.COMMENTS] == 4


def annotation(text: str, more: str = "") -> str:
    """A comment in an OpenDocument file."""
    by = f'<x:creator xmlns:x="{DUBLIN}">Ann Lee</x:creator><x:date xmlns:x="{DUBLIN}">2024-05-03T10:00:00</x:date>'
    return f"<office:annotation {more}>{by}<text:p>{text}</text:p></office:annotation>"


RESOLVED = f'xmlns:l="{LIBRE}" l:resolved="true"'


@pytest.mark.parametrize(
    ("kind", "ending", "body", "place", "left_out"),
    [
        (
            "text",
            "odt",
            (
                f"<office:text><text:tracked-changes><text:p>{annotation('Gone.')}</text:p></text:tracked-changes>"
                f"<text:p>Pier.{annotation('Which one?')}{annotation('Done.', RESOLVED)}</text:p></office:text>"
            ),
            "",
            2,
        ),
        (
            "spreadsheet",
            "ods",
            (
                '<office:spreadsheet><table:table table:name="Piers"><table:table-column/>'
                '<table:table-column table:visibility="collapse"/><table:table-row><table:table-cell>'
                f"{annotation('Which one?')}<text:p>Pier.</text:p></table:table-cell><table:table-cell>"
                f"{annotation('Hidden.')}<text:p>Secret.</text:p></table:table-cell></table:table-row>"
                f'<table:table-row table:visibility="collapse"><table:table-cell>{annotation("Hidden.")}'
                "<text:p>Secret.</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"
            ),
            ", on Piers",
            2,
        ),
        (
            "presentation",
            "odp",
            (
                '<office:presentation><draw:page><draw:frame svg:y="1cm"><draw:text-box><text:p>Pier.</text:p>'
                f"</draw:text-box></draw:frame>{annotation('Which one?')}{annotation('Done.', RESOLVED)}</draw:page>"
                "</office:presentation>"
            ),
            ", on page 1",
            1,
        ),
    ],
)
def test_comments_in_open_documents(kind: str, ending: str, body: str, place: str, left_out: int) -> None:
    """Without resolved ones, and those on what is deleted or hidden."""
    own, comments, extent = read(open_document(body, kind), f"pier.{ending}")
    assert own == ["Pier."]
    assert comments == [(f"Comment by Ann Lee, 2024-05-03{place}", "Comment: Which one?")]
    assert extent.left_out[Loss.COMMENTS] == 1 + left_out


def test_comments_on_pages_of_a_pdf() -> None:
    """With answers, without a thread that somebody completed."""
    said = "/T(Ann Lee)/CreationDate(D:20240503100000Z)"
    objects = (
        f"/Subtype/Text/NM(a)/Contents(Is this right?){said}",
        f"/Subtype/Highlight/Contents(I doubt it.){said}",
        "/Subtype/Text/Contents(Somebody without a name.)",
    )
    made = "".join(f"<</Type/Annot/Rect[72 500 300 520]{each}>>" for each in objects)
    own, comments, extent = read(page_of(stream(SHOWN), page=f"/Annots[{made}]"), "a.pdf")
    assert len(own) == 1
    assert comments == [
        ("Comment by Ann Lee, 2024-05-03, on page 1", "Comment: Is this right?"),
        ("Comment by Ann Lee, 2024-05-03, on page 1", "Comment: I doubt it."),
        ("Comment, on page 1", "Comment: Somebody without a name."),
    ]
    assert extent.found[Found.COMMENTS] == 3


def test_a_thread_on_a_page_that_somebody_completed_is_left_out() -> None:
    """With its answers; the state is a hidden annotation and no comment. What was merely marked stays."""
    annotations = (
        "/Subtype/Text/Contents(Is this right?)/T(Bo)",  # object 6
        "/Subtype/Text/Contents(It is.)/T(Ann Lee)/IRT 6 0 R",
        "/Subtype/Text/Contents(Completed set by Bo)/T(Bo)/F 30/IRT 7 0 R/StateModel(Review)/State(Completed)",
        "/Subtype/Text/Contents(Still open.)/T(Bo)",  # object 9
        "/Subtype/Text/Contents(Marked set by Bo)/T(Bo)/F 30/IRT 9 0 R/StateModel(Marked)/State(Marked)",
        "/Subtype/Text/Contents(Not done.)/T(Ann Lee)/IRT 9 0 R",
    )
    references = " ".join(f"{number} 0 R" for number in range(6, 6 + len(annotations)))
    content = raw_pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R"
        f"/Annots[{references}]>>",
        stream(SHOWN),
        FONT,
        *(f"<</Type/Annot/Rect[72 500 300 520]{each}>>" for each in annotations),
    )
    _, comments, extent = read(content, "a.pdf")
    assert [text for _, text in comments] == ["Comment: Is this right?", "Comment: Still open.", "Comment: Not done."]
    assert extent.left_out == {Loss.COMMENTS: 4}


def test_comments_are_passages_only_where_they_are_asked_for() -> None:
    """They cross as JSON, are no content by themselves, and lie behind the text, in the document's chapter."""
    comments = (Block(text="Comment: No.", section="Comment by Ann"), Block(text="Comment: Yes.", section="Comment"))
    extent = Extent(found={Found.COMMENTS: 3}, left_out={Loss.COMMENTS: 3})
    document = ParsedDocument(title="Fees", blocks=(Block(text="Six."),), extent=extent, comments=comments)
    assert ParsedDocument.from_json(json.loads(json.dumps(document.as_json()))) == document
    assert hash_of(document) == hash_of(ParsedDocument(title="Fees", blocks=(Block(text="Six."),)))
    included = include_comments(document)
    assert [(block.chapter, block.section, block.text) for block in included.blocks] == [
        ("", "", "Six."),
        ("Fees", "Comment by Ann", "Comment: No."),
        ("Fees", "Comment", "Comment: Yes."),
    ]
    assert (included.extent.left_out, included.extent.comments_read, included.comments) == ({Loss.COMMENTS: 1}, 2, ())


@pytest.mark.parametrize(("text", "kept"), [("No.", 5000), ("x" * 10_000, 100)])
def test_a_million_comments_are_read_in_part(text: str, kept: int) -> None:
    """All of them are counted."""
    tally = Tally()
    comments = Comments(tally)
    for _ in range(6000):
        comments.add(text)
    assert (len(comments.blocks), tally.extent.found) == (kept, {Found.COMMENTS: 6000})


def test_answers_in_a_circle_and_a_damaged_list_of_comments_cost_nothing() -> None:
    """A file may hold anything in its comments."""
    circle = "".join(
        f'<threadedComment ref="A1" id="{n}" parentId="{(n + 1) % 9}"><text>No.</text></threadedComment>'
        for n in range(9)
    )
    book = Workbook()
    book.active.append(["Fee", 5])
    with zipfile.ZipFile(io.BytesIO(saved(book))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = relations(
        ("threadedComment", "../circle.xml"), ("comments", "../broken.xml"), ("comments", "https://example.org/x.xml")
    )
    parts["xl/circle.xml"] = f"<ThreadedComments>{circle}</ThreadedComments>".encode()
    parts["xl/broken.xml"] = b"<comments><commentList><comment ref='A1'"
    began = time.process_time()
    own, comments, _ = read(zip_of(parts), "fee.xlsx")
    assert (own, len(comments)) == (["Fee | 5"], 9)
    assert time.process_time() - began < 5
