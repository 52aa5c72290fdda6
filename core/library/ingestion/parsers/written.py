"""Lists and tables as text, as `core.language.nlp.layout` reads them again."""

import re
from collections.abc import Sequence

from core.language.nlp.layout import BAR, RULE
from core.library.ingestion.cleaning import one_line

_LEAST_COLUMNS = 3  # of a table that says nothing of its header: two columns are names and values as often

_LONGEST_SIGN = 4  # characters of a currency's or a bracket's sign and the first figure behind it

_PERIOD = re.compile(
    r"(?:(?:FY|CY|[QH][1-4]|year|jahr|année|año)[ /-]?)?(?:19|20)\d\d(?:[/-]\d\d){0,2}[AEFP]?", re.IGNORECASE
)


def table(rows: Sequence[Sequence[str]], *, has_header: bool | None, caption: str = "") -> str:
    """Return the rows on lines, cells parted by bars, a rule under the header, the caption on the line above.

    has_header: whether the first row names the columns; None where the file does not say, and its cells decide.
    """
    lines = [[one_line(cell).replace("|", "/") for cell in row] for row in rows]
    lines = [row for row in lines if any(row)]
    if len(lines) > 1 and len(lines[0]) > 1 and sum(map(bool, lines[0])) == 1 and not caption:
        caption = next(filter(None, lines.pop(0)))  # a cell over the whole width
    if has_header is None:
        has_header = bool(lines) and len(lines[0]) >= _LEAST_COLUMNS and may_name_columns(lines[0], lines[1:])
    written = [BAR.join(row) for row in lines]
    if has_header and len(lines) > 1:
        written.insert(1, BAR.join(RULE for _ in lines[0]))
    return "\n".join([one_line(caption), *written] if caption else written)


def item(text: str, *, depth: int = 0, number: int | None = None, label: str = "") -> str:
    """Return an item of a list, its further lines below its first.

    depth: of the list within others. number: if counted. label: the mark itself where it is none of "- " and "1. ".
    """
    mark = f"{label} " if label else "- " if number is None else f"{number}. "
    indent = "  " * depth
    return indent + mark + text.strip().replace("\n", f"\n{indent}{' ' * len(mark)}")


def may_name_columns(row: Sequence[str], below: Sequence[Sequence[str]] = ()) -> bool:
    """Return True if the cells of a row may name columns: words and years, or whatever begins with words over figures.

    below: the rows under it. "Weekday until 18:00" names a column of prices. The labels' column often has no name.
    """
    first, *behind = row
    if all(names_period(cell) or _has_words_alone(cell) for cell in behind) and _has_words_alone(first):
        return True
    if first and not first[0].isalpha():
        return False
    if not first and all(map(names_period, behind)):
        return True
    return all(cell[:1].isalpha() or names_period(cell) for cell in behind) and any(
        _are_figures([line[place] for line in below if line[place:]]) for place in range(1, len(row))
    )


def names_period(text: str) -> bool:
    """Return True if a text is a year or a part of one: "2019", "FY2024", "Q1 2022"."""
    return bool(_PERIOD.fullmatch(text))


def _are_figures(column: Sequence[str]) -> bool:
    """Return True if each cell begins with a figure or its sign: "£14 an hour", "(120)", "8 to 16"."""
    return any(column) and not any(
        cell and (cell[0].isalpha() or not any(map(str.isdigit, cell[:_LONGEST_SIGN]))) for cell in column
    )


def _has_words_alone(cell: str) -> bool:
    return bool(cell) and not any(character.isdigit() for character in cell)
