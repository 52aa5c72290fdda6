"""Tables whose rows a PDF sets on coloured bands."""

import io
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from core.library.ingestion.parsers.pdf import parse_pdf

NAMES = ["Locker", "Holder", "Load"]
ROWS = [[f"L{n}", ["skates", "boots", "helmets", "poles"][n % 4], f"{11 + 7 * n} kg"] for n in range(1, 10)]
WORDS = [[f"Hut {n}", ["north face", "lake", "pass"][n % 3], ["Ida", "Bo", "Una"][n % 3]] for n in range(1, 8)]
SIDES = (60, 170, 300, 420)
HIGH = 18  # points of a row


def banded(
    rows: Sequence[Sequence[str]], coloured: Sequence[int], *, by_cell: bool, header: str = "colour", **how: Any
) -> bytes:
    """Draw a page with a table of which some rows, counted from 0, are on colour."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 780, "The lockers of the hut, with who holds them and what they bear, as of last winter.")
    everything = [NAMES, *rows] if header != "none" else list(rows)
    first = len(everything) - len(rows)
    dark = {row + first for row in coloured} | ({0} if header == "colour" else set())
    for number, row in enumerate(everything):
        y = 740 - HIGH * number
        canvas.setFillGray(0.85)
        for left, right in pairwise(SIDES) if by_cell else [(SIDES[0], SIDES[-1])]:
            if number in dark:
                canvas.rect(left, y, right - left, HIGH, stroke=0, fill=1)
        canvas.setFillGray(0)
        canvas.setFont("Helvetica-Bold" if number == 0 and first else "Helvetica", 10)
        for left, cell in zip(SIDES, row, strict=False):
            canvas.drawString(left + 5, y + 5, cell)
    bottom = 740 - HIGH * (len(everything) - 1)
    if how.get("lines"):
        for side in SIDES:
            canvas.line(side, bottom, side, 740 + HIGH)
    canvas.drawString(60, bottom - 40, "Whoever leaves a locker gives the key back at the counter of the hut by noon.")
    canvas.save()
    return out.getvalue()


def tables_of(content: bytes) -> list[list[str]]:
    """The lines of each table, without the rule below its names."""
    blocks = [block.text.splitlines() for block in parse_pdf(content, "b.pdf").blocks if " | " in block.text]
    return [[line for line in lines if not line.startswith("---")] for lines in blocks]


@pytest.mark.parametrize("by_cell", [True, False], ids=["cells", "rows"])
@pytest.mark.parametrize("header", ["colour", "bold", "none"])
@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize("from_white", [0, 1])
@pytest.mark.parametrize("lines", [False, True], ids=["bare", "lined"])
def test_rows_on_bands_and_between_them_are_one_table(
    by_cell: bool, header: str, many: int, from_white: int, lines: bool
) -> None:
    """Of one, two or three rows, drawn by cell or by row, with lines between the columns or without."""
    coloured = [n for n in range(len(ROWS)) if (n // many + from_white) % 2 == 0]
    found = tables_of(banded(ROWS, coloured, by_cell=by_cell, header=header, lines=lines))
    names = [] if header == "none" else [NAMES]
    assert found == [[" | ".join(row) for row in (*names, *ROWS)]]


@pytest.mark.parametrize("by_cell", [True, False], ids=["cells", "rows"])
def test_bands_show_a_table_of_words(by_cell: bool) -> None:
    """Without a figure in it."""
    found = tables_of(banded(WORDS, [0, 1, 4, 5], by_cell=by_cell))
    assert found == [[" | ".join(row) for row in (NAMES, *WORDS)]]


def test_further_lines_of_a_cell_are_no_rows() -> None:
    """They are closer to each other than rows are."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    cells = [(("Hut 1", "east"), ("above the", "glacier"), ("21", "")), (("Hut 2", ""), ("lake", ""), ("34", ""))] * 2
    y = 700.0
    for number, row in enumerate(cells):
        height = 14 + 12 * max(bool(second) + 1 for _, second in row)
        canvas.setFillGray(0.9 if number % 2 else 0.75)
        canvas.rect(60, y - height, 360, height, stroke=0, fill=1)
        canvas.setFillGray(0)
        for left, (first, second) in zip(SIDES, row, strict=False):
            canvas.drawString(left + 5, y - 18, first)
            canvas.drawString(left + 5, y - 30, second)
        y -= height
    canvas.save()
    assert tables_of(out.getvalue()) == [["Hut 1 east | above the glacier | 21", "Hut 2 | lake | 34"] * 2]


@pytest.mark.parametrize("boxes", [1, 2, 3])
def test_prose_on_colour_is_no_table(boxes: int) -> None:
    """Neither one box below the other nor two columns of prose in a box."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4)
    canvas.setFont("Helvetica", 9)
    for box in range(boxes):
        top = 760 - box * 150
        canvas.setFillGray(0.9)
        canvas.rect(50, top - 110, 500, 120, stroke=0, fill=1)
        canvas.setFillGray(0)
        for line in range(8):
            canvas.drawString(60, top - 4 - 12 * line, f"Left {line}: the hut is open from June until the first snow")
            canvas.drawString(310, top - 4 - 12 * line, f"Right {line}: guests bring their own food and leave no trace")
    canvas.save()
    assert tables_of(out.getvalue()) == []
