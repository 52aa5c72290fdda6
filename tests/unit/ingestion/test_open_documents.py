"""OpenDocument: texts, sheets and slides."""

import pytest

from core.errors import EncryptedFileError
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import open_document

STYLES = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    '<style:style style:name="Title" style:family="paragraph"/>'
    '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
    '<style:style style:name="Up" style:family="text"><style:text-properties style:text-position="super 58%"/>'
    '</style:style><style:style style:name="Higher" style:family="text"><style:text-properties '
    'style:text-position="33% 58%"/></style:style><style:style style:name="Up1" style:family="text" '
    'style:parent-style-name="Up"/><style:style style:name="Down" style:family="text"><style:text-properties '
    'style:text-position="-33% 58%"/></style:style><style:style style:name="Line" style:family="text">'
    '<style:text-properties style:text-position="0% 100%"/></style:style><style:style style:name="Out" '
    'style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    '<style:style style:name="OutP" style:family="paragraph"><style:text-properties '
    'style:text-line-through-type="double"/></style:style>'
    '<style:style style:name="S" style:family="table"><style:table-properties table:display="false"/></style:style>'
    '<style:style style:name="D" style:family="drawing-page"><style:drawing-page-properties '
    'presentation:visibility="hidden"/></style:style>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-format="1"/>'
    '<text:list-level-style-bullet text:level="2"/></text:list-style>'
)
MANIFEST = (
    b'<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
    b'manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
)


def said(text: str, style: str = "") -> str:
    """A paragraph."""
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def bold(text: str) -> str:
    """A paragraph in bold type."""
    return said(f'<text:span text:style-name="B">{text}</text:span>')


def entries(*inside: str, more: str = "") -> str:
    """A list of items. more: attributes of the list."""
    items = "".join(f"<text:list-item>{each}</text:list-item>" for each in inside)
    return f'<text:list text:style-name="L1"{more}>{items}</text:list>'


def row(*inside: str, more: str = "") -> str:
    """A row of cells that hold text."""
    cells = "".join(f"<table:table-cell>{each}</table:table-cell>" for each in inside)
    return f"<table:table-row{more}>{cells}</table:table-row>"


def blocks(content: bytes, name: str) -> list[tuple[str, str]]:
    """The section and the text of each block."""
    [document] = parse(content, name).documents
    return [(block.section, block.text) for block in document.blocks]


def test_a_text_keeps_its_headings_lists_and_tables() -> None:
    """Its title is the paragraph in the style for titles, and the text under a heading stays under it."""
    header = f"<table:table-header-rows>{row(said('Load'), said('Speed'))}</table:table-header-rows>"
    body = (
        said("Lift manual", "P1")
        + '<text:h text:outline-level="1">Operation</text:h><text:h text:outline-level="2">Starting</text:h>'
        + said("Do this:")
        + entries(said("Turn the key.") + entries(said("left")), said("Press."))
        + said("Wait.")
        + entries(said("Go."), more=' text:continue-numbering="true"')
        + f"<table:table>{header}{row(said('100 kg'), said('2 m/s'))}</table:table>"
        + said("<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame>After it.")
    )
    stated = "<dc:title>Another</dc:title><meta:initial-creator>Ada Writer</meta:initial-creator>"
    content = open_document("text", body, styles=STYLES, meta=stated)
    [document] = parse(content, "lift.odt").documents
    assert (document.title, document.full_citation) == ("Lift manual", "Ada Writer. Lift manual.")
    assert blocks(content, "lift.odt") == [
        ("Starting", "Do this:"),
        ("Starting", "1. Turn the key.\n  - left\n2. Press."),
        ("Starting", "Wait."),
        ("Starting", "3. Go."),
        ("Starting", "Load | Speed\n--- | ---\n100 kg | 2 m/s"),
        ("Starting", "After it."),
        ("Starting", "In a box."),
    ]
    assert document.blocks[0].chapter == "Operation"


def test_what_a_text_does_not_show_is_left_out() -> None:
    """Hidden text, comments, what was deleted and tables of contents; a footnote is in brackets."""
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>contents 1</text:p></text:index-body></text:table-of-content>"
        + said(
            'Read<text:s/>this<text:span text:style-name="H"> hidden</text:span><office:annotation><text:p>comment'
            "</text:p></office:annotation>.<text:note><text:note-citation>1</text:note-citation><text:note-body>"
            "<text:p>Or not.</text:p></text:note-body></text:note>"
        )
        + said("hidden as a whole", "H")
    )
    assert blocks(open_document("text", body, styles=STYLES), "a.odt") == [("", "Read this. (Or not.)")]


def test_a_subtitle_and_the_titles_of_further_parts_are_text() -> None:
    """Only the document's own title is no text of it, also where it comes again."""
    subtitle = (
        '<style:style style:name="P2" style:family="paragraph" style:parent-style-name="Under"/>'
        '<style:style style:name="Under" style:family="paragraph" style:parent-style-name="Title"/>'
    )
    body = "".join(
        (
            said("Harbour rules", "Title"),
            said("Edition of May, for guests", "P2"),
            said("Ring first."),
            said("Harbour  rules", "P1"),
            said("Prices", "P1"),
            said("Four EUR."),
        )
    )
    content = open_document("text", body, styles=STYLES + subtitle)
    assert parse(content, "a.odt").documents[0].title == "Harbour rules"
    assert blocks(content, "a.odt") == [
        ("", "Edition of May, for guests"),
        ("", "Ring first."),
        ("", "Prices"),
        ("", "Four EUR."),
    ]


