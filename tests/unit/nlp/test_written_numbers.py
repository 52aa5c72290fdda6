"""Numbers in brackets at the beginning of a line, those of items and those that count nothing; and raised figures."""

import pytest

from core.language.nlp.answer_types import find_kind_asked, holds_new
from core.language.nlp.layout import BlockKind
from core.language.nlp.structure import units, write_with_leads
from core.language.nlp.text import is_code, sentences
from core.language.nlp.written_numbers import begins_with_bracketed_number, drop_marks, write_powers

NO_ITEMS = (
    *("(312) 555-0160", "(312) 555.0160 ext. 4", "(312) 555 – 0160", "(212) KL5-0160", "(499) 555-01-60"),
    *("(040) 555 0160", "(089) 2160", "(044) 555 01 60", "(0)20 5550 0160", "(07) 5550 0160"),
    *("(01) 60 55 50 01", "(22) 5555-0160", "(44) 555 016 07", "(1) 555 0160", "(900) 5550160"),
    *("(742) (803) (861)", "(60) | 5", "(5) %", "(30) days after the return", "(90) percent of the fee"),
)
ITEMS = (
    *("(1) Lock the door", "(2) 3 copies", "(12) 15 000 euros", "(11) 100 000 km", "(2) 100000 euros"),
    *("(3) 2024-03-01 is the day", "(4) 12.03.2024", "(2) 14.30-16.00 lunch", "(7) 2019-2023", "(6) 2024/25"),
    *("(1) (a) The keeper", "(1) (312) 555-0160", "(123) The Commission", "(02) 2500 euros", "(a) 555-0160"),
    *("(iv) Boats", "(9) 10:00-12:30"),
)


@pytest.mark.parametrize("line", NO_ITEMS)
def test_a_number_in_brackets_may_count_nothing(line: str) -> None:
    """Area codes of several countries, amounts below nought, numbers written in words before, cells."""
    expected = line.startswith(("(0)20", "(312)5"))  # no white space follows, as behind the mark of an item
    assert begins_with_bracketed_number(line) is not expected
    assert [unit.kind for unit in units(line)] == [BlockKind.PROSE]
    assert not is_code(line)
    assert write_with_leads((), line).replace(" – ", " | ").startswith(line[:4])


@pytest.mark.parametrize("line", ITEMS)
def test_an_item_may_begin_with_figures(line: str) -> None:
    """Amounts, dates, times and a telephone number of its own."""
    assert not begins_with_bracketed_number(line)
    [unit] = units(line)
    assert unit.kind is BlockKind.ITEM
    assert write_with_leads((), line) == line.partition(" ")[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Locksmith:\n\n(312) 555-0160", "Locksmith: (312) 555-0160"),
        ("Locksmith\n\n(040) 555 0160 by day", "Locksmith: (040) 555 0160 by day"),
        ("Locksmith\n(22) 5555-0160", "Locksmith\n(22) 5555-0160"),
        ("- Locksmith\n\n(07) 5550 0160", "Locksmith: (07) 5550 0160"),
        ("Call:\n- (312) 555-0160", "Call: (312) 555-0160"),
        ("Ask the keeper.\n\n(312) 555-0160", "(312) 555-0160"),
    ],
)
def test_a_telephone_number_stands_under_its_label(text: str, said: str) -> None:
    """The label may be a paragraph, a line or an item; a sentence is no label."""
    last = units(text)[-1]
    assert write_with_leads(tuple(text[slice(*lead)] for lead in last.leads), text[last.start : last.end]) in (
        said,
        said.replace("\n", " "),
    )


def test_a_row_may_begin_with_an_area_code() -> None:
    """It is a row of its table, not an item."""
    text = "Number | Desk\n--- | ---\n(312) 555-0160 | Keys\n(312) 555-0161 | Maps"
    assert [unit.kind for unit in units(text)] == [BlockKind.HEADER, BlockKind.ROW, BlockKind.ROW]


def test_a_line_that_goes_on_with_a_number_in_brackets_ends_no_paragraph() -> None:
    """As where "thirty" is repeated in figures on the next line."""
    assert len(units("The deposit is paid back within thirty\n(30) days after the return.")) == 1


@pytest.mark.parametrize(
    ("text", "plain"),
    [("10⁻³ bar", "10^-3 bar"), ("12² lamps", "12^2 lamps"), ("1010₂", "1010_2"), ("m² and H₂O", "m² and H₂O")],
)
def test_powers_are_written_behind_a_sign(text: str, plain: str) -> None:
    """Behind a digit alone: elsewhere they are no part of a number."""
    assert write_powers(text) == plain


@pytest.mark.parametrize("price", ["40¹ euros", "40[1] euros", "40 [12] euros", "40^1 euros", "40 euros"])
def test_a_price_with_the_mark_of_a_note_is_a_price(price: str) -> None:
    """The mark is between the figure and its currency."""
    question = "What is the price of a berth?"
    kind = find_kind_asked(question)
    assert drop_marks(price) == "40 euros"
    assert holds_new(kind, f"A berth costs {price} a night.", question)
    assert not holds_new(kind, "A berth costs less in winter.", question)


def test_a_sentence_ends_before_the_mark_of_a_note() -> None:
    """The mark stays with its sentence; a number in brackets within one ends none."""
    text = "The lock is shut.[3] Boats wait at the quay.[4][5] The harbour [6] is near. See 4.[7] below."
    assert [text[slice(*span)] for span in sentences(text)] == [
        "The lock is shut.[3]",
        "Boats wait at the quay.[4][5]",
        "The harbour [6] is near.",
        "See 4.[7] below.",
    ]
