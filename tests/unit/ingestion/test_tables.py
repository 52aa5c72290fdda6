"""CSV, TSV and XLSX: cells as the sheet shows them, under the row that names their columns."""

import datetime as dt
import io
from importlib import import_module

import pytest
from openpyxl import Workbook
from openpyxl.styles import Font

from core.errors import EncryptedFileError, UnreadableFileError
from core.library.ingestion.parsers import parse
from core.library.ingestion.parsers.number_formats import show_date, show_number
from tests.unit.ingestion.files import xlsx

UTC = dt.UTC  # sheets know no zones, and what is shown has none
PRICES = [["Product", "Price", "Stock"], ["Alpha pump", 1200, 3], ["Beta pump", 950, 0]]


def blocks(content: bytes, name: str) -> list[tuple[str, str]]:
    """Section and text of a file's blocks."""
    [document] = parse(content, name).documents
    return [(block.section, block.text) for block in document.blocks]


def saved(book: Workbook) -> bytes:
    """A workbook as bytes."""
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "City,Fee\nÖrebro,4 kr\n".encode()),
        ("a.csv", "City;Fee\r\nÖrebro;4 kr\r\n".encode("utf-8-sig")),
        ("a.csv", "City\tFee\nÖrebro\t4 kr\n".encode("utf-16")),
        ("a.tsv", "City\tFee\nÖrebro\t4 kr\n".encode()),
        ("a.csv", "City|Fee\nÖrebro|4 kr\n".encode()),
        ("a.csv", 'sep=;\n"City";"Fee"\n"Örebro";"4\nkr"\n'.encode()),
        ("a.csv", "City,,Fee\n\nÖrebro,,4 kr\n,,\n".encode()),
    ],
)
def test_a_table_in_text(name: str, content: bytes) -> None:
    """Whatever parts and encodes its cells; without empty rows and columns, and without line breaks in cells."""
    assert blocks(content, name) == [("", "City | Fee\n--- | ---\nÖrebro | 4 kr")]


def test_a_comma_within_a_cell_parts_nothing() -> None:
    """Neither in quotation marks, nor as the decimal comma of a file with semicolons."""
    assert blocks(b'City,Fee\n"Paris, France",4\n', "a.csv")[0][1].endswith("Paris, France | 4")
    assert blocks(b"City;Fee\nParis;4,50\nLyon;3,20\n", "a.csv")[0][1].endswith("Paris | 4,50\nLyon | 3,20")


def test_rows_of_sentences_are_paragraphs() -> None:
    """Each cell behind the name of its column, on a line of its own."""
    answer = "Press the green button until the lamp is out. " * 8
    found = blocks(f'Question,Answer\nHow does it start?,"{answer}"\n'.encode(), "faq.csv")
    assert found == [("", f"Question: How does it start?\nAnswer: {answer.strip()}")]


def test_each_sheet_is_a_section() -> None:
    """By its name, in order; hidden sheets are left out."""
    book = Workbook()
    assert book.active is not None
    book.active.title = "Prices"
    for row in PRICES:
        book.active.append(row)
    for title, state in (("Secret", "hidden"), ("Old", "veryHidden"), ("Notes", "visible")):
        sheet = book.create_sheet(title)
        sheet.append([f"words of {title}"])
        sheet.sheet_state = state
    assert blocks(saved(book), "book.xlsx") == [
        ("Prices", "Product | Price | Stock\n--- | --- | ---\nAlpha pump | 1200 | 3\nBeta pump | 950 | 0"),
        ("Notes", "words of Notes"),
    ]


def test_cells_are_shown_as_the_sheet_shows_them() -> None:
    """Percent, currency, dates; formulas by their last value, which a workbook that was never calculated lacks."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "S"
    sheet.append(["Name", "Share", "Price", "Since", "At", "Sum", "Is new", "Error"])
    moment = dt.datetime.combine(dt.date(2025, 3, 1), dt.time(9, 30))
    sheet.append(["A", 0.25, 1200, moment.date(), moment, "=1+1", True, "#DIV/0!"])
    for column, number_format in (("B", "0%"), ("C", '#,##0.00 "EUR"'), ("D", "dd/mm/yy"), ("E", "dd.mm. hh:mm")):
        sheet[f"{column}2"].number_format = number_format
    [(_, text)] = blocks(saved(book), "s.xlsx")
    assert text.splitlines()[2] == "A | 25% | 1,200.00 EUR | 2025-03-01 | 2025-03-01 09:30 |  | TRUE |"


def test_what_is_hidden_is_not_read() -> None:
    """Neither rows nor columns, nor what filters took away."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Name", "Salary", "Room"], ["Ann", 90_000, 1], ["Bob", 80_000, 2], ["Cid", 70_000, 3]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["B"].hidden = True
    [(_, text)] = blocks(saved(book), "s.xlsx")
    assert text == "Name | Room\n--- | ---\nAnn | 1\nCid | 3"


