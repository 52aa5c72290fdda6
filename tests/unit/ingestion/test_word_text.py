"""The words of Word documents: controls, tracked changes, hidden and struck-out words, fields, boxes, notes, ruby."""

import pytest

from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import zip_of
from tests.unit.ingestion.word_files import (
    HEADER,
    cell,
    control,
    par,
    reference_to_note,
    row,
    run,
    styled,
    tbl,
    word_parts,
    word_texts,
)


def test_controls_around_blocks_are_read_through() -> None:
    """Around a heading, paragraphs, a table and each other; custom XML around blocks too."""
    inner = control(styled("H1", "Fees") + control(par("A key costs 9 euros.")) + tbl(row("Key", "9")))
    body = f"<w:customXml>{par('First.')}{inner}</w:customXml>{par('Last.')}"
    [document] = parse(zip_of(word_parts(body)), "made.docx").documents
    assert [(block.chapter, block.text) for block in document.blocks] == [
        ("Made", "First."),
        ("Fees", "A key costs 9 euros."),
        ("Fees", "Key | 9"),
        ("Fees", "Last."),
    ]


def test_controls_within_a_paragraph_are_read_through() -> None:
    """Within links, smart tags and simple fields, and in each other."""
    link = f"<w:hyperlink>{control(run('the office'))}</w:hyperlink>"
    tag = f"<w:smartTag><w:smartTagPr/><w:customXml>{control(control(run('Monday')))}</w:customXml></w:smartTag>"
    field = f'<w:fldSimple w:instr="DATE">{control(run("noon"))}</w:fldSimple>'
    assert word_texts(par("Ask ", link, " on ", tag, " at ", field, ".")) == ["Ask the office on Monday at noon."]


def test_controls_in_tables_are_read_through() -> None:
    """Controls may be around rows, around cells, and in cells."""
    rows = (
        row("Job", "Price", properties=HEADER),
        control(control(row("Saw", control(cell("4"))))),
        row(control(cell("Drill")), cell(control(par("5")))),
    )
    assert word_texts(tbl(*rows)) == ["Job | Price\n--- | ---\nSaw | 4\nDrill | 5"]


def test_what_a_control_asks_for_is_no_text() -> None:
    """Until something is entered; words in that style that were entered stay."""
    prompt = run("Click here to enter a name.", '<w:rStyle w:val="Platzhalter"/>')
    asking = control(prompt, "<w:showingPlcHdr/>")
    assert word_texts(par("Name: ", asking, " of ", control(prompt))) == ["Name:  of Click here to enter a name."]


def test_a_title_in_a_control_or_a_box_is_the_title() -> None:
    """As on cover pages; a second paragraph in the style for titles stays a text."""
    for around in (control, lambda title: par(f"<w:r>{box(title)}</w:r>")):
        body = around(styled("Titel", "The ferry")) + styled("Titel", "Tariff") + par("It runs.")
        [document] = parse(zip_of(word_parts(body)), "made.docx").documents
        assert (document.title, [block.text for block in document.blocks]) == ("The ferry", ["Tariff", "It runs."])


def test_tables_of_contents_are_no_text() -> None:
    """Neither the control that Word makes for one nor its lines; other ready-made parts are read."""
    gallery = '<w:docPartObj><w:docPartGallery w:val="{}"/></w:docPartObj>'
    styles = '<w:style w:type="paragraph" w:styleId="V1"><w:name w:val="toc 1"/></w:style>'
    body = control(par("Contents") + par("Doors 3"), gallery.format("Table of Contents")) + styled("V1", "Locks 4")
    body += control(par("Ann: Locks. 1999."), gallery.format("Bibliographies"))
    assert word_texts(body, styles=styles) == ["Ann: Locks. 1999."]


def changed(kind: str, content: str) -> str:
    """Mark a text as inserted, deleted or moved."""
    return f'<w:{kind} w:id="1" w:author="A">{content}</w:{kind}>'


def deleted(text: str) -> str:
    """Deleted words."""
    return changed("del", f"<w:r><w:delText>{text}</w:delText></w:r>")


