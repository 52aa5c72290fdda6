"""RTF: headings, lists and tables of what word processors write, without what they hide."""

import pytest

from core.library.ingestion.parsers import parse

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fcharset204 Cyr;}}{\colortbl;\red0;}"
    rb"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Title;}{\*\cs3 Strong;}}"
    rb"{\info{\title Stated}{\author Ada Writer}}{\*\generator Word;}{\header Running head\par}"
)


def blocks(body: bytes) -> list[tuple[str, str, str]]:
    """The chapter, the section and the text of each block."""
    [document] = parse(HEAD + body + b"}", "rules.rtf").documents
    return [(block.chapter, block.section, block.text) for block in document.blocks]


def test_headings_by_style_and_by_bold_type() -> None:
    """The title is the paragraph in the style for titles; a short bold line serves as a heading, a bold word not."""
    body = (
        rb"\pard\plain\s2 Harbour rules\par\pard\plain\s1 Mooring\par\pard\plain Ring first.\par"
        rb"{\b Prices\par}\pard\plain {\b Dinghies} pay 4 EUR.\par{\b This is only said aloud.\par}"
    )
    [document] = parse(HEAD + body + b"}", "rules.rtf").documents
    assert (document.title, document.full_citation) == ("Harbour rules", "Ada Writer. Harbour rules.")
    assert blocks(body) == [
        ("Mooring", "", "Ring first."),
        ("Mooring", "Prices", "Dinghies pay 4 EUR."),
        ("Mooring", "Prices", "This is only said aloud."),
    ]
    assert parse(HEAD + rb"\pard Words.\par}", "rules.rtf").documents[0].title == "Stated"


def test_the_titles_of_further_parts_are_text() -> None:
    """Only the document's own title is no text of it, also where it comes again."""
    body = (
        rb"\pard\plain\s2 Harbour rules\par Edition of May\par\pard\plain Ring first.\par"
        rb"\pard\plain\s2 Harbour rules\par\pard\plain Pay later.\par"
    )
    assert [text for _, _, text in blocks(body)] == ["Edition of May", "Ring first.", "Pay later."]
    assert parse(HEAD + body + b"}", "rules.rtf").documents[0].title == "Harbour rules"


def test_what_is_not_shown_is_left_out() -> None:
    """Hidden and deleted text, fields' instructions, pictures and objects, also where they hold bare bytes."""
    body = (
        rb"\pard Ring {\v secret }{\deleted gone }first{\pict\bin5 }}}{x}"
        rb"{\object{\*\objdata 0105}{\result .}} "
        rb'{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt Here}}.{\footnote\pard Or not.}\par'
    )
    assert blocks(body) == [("Stated", "", "Ring first Here. (Or not.)")]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"Gr\'f6\'dfe", "Größe"),
        (rb"\f1\'cf\'f0", "Пр"),  # in the code page of the font
        (rb"\u8364?\uc2\u8211\'96\'96-", "€–-"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"\{a\}\~b\\", "{a} b\\"),
        (rb"\emdash\rquote x\line y", "—’x\ny"),
    ],
)
def test_characters_in_every_form(written: bytes, read: str) -> None:
    """By code page, by number with what older programs show instead, and by name."""
    assert blocks(rb"\pard " + written + rb"\par") == [("Stated", "", read)]


def test_lists_and_tables() -> None:
    """Items keep their marks and depth; consecutive rows are a table with its header."""
    body = (
        rb"\pard Do this:\par{\listtext\pard 1.\tab}\ilvl0 Turn\par{\listtext\'b7\tab}\ilvl1 left\par"
        rb"{\listtext\pard 2.\tab}\ilvl0 Press\par\pard"
        rb"\trowd\trhdr\cellx1\cellx2\pard\intbl Boat\cell Fee\cell\row"
        rb"\trowd\cellx1\cellx2\pard\intbl Dinghy\cell 4\par EUR\cell\row\pard After.\par"
        rb"{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In a box.\par}}}Around it.\par"
    )
    assert [text for _, _, text in blocks(body)] == [
        "Do this:",
        "1. Turn\n  - left\n2. Press",
        "Boat | Fee\n--- | ---\nDinghy | 4 EUR",
        "After.",
        "In a box.",
        "Around it.",
    ]


def test_a_file_that_was_cut_off_says_what_it_has() -> None:
    """Every paragraph and row up to there."""
    body = rb"\pard One.\par\trowd\pard\intbl Boat\cell Fee"
    assert [text for _, _, text in blocks(body)] == ["One.", "Boat | Fee"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"a grid of 12{\super 2} lamps", "a grid of 12² lamps"),
        (rb"a drift of 10\super -\super 4\nosupersub  bar", "a drift of 10⁻⁴ bar"),
        (rb"60 m{\up6 3} and 7 m{\up 2}", "60 m³ and 7 m²"),
        (rb"60 m\up6 3\up0  of it, \up1 set\up0  so", "60 m³ of it, set so"),
        (rb"H{\sub 2}O, x{\dn4 i}, 10{\super\'b2}", "H2O, xᵢ, 10²"),
        (rb"the 21{\super st} of May", "the 21st of May"),
        (rb"a skiff{\super 1)} is lent", "a skiff[1] is lent"),
        (rb"{\super 12}\plain 5 boats", "¹²5 boats"),
    ],
)
def test_raised_and_lowered_text(written: bytes, read: str) -> None:
    """It is recognised by words of its own, and by its distance from the line."""
    assert blocks(rb"\pard " + written + rb"\par") == [("Stated", "", read)]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"It costs {\strike 8 euros} 9 euros.", "It costs 9 euros."),
        (rb"It costs \striked1 8 euros\striked0  9 euros.", "It costs 9 euros."),
        (rb"It costs \strike\striked0 8 euros\strike0  9 euros.", "It costs 9 euros."),
        (rb"{\strike Dogs stay outside.\par}Dogs may come in.", "Dogs may come in."),
    ],
)
def test_what_is_struck_out_is_left_out(written: bytes, read: str) -> None:
    """By one line or two."""
    assert blocks(rb"\pard " + written + rb"\par") == [("Stated", "", read)]


def test_raised_text_in_cells() -> None:
    """A cell's figures are no other than a paragraph's."""
    body = (
        rb"\trowd\trhdr\cellx1\cellx2\pard\intbl Tank{\super 1)}\cell Size in m{\super 3}\cell\row"
        rb"\trowd\cellx1\cellx2\pard\intbl A{\strike B}\cell 10{\super 6}\cell\row\pard"
    )
    assert [text for _, _, text in blocks(body)] == ["Tank[1] | Size in m³\n--- | ---\nA | 10⁶"]