def test_struck_out_cells_are_not_read() -> None:
    """Struck-out values no longer hold."""
    book = Workbook()
    assert book.active is not None
    for row in (["Product", "Price", "Stock"], ["Pump", 9, 3], ["Valve", 4, 1]):
        book.active.append(row)
    for cell in ("B2", "A3", "B3", "C3"):
        book.active[cell].font = Font(strike=True)
    assert blocks(saved(book), "s.xlsx")[0][1] == "Product | Price | Stock\n--- | --- | ---\nPump |  | 3"


def test_years_above_the_columns_name_them() -> None:
    """A line is a row, quoted under its years; an unnamed first column is called after its sheet."""
    rows = [["In million EUR"], [], [None, 2018, 2019], ["Revenue", 512.4, 540], ["Net income", 55.2, 61.8]]
    assert blocks(xlsx({"Results": rows}), "r.xlsx") == [
        (
            "Results > In million EUR",
            "Results | 2018 | 2019\n--- | --- | ---\nRevenue | 512.4 | 540\nNet income | 55.2 | 61.8",
        )
    ]


def test_the_unit_beside_the_names_is_the_caption() -> None:
    """It holds for all columns, and is written above each part of the table."""
    [(_, text)] = blocks(b"EUR million,2018,2019\nRevenue,512.4,540\n", "r.csv")
    assert text == "EUR million\nR | 2018 | 2019\n--- | --- | ---\nRevenue | 512.4 | 540"


