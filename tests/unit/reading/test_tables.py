"""Tables as a reader reads them: each row with the names of its columns, and every place in the text as it was."""

import pytest

from core.asking.reading.tables import LONGEST, LONGEST_HEADER, write_tables

PRICES = (
    "Valid from May.\n\nTicket | Adults | Children\n--- | --- | ---\nSwim | 6.80 | 3.40\nSauna | 9.50 |\n\nIn pounds."
)


def test_each_row_names_its_columns() -> None:
    written = write_tables(PRICES)
    assert written
    assert written.text == (
        "Valid from May.\n\nSwim: Adults = 6.80; Children = 3.40.\nSauna: Adults = 9.50.\n\nIn pounds."
    )


def test_each_character_has_its_place_in_the_passage() -> None:
    written = write_tables(PRICES)
    assert written
    for words in ("Valid from May.", "Swim", "6.80", "3.40", "9.50", "In pounds."):
        start = written.text.index(words)
        found = slice(*written.find(start, start + len(words)))
        assert PRICES[found] == words


def test_the_name_of_a_column_stands_for_its_cell() -> None:
    written = write_tables(PRICES)
    assert written
    start = written.text.index("Children = 3.40")
    assert PRICES[slice(*written.find(start, start + len("Children = 3.40")))] == "3.40"
    places = [written.find(place, place + 1) for place in range(len(written.text))]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "text",
    [
        "No table at all.",
        "a | b\nc | d",  # without names
        "",
        "Only | names\n--- | ---",
        f"{'name ' * LONGEST_HEADER} | b\n--- | ---\nc | d",
    ],
)
def test_what_has_no_names_to_write_stays(text: str) -> None:
    written = write_tables(text)
    assert written is None or written.text == text


def test_two_tables_keep_their_own_names() -> None:
    written = write_tables("A | B\n--- | ---\n1 | 2\n\nText.\n\nC | D\n--- | ---\n3 | 4")
    assert written
    assert written.text == "1: B = 2.\n\nText.\n\n3: D = 4."


def test_a_row_may_have_more_cells_than_names_and_bars_at_its_edges() -> None:
    written = write_tables("| A | B |\n| --- | --- |\n| 1 | 2 | 3 |\n|  | 5 |")
    assert written
    assert written.text == "1: B = 2; 3.\nB = 5."


@pytest.mark.parametrize(
    "text",
    [
        " | 2023 | 2024\n--- | --- | ---\nAccidents | 6 | 4\n | 5 | 7",
        "| 2023 | 2024 |\n--- | --- | --- | ---\nAccidents | 6 | 4 |\n| 5 | 7 |",
        "| | 2023 | 2024 |\n|---|---|---|\n| Accidents | 6 | 4 |\n| | 5 | 7 |",
    ],
)
def test_a_column_keeps_its_name_where_the_first_column_has_none(text: str) -> None:
    """Whether bars stand around the rows, or part empty cells at their ends."""
    written = write_tables(text)
    assert written
    assert written.text.strip().replace("\n ", "\n") == "Accidents: 2023 = 6; 2024 = 4.\n2023 = 5; 2024 = 7."


def test_a_long_table_is_written_as_far_as_a_reader_reads() -> None:
    name = "n" * (LONGEST_HEADER - 10)
    text = f"A | {name}\n--- | ---\n" + "a | b\n" * 10_000
    written = write_tables(text)
    assert written
    assert len(written.text) < LONGEST + 2 * LONGEST_HEADER + len(text)


def test_a_row_is_found_by_any_place_in_it() -> None:
    written = write_tables(PRICES)
    assert written
    for words, expected in (("Swim", "Swim: Adults = 6.80; Children = 3.40."), ("9.50", "Sauna: Adults = 9.50.")):
        row = written.find_row(PRICES.index(words))
        assert row
        assert row.text == expected
    for words in ("Valid", "Adults", "In pounds"):
        assert written.find_row(PRICES.index(words)) is None
