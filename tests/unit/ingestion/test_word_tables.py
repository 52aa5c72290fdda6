"""Tables of Word documents: columns, merged cells, rows that name columns, and tables within cells."""

import pytest

from tests.unit.ingestion.word_files import HEADER, cell, control, par, row, run, styled, tbl, word_texts

SPAN = '<w:gridSpan w:val="2"/>'
BEGIN, GO_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
NAMES = row("Day", "Opens", "Closes", properties=HEADER)


def table_text(*rows: str) -> str:
    """The text of a table."""
    [text] = word_texts(tbl(*rows))
    return text


def lines(*rows: str) -> list[str]:
    """The rows of a table below its names, as text."""
    return table_text(NAMES, *rows).splitlines()[2:]


def test_a_row_may_begin_and_end_later() -> None:
    """By columns that it leaves out; its cells are in the columns where Word shows them."""
    before, after = '<w:gridBefore w:val="1"/>', '<w:gridAfter w:val="1"/>'
    assert lines(
        row("Ann", "Bob", properties=before),
        row("Tuesday", "Carol", properties=after),
        row("Dan", properties='<w:gridBefore w:val="2"/>'),
        row("Eve", properties=before + after),
    ) == ["— | Ann | Bob", "Tuesday | Carol |", "— |  | Dan", "— | Eve |"]


def test_a_cell_over_columns_holds_for_each_of_them() -> None:
    """But for a label in the first column, and a line over the whole width."""
    assert lines(
        row("Monday", cell("Ann", SPAN)),
        row(cell("On call", SPAN), "Bob"),
        row(cell("Winter", '<w:gridSpan w:val="3"/>')),
        row("Friday", cell("Carol", '<w:hMerge w:val="restart"/>'), cell("", '<w:hMerge w:val="continue"/>')),
        row("Sunday", "", "Dan"),
    ) == ["Monday | Ann | Ann", "On call |  | Bob", "Winter |  |", "Friday | Carol |", "Sunday |  | Dan"]


def test_a_cell_over_rows_is_repeated() -> None:
    """As far as it goes, in its column, also where cells before it are wider; a new one begins where it says so."""
    assert lines(
        row(cell("Monday", BEGIN), "Ann", cell("noon", BEGIN)),
        row(cell("", GO_ON), "Bob", cell("", GO_ON)),
        row(cell("Friday", BEGIN), "Carol", cell("", GO_ON)),
        row(cell("", GO_ON + SPAN), cell("", GO_ON)),
        row("Sunday", "Dan", ""),
    ) == [
        "Monday | Ann | noon",
        "Monday | Bob | noon",
        "Friday | Carol | noon",
        "Friday |  | noon",
        "Sunday | Dan |",
    ]


@pytest.mark.parametrize("text", ["", "Monday"])
def test_a_merge_may_begin_nowhere(text: str) -> None:
    """In the first row, below a cell that is not merged, in the last column, and with words of its own."""
    assert lines(
        row(cell(text, GO_ON), "Ann", cell("noon", GO_ON)),
        row(cell("", GO_ON), "Bob", cell("", GO_ON)),
        row("Friday", "Carol", "nine"),
        row(cell("", GO_ON), cell("Dan", GO_ON), cell("ten", GO_ON)),
    ) == [
        f"{text or '—'} | Ann | noon",
        f"{text or '—'} | Bob | noon",
        "Friday | Carol | nine",
        "— | Dan | ten",
    ]
    first = tbl(row(cell("", GO_ON), cell("Ann", GO_ON)), row(cell("", GO_ON), cell("", GO_ON)))
    assert word_texts(first) == ["— | Ann\n— | Ann"]


def test_a_long_merged_cell_is_not_repeated() -> None:
    """It is no label, and would make a small file a large one."""
    long = "word " * 99
    assert [line.partition(" | ")[0] for line in lines(row(cell(long, BEGIN), "a"), row(cell("", GO_ON), "b"))] == [
        long.strip(),
        "—",
    ]