def test_merged_cells_name_columns_together_and_hold_for_their_rows() -> None:
    """The years above the halves; the site of two rows."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        [None, None, "2023", None, "2024", None],
        ["Site", "Unit", "H1", "H2", "H1", "H2"],
        ["Porto", "A", 1, 2, 3, 4],
        [None, "B", 5, 6, 7, 8],
    ):
        sheet.append(row)
    for area in ("C1:D1", "E1:F1", "A3:A4"):
        sheet.merge_cells(area)
    assert blocks(saved(book), "m.xlsx")[0][1].splitlines() == [
        "Site | Unit | 2023 H1 | 2023 H2 | 2024 H1 | 2024 H2",
        "--- | --- | --- | --- | --- | ---",
        "Porto | A | 1 | 2 | 3 | 4",
        "Porto | B | 5 | 6 | 7 | 8",
    ]


def test_names_and_values_in_two_columns_have_no_header() -> None:
    """Unless it is bold, or only numbers are below it."""
    pairs = [["Keeper", "Ann"], ["Shed", "seven"]]
    assert blocks(xlsx({"S": pairs}), "s.xlsx") == [("S", "Keeper | Ann\nShed | seven")]
    assert "--- | ---" in blocks(xlsx({"S": [["Boat", "Fee"], ["Dinghy", 4], ["Yacht", 9]]}), "s.xlsx")[0][1]
    book = Workbook()
    assert book.active is not None
    for row in pairs:
        book.active.append(row)
    for cell in book.active[1]:
        cell.font = Font(bold=True)
    assert "--- | ---" in blocks(saved(book), "s.xlsx")[0][1]


def test_an_empty_row_ends_no_table() -> None:
    """Rows below it go on under the same names; what has names of its own is another table, notes are separate."""
    rows = [
        *PRICES,
        [],
        ["Gamma valve", 80, 9],
        [],
        ["City", "Manager", "Since"],
        ["Porto", "Rui", 2011],
        ["", "A note"],
    ]
    assert [text for _, text in blocks(xlsx({"S": rows}), "s.xlsx")] == [
        "Product | Price | Stock\n--- | --- | ---\nAlpha pump | 1200 | 3\nBeta pump | 950 | 0\nGamma valve | 80 | 9",
        "City | Manager | Since\n--- | --- | ---\nPorto | Rui | 2011",
        "A note",
    ]


FIGURES = [["Kiosk", 420, 840], ["Garage", 95, 190]]
NAMED = "Unit | Rent | Deposit\n--- | --- | ---\nKiosk | 420 | 840\nGarage | 95 | 190"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([["Unit", "Rent", "Deposit"], [], *FIGURES], NAMED),
        ([["Unit", "Rent", "Deposit"], [], [], [], *FIGURES], NAMED),
        ([["Unit", "Rent", "Deposit"], [], FIGURES[0], [], FIGURES[1]], NAMED),
        ([["Unit", "Rent", "Deposit"], [], *FIGURES, [], ["Total", 515, 1030]], f"{NAMED}\nTotal | 515 | 1030"),
        ([["", "Rent", "Deposit"], [], *FIGURES], NAMED.replace("Unit", "Rooms")),
        ([["Unit", "Role", "Floor"], [], ["Kiosk", "shop", "low"], ["Loft", "home", "top"]], None),
        ([["Year", 2023, 2024], [], *FIGURES], NAMED.replace("Unit | Rent | Deposit", "Year | 2023 | 2024")),
    ],
)
@pytest.mark.parametrize("column", [0, 3])
def test_names_stand_above_empty_rows(rows: list[list[object]], text: str | None, column: int) -> None:
    """One or several, wherever the table is; further empty rows end no table."""
    text = text or "Unit | Role | Floor\n--- | --- | ---\nKiosk | shop | low\nLoft | home | top"
    placed = [[None] * column + row for row in rows]
    assert blocks(xlsx({"Rooms": placed}), "r.xlsx") == [("Rooms", text)]
    titled = [[None] * column + ["Rents of the year"], *placed]
    apart = [titled[0], [], *placed]
    for one in (titled, apart):
        assert blocks(xlsx({"Rooms": one}), "r.xlsx") == [("Rooms > Rents of the year", text)]


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ([["Unit", "Rent", "Deposit"], ["", "a month", "once"]], "Unit | Rent a month | Deposit once"),
        ([["", "Rent", "Deposit"], ["Unit", "a month", "once"]], "Unit | Rent a month | Deposit once"),
        ([["Unit", "Rent", "Deposit"], ["", "(EUR)", "[months]"]], "Unit | Rent (EUR) | Deposit [months]"),
        ([["Unit", "Rent", "Deposit"], ["", "€", ""]], "Unit | Rent € | Deposit"),
        ([["Unit", "Rent", "Deposit"], ["(name)", "(EUR)", "(EUR)"]], "Unit (name) | Rent (EUR) | Deposit (EUR)"),
        ([["", 2023, 2024], ["Unit", "plan", "plan"]], "Unit | 2023 plan | 2024 plan"),
        ([["", 2023, ""], ["Unit", "plan", "done"]], None),
    ],
)
@pytest.mark.parametrize("gap", [[], [[]], [[], []]])
def test_names_in_two_lines_and_units_are_joined(
    head: list[list[object]], names: str | None, gap: list[list[object]]
) -> None:
    """Right above the figures, or above empty rows."""
    text = blocks(xlsx({"Rooms": [*head, *gap, *FIGURES]}), "r.xlsx")[-1][1]
    if names:
        assert text == NAMED.replace("Unit | Rent | Deposit", names)
    assert "Kiosk | 420 | 840" in text
    if gap and names and head[1].count("") < 2:
        assert blocks(xlsx({"Rooms": [head[0], [], head[1], *gap, *FIGURES]}), "r.xlsx")[-1][1] == text


def test_years_without_merged_cells_hold_until_the_next() -> None:
    """As they are set above the first of their columns."""
    rows = [["", 2023, "", 2024, ""], ["Unit", "H1", "H2", "H1", "H2"], ["Kiosk", 1, 2, 3, 4]]
    assert blocks(xlsx({"S": rows}), "s.xlsx")[0][1].splitlines()[0] == "Unit | 2023 H1 | 2023 H2 | 2024 H1 | 2024 H2"


def test_what_does_not_name_columns_stays_above_them() -> None:
    """Entries of a form, a table with names of its own, and one with other columns."""
    form = [["Customer", "Acme"], [], ["Ordered", dt.date(2025, 3, 1)], [], ["Total", 500]]
    assert all("---" not in text for _, text in blocks(xlsx({"S": form}), "s.xlsx"))
    for pair in (["Author", "Ann"], ["Author", "Ann", "Chair"]):
        found = [text for _, text in blocks(xlsx({"S": [pair, [], *PRICES]}), "s.xlsx")]
        assert found == [
            " | ".join(pair),
            "Product | Price | Stock\n--- | --- | ---\nAlpha pump | 1200 | 3\nBeta pump | 950 | 0",
        ]
    words = [["Keeper", "Ann"], [], ["Shed", "seven"], ["Gate", "two"]]
    assert all("---" not in text for _, text in blocks(xlsx({"S": words}), "s.xlsx"))


def test_bold_names_stand_above_empty_rows_of_words() -> None:
    """Also those of two columns."""
    book = Workbook()
    assert book.active is not None
    for row in (["Role", "Person"], [], ["Keeper", "Ann"], ["Clerk", "Bob"]):
        book.active.append(row)
    for cell in book.active[1]:
        cell.font = Font(bold=True)
    assert blocks(saved(book), "s.xlsx")[0][1] == "Role | Person\n--- | ---\nKeeper | Ann\nClerk | Bob"


def test_a_wide_table_becomes_several() -> None:
    """Each with the first column, so that a chunk can repeat the names of its columns."""
    names = ["Van", *(f"Property {number}" for number in range(20))]
    rows = [[f"Van {row}", *(f"value {row}-{number}" for number in range(20))] for row in range(9)]
    found = [text for _, text in blocks(xlsx({"Fleet": [names, *rows]}), "f.xlsx")]
    assert len(found) > 1
    assert all(text.startswith("Van | Property") and "\nVan 8 | value 8-" in text for text in found)
    assert all(sum(name in text.splitlines()[0].split(" | ") for text in found) == 1 for name in names[1:])


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do about it."""
    # Each is there before the first is changed: one that is imported after that would keep the changed limit for good.
    modules = [import_module(f"core.library.ingestion.parsers.{name}") for name in ("grid", "xlsx", "csv_files")]
    for module in modules:
        monkeypatch.setattr(module, "MOST_CELLS", 20)
    message = r"has more than 20 cells\. Split it into several files"
    with pytest.raises(UnreadableFileError, match=rf"a\.csv {message}"):
        parse(b"1,2,3\n" * 8, "a.csv")
    with pytest.raises(UnreadableFileError, match=rf"a\.xlsx {message}"):
        parse(xlsx({"A": [[1, 2, 3]] * 4, "B": [[1, 2, 3]] * 4}), "a.xlsx")


