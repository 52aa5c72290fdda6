"""HTML within Markdown, what is struck out there, and notes."""

import pytest

from core.library.ingestion.parsers.markdown import parse_markdown


def texts(text: str) -> list[str]:
    """The texts of the blocks of a page."""
    return [block.text for block in parse_markdown(text, "page.md").blocks]


HIRE = "Boat | Day\n--- | ---\nWherry | 12 euros\nSkiff | 9 euros"
TABLE = (
    "<table>\n<thead>\n<tr><td>Boat</td><td>Day</td></tr>\n</thead>\n\n<tr><td>Wherry</td>\n\n<td>12<br>euros</td></tr>\n"
    "<tr><td><code>Skiff</code></td><td><b>9 euros</b></td></tr>\n\n</table>"
)


@pytest.mark.parametrize(
    ("page", "read"),
    [
        (f"{TABLE}\n\nOars are free.", [HIRE, "Oars are free."]),
        (f"{TABLE}\nOars are *free*.", [HIRE, "Oars are free."]),
        (f'<div align="center">\n\n{TABLE}\n\n</div>\n\nOars are free.', [HIRE, "Oars are free."]),
        (
            f"<details>\n<summary>Hire</summary>\n\n{TABLE}\n\n</details>\n\nOars are free.",
            ["Hire", HIRE, "Oars are free."],
        ),
        (f"For a day: {TABLE} Oars are free.", ["For a day:", HIRE, "Oars are free."]),
        (f"> Hire:\n> {TABLE.replace(chr(10), '')}", [f"Hire:\n\n{HIRE}"]),
    ],
)
def test_html_tables_are_tables(page: str, read: list[str]) -> None:
    """They may be anywhere, with empty lines or without."""
    assert texts(page) == read


def test_a_table_in_an_item_stands_in_its_item() -> None:
    """The rows are indented as the item's text is."""
    table = TABLE.replace("\n", "\n   ")
    indented = HIRE.replace("\n", "\n   ")
    assert texts(f"1. For a day:\n\n   {table}\n\n2. Oars are free.") == [
        f"1. For a day:\n   {indented}\n2. Oars are free."
    ]


def test_a_table_in_code_stays_code() -> None:
    """Nothing is taken out of it."""
    assert texts("```html\n<table>\n\n<tr></tr>\n</table>\n```") == ["<table>\n\n<tr></tr>\n</table>"]


def test_a_table_that_never_ends_costs_nothing_else() -> None:
    """It is read as far as HTML goes."""
    assert texts("Before.\n\n<table>\n<tr><td>one\n\nAfter.") == ["Before.", "one", "After."]


def test_headings_in_html_are_headings() -> None:
    """As pages of code are set."""
    blocks = parse_markdown('<h2 align="center">Oars</h2>\n\nThey are free.', "page.md").blocks
    assert [(block.section, block.text) for block in blocks] == [("Oars", "They are free.")]


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("The lock is open ~~till eight~~ till nine.", ["The lock is open till nine."]),
        ("~~Dogs stay outside.~~ Dogs may come in.", ["Dogs may come in."]),
        ("A <del>skiff **and oars**</del> wherry is lent.", ["A wherry is lent."]),
        ("A **<s>skiff</s> wherry** is <strike>sold</strike> lent.", ["A wherry is lent."]),
        ("- ~~Ropes~~\n- Oars", ["- Oars"]),
        ("| Boat | Day |\n|---|---|\n| Skiff | ~~8~~ 9 |", ["Boat | Day\n--- | ---\nSkiff | 9"]),
        ("About ~5 boats, `~~kept~~`.", ["About ~5 boats, ~~kept~~."]),
    ],
)
def test_what_is_struck_out_is_left_out(page: str, read: list[str]) -> None:
    """It no longer holds; code and single tildes stay."""
    assert texts(page) == read


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ("A grid of 12<sup>2</sup> lamps.", ["A grid of 12² lamps."]),
        ("It drifts by 10<sup>-4</sup> **m<sup>3</sup>** a day.", ["It drifts by 10⁻⁴ m³ a day."]),
        ("The 21<SUP>st</SUP> of May, H<sub>2</sub>O.", ["The 21st of May, H2O."]),
        ("| Tank | Size |\n|---|---|\n| A | 10<sup>6</sup> l |", ["Tank | Size\n--- | ---\nA | 10⁶ l"]),
        (
            "It costs 40[^1] euros[^tax].\n\n[^1]: Free.\n[^tax]: With tax.",
            ["It costs 40[1] euros[tax].", "[1]: Free.", "[tax]: With tax."],
        ),
    ],
)
def test_raised_text_and_notes(page: str, read: list[str]) -> None:
    """A note that is one word is no address of a link."""
    assert texts(page) == read
