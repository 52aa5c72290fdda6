"""Tables of contents in PDF, which are left out, and lists that are sorted by a number, which are not."""

import pytest

from core.library.ingestion.parsers.pdf import parse_pdf
from tests.unit.ingestion.files import paragraph, pdf

FILLER = [f"Line {number} of ordinary text that fills the width of the column well." for number in range(1, 13)]
TOPICS = ["Ropes", "Knots", "Blocks", "Sails", "Masts", "Anchors", "Charts", "Lights", "Pumps", "Stoves"]
HEAD = ("Table of contents", 60, 90, "Helvetica-Bold", 16)
SORTED = ("The stores of the boat, sorted by locker", 60, 90, "Helvetica", 10)
Line = tuple[str, float, float, str, float]


def rows(numbers: list[int], *, between: str = "", before: str = "") -> list[Line]:
    """Lines of a title and a number. between: what leads from one to the other; before: what the number counts."""
    lines: list[Line] = []
    for place, (topic, number) in enumerate(zip(TOPICS, numbers, strict=True)):
        y = 120 + 20 * place
        if between:
            lines.append((f"{topic} {between} {before}{number}", 60, y, "Helvetica", 10))
        else:
            lines += [(topic, 60, y, "Helvetica", 10), (f"{before}{number}", 400, y, "Helvetica", 10)]
    return lines


def texts(pages: list[list[Line]]) -> str:
    """The text of a PDF."""
    return "\n".join(block.text for block in parse_pdf(pdf(pages), "c.pdf").blocks)


def following(*, headed: bool = False, count: int = 11) -> list[list[Line]]:
    """Pages of text, under the topics as headings or without any."""
    pages = []
    for number in range(count):
        head: list[Line] = [(TOPICS[number], 60, 90, "Helvetica-Bold", 16)] if headed and number < len(TOPICS) else []
        pages.append(head + paragraph(FILLER))
    return pages


@pytest.mark.parametrize(
    "pages",
    [
        [rows(list(range(2, 12))), *following()],
        [rows(list(range(2, 12)), between="." * 60), *following()],
        [rows(list(range(12, 22))), *following(headed=True)],
        [
            [HEAD, *rows([2, 2, 3, 3, 4, 4, 5, 5, 6, 6])],
            *following(count=6),
        ],
    ],
    ids=["whole page", "leaders", "titles", "named"],
)
def test_a_table_of_contents_is_no_text(pages: list[list[Line]]) -> None:
    """It is recognised by its leaders, by its heading, by titles on later pages, or as a page of nothing else."""
    lines = texts(pages).splitlines()
    assert not [line for line in lines if "Knots" in line]
    assert any("ordinary text" in line for line in lines)


@pytest.mark.parametrize("count", [0, 3, 11])
@pytest.mark.parametrize(
    "lines",
    [
        [SORTED, *rows(list(range(1, 11)))],
        [
            SORTED,
            *rows([*range(1, 11)], before="Locker "),
        ],
        rows([1, 1, 2, 2, 3, 3, 4, 5, 5, 6], between="in locker"),
        rows([2, 3, 4, 4, 5, 7, 8, 9, 9, 14], between="-"),
    ],
    ids=["figures", "named figures", "sentences", "dashes"],
)
def test_a_list_sorted_by_a_number_is_text(lines: list[Line], count: int) -> None:
    """In a document of one page and of many."""
    text = texts([lines, *following(count=count)])
    assert all(topic in text for topic in TOPICS)


def test_a_price_list_with_leaders_is_text() -> None:
    """Its numbers are higher than the pages are many."""
    assert "Stoves" in texts([rows([*range(20, 30)], between="." * 50), *following(count=5)])


def test_a_document_of_what_looks_like_margins_is_not_empty() -> None:
    """Lines that would be running lines or page numbers are its text, where it has no other."""
    assert texts([[("Page 4 of 9", 60, 40, "Helvetica", 10)]]) == "Page 4 of 9"