def test_tracked_changes_read_as_accepted() -> None:
    """Within sentences, links and each other: what was deleted after it was inserted is gone."""
    link = f"<w:hyperlink>{changed('ins', run('the yard'))}</w:hyperlink>"
    both = changed("ins", run("on Friday") + changed("del", run(" or Saturday")))
    moved = changed("moveFrom", run("early ")) + changed("moveTo", run("late ") + deleted("x"))
    assert word_texts(par("Meet in ", deleted("the hall"), link, " ", both, ", ", moved, "at night.")) == [
        "Meet in the yard on Friday, late at night."
    ]


@pytest.mark.parametrize("kind", ["del", "moveFrom"])
def test_a_deleted_end_of_a_paragraph_joins_it_with_the_next(kind: str) -> None:
    """And a paragraph that is deleted as a whole leaves nothing."""
    mark = f'<w:rPr><w:{kind} w:id="1" w:author="A"/></w:rPr>'
    whole = par(changed(kind, run("Nobody comes.")), properties=mark)
    body = par("The gate ", properties=mark) + par("is open.") + whole + par("It is old.") + whole
    assert word_texts(body) == ["The gate is open.", "It is old."]


def test_moved_paragraphs_stand_where_they_were_moved() -> None:
    """Between the marks of the move."""
    gone = par(changed("moveFrom", run("Ann goes.")), properties="<w:rPr><w:moveFrom/></w:rPr>")
    come = par(changed("moveTo", run("Ann goes.")), properties="<w:rPr><w:moveTo/></w:rPr>")
    body = f'<w:moveFromRangeStart w:id="1"/>{gone}<w:moveFromRangeEnd w:id="1"/>{par("Bob stays.")}{come}'
    assert word_texts(body) == ["Bob stays.", "Ann goes."]


def test_deleted_rows_and_cells_are_left_out() -> None:
    """Inserted ones are read; the words in deleted rows may be marked or not."""
    rows = (
        row("Boat", "Fee", properties=HEADER),
        row("Canoe", "3", properties="<w:del/>"),
        row("Kayak", cell("9", "<w:cellDel/>"), cell("4", "<w:cellIns/>"), properties="<w:ins/>"),
    )
    [text] = word_texts(tbl(*rows))
    assert "Canoe" not in text
    assert text.splitlines()[0].startswith("Boat | Fee")
    assert text.splitlines()[2].split(" | ")[0] == "Kayak"
    assert "9" not in text
    assert text.endswith("4")


@pytest.mark.parametrize("property_", ["<w:strike/>", '<w:dstrike w:val="1"/>', '<w:strike w:val="true"/>'])
def test_struck_out_words_are_left_out(property_: str) -> None:
    """In sentences, cells and whole paragraphs; the words around them have one space between them."""
    body = par("Open until ", run("nine", property_), " ten", run(" or so", property_), ".")
    body += par(run("Closed on Sundays.", property_)) + tbl(row("Saw", cell(par(run("4 euros", property_), "5 euros"))))
    assert word_texts(body) == ["Open until ten.", "Saw | 5 euros"]


def test_a_style_strikes_out_and_a_run_takes_it_back() -> None:
    """Styles of characters and of paragraphs, also inherited; "0" and "false" are off."""
    styles = (
        '<w:style w:type="character" w:styleId="Old"><w:name w:val="Old"/><w:rPr><w:strike/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Older"><w:name w:val="Older"/><w:basedOn w:val="Old"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Void"><w:name w:val="Void"/><w:rPr><w:dstrike/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="A"/><w:basedOn w:val="B"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="B"><w:name w:val="B"/><w:basedOn w:val="A"/></w:style>'
    )
    body = par("Pay ", run("3 ", '<w:rStyle w:val="Older"/>'), run("4", '<w:rStyle w:val="Old"/><w:strike w:val="0"/>'))
    body += styled("Void", "Gone.", run("Back.", '<w:dstrike w:val="false"/>')) + styled("A", "In a circle.")
    assert word_texts(body, styles=styles) == ["Pay 4", "Back.", "In a circle."]


def test_hidden_words_are_left_out() -> None:
    """Those that only the web does not show stay."""
    assert word_texts(par("Seen", run(" unseen", "<w:vanish/>"), run(" too", "<w:webHidden/>"), ".")) == ["Seen too."]


def field(kind: str, form: str = "") -> str:
    """A mark of a field."""
    return f'<w:r><w:fldChar w:fldCharType="{kind}">{form}</w:fldChar></w:r>'


