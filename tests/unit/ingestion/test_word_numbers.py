"""The numbers that Word sets before paragraphs and headings."""

import pytest

from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.docx.numbering import write_number
from tests.unit.ingestion.files import zip_of
from tests.unit.ingestion.word_files import STYLES, par, styled, word_parts, word_texts


def level(place: int, text: str, form: str = "decimal", extra: str = "", start: int = 1) -> str:
    """A level of a list."""
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{extra}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def abstract(identifier: int, *levels: str, extra: str = "") -> str:
    """A list."""
    return f'<w:abstractNum w:abstractNumId="{identifier}">{extra}{"".join(levels)}</w:abstractNum>'


def num(identifier: int, used: int, overrides: str = "") -> str:
    """A number that uses a list."""
    return f'<w:num w:numId="{identifier}"><w:abstractNumId w:val="{used}"/>{overrides}</w:num>'


def at(number: int, place: int | None = 0) -> str:
    """The numbering of a paragraph."""
    depth = "" if place is None else f'<w:ilvl w:val="{place}"/>'
    return f'<w:numPr>{depth}<w:numId w:val="{number}"/></w:numPr>'


def read(numbering: str, *places: tuple[int, int], styles: str = STYLES) -> list[str]:
    """The labels of paragraphs, given as their number and level."""
    body = "".join(par("X", properties=at(*place)) for place in places)
    texts = word_texts(body, numbering=numbering, styles=styles)
    return [text.strip().removesuffix("X").removeprefix("- ").strip() for text in texts]


