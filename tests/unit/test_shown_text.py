"""The page of a document shows tables as tables, and the quote where it is."""

import pytest

from adminsite.opening.shown_text import Block, Run, ShownPart, show_text
from core.values.document_views import OpenedPart

TABLE = "Item | Price\n--- | ---\nDesk | 40 euros\nLamp | 12 euros"
TEXT = f"What things cost.\n\n{TABLE}\n\nAsk at the desk."


def show(text: str, marked: str = "") -> ShownPart:
    """A part of a text, with these words of it marked."""
    start = text.index(marked) if marked else 0
    mark = (start, start + len(marked)) if marked else None
    return show_text([OpenedPart(chapter="", section="", page_number=None, text=text, mark=mark)])[0]


def read(cells: tuple[tuple[Run, ...], ...]) -> list[str]:
    """The words of a row's cells."""
    return ["".join(run.text for run in cell) for cell in cells]


def read_marked(blocks: tuple[Block, ...]) -> list[Run]:
    """Return the marked runs, in order."""
    runs = [run for block in blocks for run in block.runs]
    runs += [run for block in blocks for row in (block.header, *block.rows) for cell in row for run in cell]
    return [run for run in runs if run.is_marked]


def test_a_table_is_a_table_between_its_paragraphs() -> None:
    """Without the rule under its header; nothing of the text is lost."""
    before, table, after = show(TEXT).blocks
    assert before.runs == (Run(text="What things cost."),)
    assert read(table.header) == ["Item", "Price"]
    assert [read(row) for row in table.rows] == [["Desk", "40 euros"], ["Lamp", "12 euros"]]
    assert after.runs == (Run(text="Ask at the desk."),)


def test_bars_around_a_row_are_no_cells() -> None:
    """An empty cell is one."""
    (table,) = show("|Item|Price|\n|---|---|\n|Desk||\n|Lamp|12|").blocks
    assert read(table.header) == ["Item", "Price"]
    assert [read(row) for row in table.rows] == [["Desk", ""], ["Lamp", "12"]]


def test_text_with_one_bar_is_text() -> None:
    """A table has two rows at least, and lists keep their lines."""
    text = "Choose yes | no.\n\n- one\n- two"
    assert show(text).blocks == (Block(runs=(Run(text=text),)),)


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("things", ["things"]),
        ("12 euros", ["12 euros"]),
        ("Lamp | 12 euros", ["Lamp", "12 euros"]),
        ("| 12 euros\n\nAsk", ["Ask", "12 euros"]),
    ],
)
def test_a_quote_is_marked_in_prose_and_cells(marked: str, found: list[str]) -> None:
    """One of its runs is where it begins."""
    runs = read_marked(show(TEXT, marked).blocks)
    assert [run.text for run in runs] == found
    assert sum(run.is_first for run in runs) == 1


def test_a_quote_across_a_cell_edge_leaves_the_rest_unmarked() -> None:
    """Of a row, what is before and behind the quote stays."""
    table = show(TEXT, "sk | 40").blocks[1]
    assert table.rows[0] == (
        (Run(text="De"), Run(text="sk", is_marked=True, is_first=True)),
        (Run(text="40", is_marked=True), Run(text=" euros")),
    )
