"""A figure of a row is said under its own column, in the table's words and in others."""

import pytest

from core.asking.verification.found_quotes import FoundQuote
from core.asking.verification.reasons import Reason
from core.asking.verification.support import assess
from tests.unit.verification.passages import passage

KILNS = """| Kiln | Volume in l | Hottest in °C | Firing | Cooling | Bought |
| --- | --- | --- | --- | --- | --- |
| Wren | 240 | 1,280 | 9 hours | 14 hours | 3 May 2019 |
| Heron | 85 | 1,280 | 6.5 hours | 9 hours | 12 March 2022 |
"""
FEES = """| Room | Per day | Per weekend |
| --- | --- | --- |
| Loft | £40 | £75 |
| Cellar | £25 | £25 |
"""
OTHERS = [
    (KILNS, "Wren", "Wren – Hottest in °C: 240"),
    (KILNS, "Wren", "The hottest that Wren becomes is 240 °C."),
    (KILNS, "Wren", "Firing in the Wren takes 14 hours."),
    (KILNS, "Heron", "Heron – Cooling: 6.5 hours"),
    (KILNS, "Heron", "Cooling of the Heron takes 6.5 hours, and its volume is 85 l."),
    (FEES, "Loft", "The loft costs £75 per day."),
    (FEES, "Loft", "Loft – Per weekend: £40"),
]
OWN = [
    (KILNS, "Wren", "Wren – Volume in l: 240"),
    (KILNS, "Wren", "The Wren holds 240 l."),
    (KILNS, "Wren", "Firing in the Wren takes 9 hours and cooling 14 hours."),
    (KILNS, "Wren", "The Wren has a volume of 240 l and was bought on 3 May 2019."),
    (KILNS, "Heron", "The Heron fires in 6.5 hours."),
    (FEES, "Loft", "The loft costs £40 per day or £75 per weekend."),
    (FEES, "Cellar", "The cellar costs £25 per day."),
    (FEES, "Cellar", "Cellar – Per weekend: £25"),
]


def find_doubts(table: str, row: str, said: str) -> tuple[Reason, ...]:
    """Assess a statement whose quote is a row of a table."""
    source = passage(table)
    start = table.index(f"| {row} ")
    return assess(said, [FoundQuote(passage=source, start=start, end=table.index("\n", start))]).doubts


@pytest.mark.parametrize(("table", "row", "said"), OTHERS)
def test_another_columns_figure_is_doubted(table: str, row: str, said: str) -> None:
    """Doubt a figure that the statement says of another column."""
    assert Reason.COLUMN in find_doubts(table, row, said)


@pytest.mark.parametrize(("table", "row", "said"), OWN)
def test_a_columns_own_figure_is_not_doubted(table: str, row: str, said: str) -> None:
    """Doubt no figure that is said of its own column, or of none."""
    assert Reason.COLUMN not in find_doubts(table, row, said)
