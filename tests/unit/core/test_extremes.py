"""Test which row is given where a question asks what has the most or the least of something."""

import pytest

from core.asking.generation.extractive.table_rows import find_extreme
from core.asking.generation.tools import mark_passage
from tests.unit.verification.passages import passage

TABLE = """Site | Plots | Yellow cards | Weekend | Closed on
--- | --- | --- | --- | ---
Mill Lane | 104 | 6 | £26.50 | Friday
Quarry Field | 1,148 | 12 | £9 | never
Station Bank | 62 | 13 | £14 | Sunday
Total | 1,314 | 31 | £49.50 |"""


def rows(question: str, text: str = TABLE, name: str = "Inspections 2025") -> list[str]:
    return [one.text.partition(" | ")[0] for one in find_extreme(question, [mark_passage(1, passage(text, name=name))])]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("which site got the most yellow cards?", ["Station Bank"]),
        ("Which site has the fewest plots?", ["Station Bank"]),
        ("what site has the largest number of plots", ["Quarry Field"]),
        ("which site is cheapest for a weekend", ["Quarry Field"]),
        ("which site got the most yellow cards in 2025?", ["Station Bank"]),
        ("which site got the most yellow cards in 2024?", []),
        ("which site has the most plots for a weekend?", []),
        ("which site is closed the most?", []),
        ("which country has the most plots?", []),
        ("which site has the best soil?", []),
        ("how many plots has Mill Lane?", []),
        ("which site has the most gnomes?", []),
    ],
)
def test_the_row_with_the_highest_or_lowest_figure(question: str, found: list[str]) -> None:
    """In a column that the question names alone, of figures; not the total, and not of another year."""
    assert rows(question) == found


def test_rows_with_the_same_figure_are_all_given() -> None:
    """But not where most rows have it."""
    table = "Pump | Hours\n--- | ---\nA | 7\nB | 9\nC | 9\nD | 2\nE | 2\nF | 2\nG | 2"
    assert rows("which pump has the most hours?", table) == ["B", "C"]
    assert rows("which pump has the fewest hours?", table) == []


@pytest.mark.parametrize(
    "text",
    [
        "Pump | Hours\n--- | ---\nA | 7\nB | about 9 or 10\nC | 8",
        "Pump | Hours\n--- | ---\nA | 7\nB | 9",
        "Pump | Hours\n--- | ---\n"
        + "\n".join(f"Pump number {number} of the harbour | {number}" for number in range(40)),
    ],
    ids=["a cell without a figure", "two rows", "a table that may go on"],
)
def test_a_table_that_may_not_show_all(text: str) -> None:
    assert rows("which pump has the most hours?", text) == []