def test_a_field_shows_its_result() -> None:
    """Its instruction is not shown, even where that holds fields with results; one without an end costs no words."""
    nested = field("begin") + run("Ann") + field("separate") + run("Bob") + field("end")
    shown = field("begin") + run("IF ") + nested + run(" = 1") + field("separate") + run("Carol") + field("end")
    silent = field("begin") + run("XE key") + field("end")
    assert word_texts(par("Ask ", shown, silent, ".") + par(field("begin"), "Still here.")) == [
        "Ask Carol.",
        "Still here.",
    ]


def test_old_forms_show_what_was_chosen() -> None:
    """A check box and a list, with or without an empty result."""
    box_ = '<w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData>'
    list_ = (
        '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/></w:ddList>'
        "</w:ffData>"
    )
    body = par(field("begin", box_), run("FORMCHECKBOX"), field("separate"), field("end"), " Member, ")
    body += par("Colour: ", field("begin", list_), run("FORMDROPDOWN"), field("end"))
    assert word_texts(body) == ["☒ Member,", "Colour: Blue"]


def test_signs_of_symbol_fonts_are_read() -> None:
    """Also hyphens and breaks that have elements of their own."""
    signs = "".join(
        f'<w:sym w:font="{font}" w:char="{code}"/>' for font, code in (("Symbol", "F0B1"), ("Arial", "00B5"))
    )
    content = f'<w:r>{signs}<w:t>m</w:t><w:noBreakHyphen/><w:t>x</w:t><w:br/><w:br w:type="page"/><w:t>end</w:t></w:r>'
    assert word_texts(par(content)) == ["±µm-x\nend"]


def box(content: str) -> str:
    """A text box in both forms that Word writes."""
    new = f"<wps:wsp><wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx></wps:wsp>"
    return (
        '<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData>'
        f"{new}</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback>{old_box(content)}</mc:Fallback></mc:AlternateContent>"
    )


def old_box(content: str) -> str:
    """A text box as Word wrote it before 2010."""
    inside = f"<v:textbox><w:txbxContent>{content}</w:txbxContent></v:textbox>"
    return f"<w:pict><v:group><v:shape>{inside}</v:shape></v:group></w:pict>"


@pytest.mark.parametrize("made", [box, old_box])
def test_text_boxes_are_read_once(made) -> None:  # type: ignore[no-untyped-def]
    """Behind the paragraph that they are anchored in, with their lists and tables, in each other and in cells."""
    inside = par("Keep out.") + tbl(row("Saw", "4")) + par(f"<w:r>{made(par('Deep inside.'))}</w:r>")
    body = par("The mill ", f"<w:r>{made(inside)}</w:r>", "is old.") + tbl(
        row("Gate", cell(par("east", f"<w:r>{made(par('Ring twice.'))}</w:r>")))
    )
    assert word_texts(body) == [
        "The mill is old.",
        "Keep out.",
        "Saw | 4",
        "Deep inside.",
        "Gate | east Ring twice.",
    ]


def test_the_alternative_that_has_words_is_read() -> None:
    """The first of several; the one for old readers where no other says anything."""
    first = f'<mc:AlternateContent><mc:Choice Requires="x"/><mc:Fallback>{run("Old words.")}</mc:Fallback>'
    second = (
        f'<mc:AlternateContent><mc:Choice Requires="x">{run(" New.")}</mc:Choice><mc:Choice>{run("No.")}</mc:Choice>'
    )
    body = par(f"{first}</mc:AlternateContent>", f"{second}</mc:AlternateContent>")
    assert word_texts(body) == ["Old words. New."]


NOTES = (
    '<w:{0} w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:{0}>'
    '<w:{0} w:id="3"><w:p><w:r><w:{0}Ref/></w:r><w:r><w:t xml:space="preserve"> {1}</w:t></w:r></w:p></w:{0}>'
)