def test_a_locked_workbook_says_so() -> None:
    """Office keeps it in the form of its old files."""
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(EncryptedFileError, match=r"a\.xlsx is protected by a password"):
        parse(locked, "a.xlsx")


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (1200, "General", "1200"),
        (0.1 + 0.2, "General", "0.3"),
        (0.256, "0.0%", "25.6%"),
        (1234567.5, "#,##0.00", "1,234,567.50"),
        (-5, '#,##0 "€";[Red](#,##0 "€")', "-5 €"),
        (1234.5, "[$£-809]#,##0", "£1,235"),
        (0, '#,##0;-#,##0;"-"', "0"),
        (2_500_000, '0.0,,"M"', "2.5M"),
        (42, "00000", "00042"),
        (2.5, "# ?/?", "2.5"),
        (12345, "0.00E+00", "12345"),
        (1.5, "0.0##", "1.5"),
        (3, "Standard", "3"),
    ],
)
def test_numbers_in_their_formats(value: float, number_format: str, shown: str) -> None:
    """As Excel shows them; plainly where a format is not understood, and negative with a sign."""
    assert show_number(value, number_format) == shown


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (dt.datetime(2025, 3, 1, tzinfo=UTC), "dd/mm/yyyy", "2025-03-01"),
        (dt.datetime(2025, 3, 1, tzinfo=UTC), "mmm yyyy", "2025-03"),
        (dt.datetime(2025, 3, 1, tzinfo=UTC), "yyyy", "2025"),
        (dt.datetime(2025, 3, 1, 9, 5, tzinfo=UTC), "d.m.yy h:mm", "2025-03-01 09:05"),
        (dt.time(9, 5), "h:mm", "09:05"),
        (dt.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
    ],
)
def test_dates_in_their_formats(value: dt.datetime, number_format: str, shown: str) -> None:
    """In ISO's form, with no more than the sheet shows."""
    assert show_date(value, number_format) == shown