LEGAL = abstract(0, level(0, "§ %1"), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"), level(3, "%4.", "lowerRoman"))


def test_levels_count_within_each_other() -> None:
    """A deeper one begins anew below each item of a level above it."""
    places = (0, 1, 1, 2, 2, 3, 3, 1, 2, 0, 2, 1)
    assert read(LEGAL + num(1, 0), *((1, place) for place in places)) == [
        *("§ 1", "1.1", "1.2", "(a)", "(b)", "i.", "ii.", "1.3", "(a)", "§ 2", "(a)", "2.1"),
    ]


def test_a_level_may_go_on_below_the_next_item_above() -> None:
    """Always, or until a level further up counts on."""
    never, first = '<w:lvlRestart w:val="0"/>', '<w:lvlRestart w:val="1"/>'
    lists = abstract(0, level(0, "%1."), level(1, "%2.", extra=never), level(2, "%3.", extra=first))
    assert read(lists + num(1, 0), *((1, place) for place in (0, 1, 2, 1, 2, 0, 1, 2))) == [
        *("1.", "1.", "1.", "2.", "2.", "2.", "3.", "1."),
    ]


def test_numbers_start_where_their_list_says() -> None:
    """The list, the number that uses it, or a level of its own."""
    override = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="11"/></w:lvlOverride>'
    own = f'<w:lvlOverride w:ilvl="0">{level(0, "No. %1", start=7)}</w:lvlOverride>'
    lists = abstract(0, level(0, "%1.", start=5)) + abstract(1, level(0, "Article %1:")) + abstract(2, level(0, "%1."))
    numbering = lists + num(1, 0) + num(2, 1, override) + num(3, 2, own)
    assert read(numbering, (1, 0), (1, 0), (2, 0), (2, 0), (3, 0)) == [
        "5.",
        "6.",
        "Article 11:",
        "Article 12:",
        "No. 7",
    ]


def test_numbers_that_share_a_list_count_on() -> None:
    """Unless one begins on its own, once."""
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbering = abstract(0, level(0, "%1)")) + num(1, 0) + num(2, 0) + num(3, 0, anew)
    assert read(numbering, (1, 0), (2, 0), (3, 0), (3, 0), (1, 0)) == ["1)", "2)", "1)", "2)", "3)"]


@pytest.mark.parametrize(
    ("form", "number", "written"),
    [
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerRoman", 9, "ix"),
        ("upperLetter", 27, "AA"),
        ("lowerLetter", 54, "bbb"),
        ("decimalZero", 7, "07"),
        ("ordinal", 22, "22nd"),
        ("ordinal", 13, "13th"),
        ("cardinalText", 3, "Three"),
        ("ordinalText", 20, "Twentieth"),
        ("ordinalText", 21, "21"),
        ("decimalEnclosedCircle", 2, "②"),
        ("russianUpper", 2, "Б"),
        ("none", 4, ""),
        ("unknown", 4, "4"),
        ("upperRoman", 10**9, "1000000000"),
        ("lowerLetter", 10**9, "1000000000"),
        ("upperLetter", 0, "0"),
    ],
)
def test_forms_of_numbers(form: str, number: int, written: str) -> None:
    """As Word sets them; absurd ones in digits."""
    assert write_number(number, form) == written


def test_a_form_of_later_versions_is_read() -> None:
    """It is in an alternative."""
    form = (
        '<mc:AlternateContent><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001, 002, 003, ..."/>'
        '</mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent>'
    )
    lists = abstract(0, f'<w:lvl w:ilvl="0"><w:start w:val="9"/>{form}<w:lvlText w:val="R%1"/></w:lvl>')
    assert read(lists + num(1, 0), (1, 0), (1, 0)) == ["R009", "R010"]


def test_legal_labels_are_decimal() -> None:
    """Though the level above is set in Roman numbers; a bullet above counts for nothing."""
    lists = abstract(
        0, level(0, "%1", "upperRoman"), level(1, "%1.%2", extra="<w:isLgl/>"), level(2, "%1-%3", "bullet")
    )
    assert read(lists + num(1, 0), (1, 0), (1, 0), (1, 1), (1, 2)) == ["I", "II", "2.1", ""]


def test_styles_number_paragraphs_and_headings() -> None:
    """By the level that belongs to the style, by what the style says, or by what it inherits; 0 takes it back."""
    styles = STYLES.replace('<w:name w:val="heading 1"/>', f'<w:name w:val="heading 1"/><w:pPr>{at(1, None)}</w:pPr>')
    styles = styles.replace('<w:name w:val="heading 2"/>', f'<w:name w:val="heading 2"/><w:pPr>{at(1, None)}</w:pPr>')
    styles += (
        '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:basedOn w:val="Base"/>'
        '<w:pPr><w:numPr><w:ilvl w:val="2"/></w:numPr></w:pPr></w:style>'
        f'<w:style w:type="paragraph" w:styleId="Base"><w:name w:val="Base"/><w:pPr>{at(1, None)}</w:pPr></w:style>'
    )
    lists = abstract(
        0,
        level(0, "Part %1", "upperLetter", '<w:pStyle w:val="H1"/>'),
        level(1, "%1.%2", extra='<w:pStyle w:val="H2"/>'),
        level(2, "(%3)", "lowerLetter"),
    )
    body = styled("H1", "Doors") + styled("H2", "Locks") + styled("Clause", "A lock.") + styled("Clause", "A key.")
    body += f'<w:p><w:pPr><w:pStyle w:val="H2"/>{at(0, None)}</w:pPr><w:r><w:t>Notes</w:t></w:r></w:p>' + par("None.")
    body += styled("H1", "Gates") + styled("H2", "Hinges") + par("A hinge.")
    parts = word_parts(body, styles=styles, numbering=lists + num(1, 0))
    [document] = parse(zip_of(parts), "made.docx").documents
    assert [(block.chapter, block.section, block.text) for block in document.blocks] == [
        ("Part A Doors", "A.1 Locks", "(a) A lock."),
        ("Part A Doors", "A.1 Locks", "(b) A key."),
        ("Part A Doors", "Notes", "None."),
        ("Part B Gates", "B.1 Hinges", "A hinge."),
    ]


def test_a_list_may_be_that_of_a_style_of_lists() -> None:
    """It links to the list that defines the style."""
    lists = abstract(0, extra='<w:numStyleLink w:val="Legal"/>')
    lists += abstract(1, level(0, "Rule %1"), extra='<w:styleLink w:val="Legal"/>')
    assert read(lists + num(1, 0) + num(2, 1), (1, 0), (2, 0)) == ["Rule 1", "Rule 2"]


def test_empty_paragraphs_count_and_deleted_ones_do_not() -> None:
    """As they do in Word."""
    gone = f"{at(1)}<w:rPr><w:del/></w:rPr>"
    body = par("One", properties=at(1)) + par(properties=at(1)) + par(properties=gone) + par("Three", properties=at(1))
    assert word_texts(body, numbering=abstract(0, level(0, "%1.")) + num(1, 0)) == ["1. One", "3. Three"]


def test_items_below_a_heading_begin_at_the_margin() -> None:
    """Though the levels above theirs number the headings; deeper items are below them."""
    deeper = par("B", properties=at(1, 3)) + par("C", properties=at(1, 2)) + par("D", properties=at(1, 1))
    body = (
        par("A", properties=at(1, 2))
        + deeper
        + par("E", properties=at(1, 2))
        + par("Text")
        + par("F", properties=at(1, 2))
    )
    assert word_texts(body, numbering=LEGAL + num(1, 0)) == [
        *("(a) A", "  - i. B", "(b) C", "- 1.1 D", "  (a) E", "Text", "(b) F"),
    ]


def test_labels_keep_items_items() -> None:
    """A mark that is known for one stays; another gets a dash before it; one that is hidden or empty is none."""
    hidden = "<w:rPr><w:vanish/></w:rPr>"
    lists = abstract(0, level(0, "%1)", "lowerLetter"), level(1, "%2.", "upperRoman"), level(2, "", "bullet"))
    lists += abstract(1, level(0, "%1.", extra=hidden), level(1, ""), level(2, "Note:", "none"))
    body = "".join(par("X", properties=at(*place)) for place in ((1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)))
    assert word_texts(body, numbering=lists + num(1, 0) + num(2, 1)) == [
        *("a) X", "  - I. X", "    - X", "X", "X", "- Note: X"),
    ]


def test_broken_numbering_costs_no_words() -> None:
    """Numbers that there are not, levels beyond the last, absurd starts and labels."""
    huge = "9" * 40
    lists = abstract(0, level(0, "%1%1%9" * 999), level(1, "%2", start=0).replace('"0"', f'"{huge}"'))
    lists += '<w:num w:numId="8"/><w:num/><w:abstractNum/>'
    body = "".join(par("X", properties=at(*place)) for place in ((1, 0), (1, 1), (1, 44), (8, 0), (77, 0), (-1, 0)))
    texts = word_texts(body, numbering=lists + num(1, 0))
    assert len(texts) == 6
    assert all(text.endswith("X") and len(text) < 100 for text in texts)