def test_notes_stand_behind_the_paragraph_that_refers_to_them() -> None:
    """Footnotes and endnotes, once each; the paragraph keeps its words in a row. Others are not shown."""
    parts = {"footnotes": NOTES.format("footnote", "Not on Sundays."), "endnotes": NOTES.format("endnote", "See A.")}
    unknown = '<w:r><w:footnoteReference w:id="77"/></w:r>'
    body = par("It runs", reference_to_note(), " daily", reference_to_note("endnote"), unknown, ".") + par("It is old.")
    assert word_texts(body + par("So.", reference_to_note()), **parts) == [
        "It runs daily.",
        "Not on Sundays.",
        "See A.",
        "It is old.",
        "So.",
    ]


def test_notes_of_cells_stand_in_the_cell() -> None:
    """In brackets, for a row is one line. A note that refers to itself is read once."""
    notes = f'<w:footnote w:id="3">{par("Not on Sundays.", reference_to_note())}{tbl(row("a", "b"))}</w:footnote>'
    body = tbl(row("Ferry", cell(par("daily", reference_to_note()))))
    assert word_texts(body, footnotes=notes) == ["Ferry | daily (Not on Sundays. a: b)"]


def test_the_mark_of_a_note_is_no_word() -> None:
    """Also where it is one of the writer's own."""
    own = '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="3"/><w:t>*</w:t></w:r>'
    body = par("It runs", own, " daily.")
    assert word_texts(body, footnotes=NOTES.format("footnote", "Not on Sundays.")) == [
        "It runs daily.",
        "Not on Sundays.",
    ]


def test_raised_and_lowered_words_keep_their_meaning() -> None:
    """Set so by the run, cut in several, or by its style; in cells too."""
    styles = (
        '<w:style w:type="character" w:styleId="Up"><w:name w:val="Up"/><w:rPr><w:vertAlign w:val="superscript"/>'
        "</w:rPr></w:style>"
    )
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    body = par("At 10", run("-", up), run("3", up), " m", run("2", '<w:rStyle w:val="Up"/>'), " of CO", run("2", down))
    body += par("On the 5", run("th", up), ".") + tbl(row("Tiles", cell(par("18", run("2", up)))))
    body += par("m", run("2", '<w:rStyle w:val="Up"/><w:vertAlign w:val="baseline"/>'))
    assert word_texts(body, styles=styles) == ["At 10⁻³ m² of CO2", "On the 5th.", "Tiles | 18²", "m2"]


def test_a_damaged_part_of_notes_costs_only_the_notes() -> None:
    """The text is read without them."""
    parts = word_parts(par("It runs.", reference_to_note()), footnotes="") | {"word/footnotes.xml": b"<w:footnotes>"}
    [document] = parse(zip_of(parts), "made.docx").documents
    assert [block.text for block in document.blocks] == ["It runs."]


def test_ruby_is_read_by_its_base() -> None:
    """The reading above it is left out."""
    ruby = f"<w:ruby><w:rubyPr/><w:rt>{run('tokyo')}</w:rt><w:rubyBase>{run('東京')}</w:rubyBase></w:ruby>"
    assert word_texts(par("Go to ", f"<w:r>{ruby}</w:r>", ".")) == ["Go to 東京."]


def test_outline_levels_make_headings_of_short_lines() -> None:
    """Of the style or of the paragraph; not of whole sentences, nor where the style takes its parent's level back."""
    styles = (
        '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Toc"><w:name w:val="TOC Head"/><w:basedOn w:val="H1"/>'
        '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    )
    level = '<w:outlineLvl w:val="1"/>'
    body = styled("Mine", "Doors") + styled("Toc", "Contents") + par("Locks", properties=level) + par("A lock is old.")
    body += par("Each door has a lock.", properties=level)
    [document] = parse(zip_of(word_parts(body, styles=styles)), "made.docx").documents
    assert [(block.chapter, block.section, block.text) for block in document.blocks] == [
        ("Doors", "", "Contents"),
        ("Doors", "Locks", "A lock is old."),
        ("Doors", "Locks", "Each door has a lock."),
    ]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("<w:p><w:r><w:pict><v:textbox><w:txbxContent>", "</w:txbxContent></v:textbox></w:pict></w:r></w:p>"),
    ],
)
def test_what_is_nested_as_deep_as_xml_may_be_is_read(opening: str, closing: str) -> None:
    """Without an error; the words at the bottom are given up at most."""
    depth = 240 // opening.count("<")
    assert word_texts(par("Top.") + opening * depth + par("Bottom.") + closing * depth)[0] == "Top."
