"""Lines of CSV that a spreadsheet reads as text, whatever somebody called a document or a person."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

# A cell that begins so is a formula to a spreadsheet (OWASP, CSV Injection). The apostrophe makes it text.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_line(cells: Iterable[Any]) -> str:
    """One line, with its end."""
    line = io.StringIO()
    csv.writer(line).writerow([defuse(cell) for cell in cells])
    return line.getvalue()


def write_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Return each row as a line, as it comes."""
    return (write_line(row) for row in rows)


def defuse(cell: Any) -> Any:
    """Return a text that would be a formula, as text; a number stays one."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