@pytest.mark.parametrize("mark", [HEADER, ""])
def test_two_rows_may_name_the_columns(mark: str) -> None:
    """Marked as such, or known by the cell over several columns above names."""
    head = (
        row(cell("Boat", BEGIN), cell("Winter", SPAN), cell("Summer", SPAN), properties=mark),
        row(cell("", GO_ON), "Day", "Week", "Day", "Week", properties=mark),
    )
    assert table_text(*head, row("Canoe", "3", "9", "4", "11")).splitlines() == [
        "Boat | Winter Day | Winter Week | Summer Day | Summer Week",
        "--- | --- | --- | --- | ---",
        "Canoe | 3 | 9 | 4 | 11",
    ]


def test_a_first_row_with_a_wide_cell_above_words_is_a_header_alone() -> None:
    """The next row has a label of its own."""
    text = table_text(row("Name", cell("Contact", SPAN)), row("Ann", "mail", "phone"), row("Bob", "mail", "post"))
    assert text.splitlines()[-2:] == ["Ann | mail | phone", "Bob | mail | post"]


def test_bold_type_of_a_style_marks_a_header() -> None:
    """As that of the runs themselves does."""
    styles = (
        '<w:style w:type="paragraph" w:styleId="Head"><w:name w:val="Head"/><w:rPr><w:b/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="Strong"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style>'
    )
    head = row(cell(styled("Head", "Load")), cell(par(run("Speed", '<w:rStyle w:val="Strong"/>'))))
    assert word_texts(tbl(head, row("100", "2")), styles=styles) == ["Load | Speed\n--- | ---\n100 | 2"]


def test_a_small_table_in_a_cell_stands_in_its_place() -> None:
    """With the names of its columns, and with those within it."""
    deep = tbl(row("dogs", "2"), row("cats", "1"))
    inner = tbl(
        row("Season", "From", "To", properties=HEADER), row("Winter", "8", "16"), row("Summer", "7", cell(deep))
    )
    assert table_text(row("Station", "Hours", properties=HEADER), row("Valley", cell(par("open") + inner + par()))) == (
        "Station | Hours\n--- | ---\nValley | open Winter: From 8, To 16; Summer: From 7, To dogs: 2; cats: 1"
    )


def test_a_large_table_in_a_cell_stands_behind_the_table() -> None:
    """Below the name of its row."""
    inner = tbl(row("Saw", "Price", properties=HEADER), *(row(f"Saw number {n}", f"{n} euros") for n in range(20)))
    first, second = word_texts(
        tbl(row("Shop", "Saws", properties=HEADER), row("Mill", cell(inner)), row("Dock", "none"))
    )
    assert first == "Shop | Saws\n--- | ---\nMill |\nDock | none"
    assert second.startswith("Mill\nSaw | Price\n--- | ---\nSaw number 0 | 0 euros\n")


def test_a_table_that_only_places_its_content_is_opened() -> None:
    """One cell, one row or one column with tables in them; headings in them are headings."""
    left = cell(par("Prices:") + tbl(row("Saw", "4"), row("Drill", "5")))
    right = cell(control(styled("H1", "Rules") + par("Ring twice.")))
    assert word_texts(tbl(row(left, right))) == ["Prices:", "Saw | 4\nDrill | 5", "Ring twice."]
    assert word_texts(tbl(row(cell(par("One.") + par("Two."))))) == ["One.", "Two."]


def test_items_in_a_cell_stay_apart() -> None:
    """With the numbers that Word sets."""
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>'
        '<w:lvlText w:val="%1)"/></w:lvl></w:abstractNum><w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num>'
    )
    number = '<w:numPr><w:numId w:val="4"/></w:numPr>'
    inside = par("Bring:") + "".join(par(text, properties=number) for text in ("a lamp", "ropes", "a map."))
    assert word_texts(tbl(row("Hut", cell(inside))), numbering=numbering) == [
        "Hut | Bring: a) a lamp; b) ropes; c) a map.",
    ]


def test_absurd_spans_cost_nothing() -> None:
    """They end where Word's columns do."""
    wide = cell("wide", '<w:gridSpan w:val="999999999"/>')
    text = table_text(row("a", wide, wide), row("b", properties='<w:gridBefore w:val="999999999"/>'))
    assert len(text) < 2000
    assert "b" in text