def test_a_text_without_title_is_called_by_its_one_chapter() -> None:
    """Of two chapters neither is the title."""
    first, second = (
        f'<text:h text:outline-level="1">{name}</text:h>{said("Ring first.")}' for name in ("Berths", "Fees")
    )
    titles = [parse(open_document("text", body), "harbour.odt").documents[0].title for body in (first, first + second)]
    assert titles == ["Berths", "Harbour"]


def test_a_table_within_a_text_keeps_its_title_to_itself() -> None:
    """The text after it is under the heading of the text, and not under the title of the table."""
    table = "<table:table>" + row(said("Prices")) + row(bold("Boat"), bold("Fee")) + row(said("Dinghy"), said("4 EUR"))
    body = f'<text:h text:outline-level="2">Money</text:h>{table}</table:table>{said("Pay at once.")}'
    assert blocks(open_document("text", body, styles=STYLES), "a.odt") == [
        ("Money", "Prices\nBoat | Fee\n--- | ---\nDinghy | 4 EUR"),
        ("Money", "Pay at once."),
    ]


def test_sheets_are_sections_as_they_show_their_values() -> None:
    """Hidden sheets, rows and columns are left out, and the million empty rows that a file may repeat cost nothing."""
    value = '<table:table-cell office:value-type="float" office:value="4"><text:p>4.00 €</text:p></table:table-cell>'
    fees = (
        '<table:table table:name="Fees"><table:table-column table:number-columns-repeated="3"/>'
        '<table:table-column table:visibility="collapse"/>'
        + row(said("Boat"), said("Kind"), said("Fee"), said("hidden"))
        + f"<table:table-row><table:table-cell>{said('Dinghy')}</table:table-cell><table:table-cell>{said('small')}"
        f'</table:table-cell>{value}<table:table-cell table:number-columns-repeated="16380"/></table:table-row>'
        + row(said("hidden"), more=' table:visibility="collapse"')
        + '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'
    )
    secret = (
        f'<table:table table:name="Secret" table:style-name="S">{row(said("hidden"), said("hidden"))}</table:table>'
    )
    assert blocks(open_document("spreadsheet", fees + secret, styles=STYLES), "fees.ods") == [
        ("Fees", "Boat | Kind | Fee\n--- | --- | ---\nDinghy | small | 4.00 €")
    ]


def test_a_slide_is_a_page() -> None:
    """With its title as section, its texts from the top down, and the notes of the speaker."""

    def frame(kind: str, top: int, inside: str) -> str:
        box = f"<draw:text-box>{inside}</draw:text-box>"
        return f'<draw:frame presentation:class="{kind}" svg:y="{top}cm">{box}</draw:frame>'

    notes = f"<presentation:notes>{frame('notes', 0, said('The keeper sits in the shed.'))}</presentation:notes>"
    slide = frame("outline", 5, entries(said("a lamp"))) + frame("title", 1, said("Before leaving"))
    footer = frame("footer", 20, said("Boat club"))
    pages = (
        f'<draw:page draw:style-name="D">{frame("outline", 1, said("hidden"))}</draw:page>'
        f"<draw:page>{slide}{footer}{notes}</draw:page>"
    )
    [document] = parse(open_document("presentation", pages, styles=STYLES), "boats.odp").documents
    assert [(block.page_number, block.section, block.text) for block in document.blocks] == [
        (2, "Before leaving", "1. a lamp"),
        (2, "Before leaving", "Notes of the speaker:\nThe keeper sits in the shed."),
    ]


def test_a_file_with_a_password_says_so() -> None:
    """Whatever is left of its content."""
    with pytest.raises(EncryptedFileError, match=r"a\.odt is protected by a password"):
        parse(open_document("text", said("locked"), **{"META-INF__manifest_dot_xml": MANIFEST}), "a.odt")


def span(text: str, style: str) -> str:
    """A part of a paragraph."""
    return f'<text:span text:style-name="{style}">{text}</text:span>'


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"a grid of 12{span('2', 'Up')} lamps", "a grid of 12² lamps"),
        (f"a drift of 10{span('-', 'Higher')}{span('4', 'Up1')} bar", "a drift of 10⁻⁴ bar"),
        (f"H{span('2', 'Down')}O {span('9', 'Line')}", "H2O 9"),
        (f"the 21{span(span('st', 'B'), 'Up')} of May", "the 21st of May"),
        (span(f"5 {span('2', 'Line')}", "Up"), "⁵ 2"),
        (f"It costs {span('8 euros', 'Out')} 9 euros.", "It costs 9 euros."),
    ],
)
def test_raised_text_and_what_is_struck_out(written: str, read: str) -> None:
    """By their styles, those that these are made from included, in paragraphs, items and cells."""
    body = said(written) + said("Dogs stay outside.", "OutP") + entries(said(written))
    table = f"<table:table>{row(said('Boat'), said('Fee'))}{row(said(written), said('4'))}</table:table>"
    assert [text for _, text in blocks(open_document("text", body + table, styles=STYLES), "rules.odt")] == [
        read,
        f"1. {read}",
        f"Boat | Fee\n--- | ---\n{read} | 4",
    ]
