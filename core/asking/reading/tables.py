"""Write passages for a reader, their tables row by row: "Single swim: Adults = 6.80; Children = 3.40."

A row of bare figures says little to a reader that was fitted on prose: it takes the first one. Of 36 questions about
cells (evaluation/tables.jsonl) its best span is the cell that is asked for in 17 as the table stands in the passage,
in 28 in the form of quotes ("Adults: 6.80; Children: 3.40"), and in 33 as it is written here.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from core.asking.reading import AFTER_HEADING
from core.language.nlp.layout import BlockKind, is_bordered
from core.language.nlp.structure import units

# Characters of the names of all columns, which each row repeats: of a passage a reader takes some 1,300.
LONGEST_HEADER = 300
LONGEST = 6000  # characters that are written; a reader takes far fewer


@dataclass(frozen=True, slots=True)
class Row:
    """Holds a row as it is written, and where it is in the text as it was."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """Holds a text with its tables written row by row, and the place of each character in the text as it was."""

    text: str
    starts: list[int]
    ends: list[int]  # the start where the character was put in
    rows: list[Row]

    def find_row(self, place: int) -> Row | None:
        """Return the row with a character of the text as it was; None where no row is written of it."""
        return next((row for row in self.rows if row.start <= place < row.end), None)

    def find(self, start: int, end: int) -> tuple[int, int]:
        """Return the part of the text as it was that these characters of the written one come from."""
        return self.starts[start], self.ends[end - 1]


def write_passage(heading: str, text: str) -> tuple[str, Written | None]:
    """Return a passage as a reader takes it, and its text with tables as `write_tables` does."""
    table = write_tables(text)
    return f"{heading}{AFTER_HEADING}{table.text if table else text}", table


def write_tables(text: str) -> Written | None:
    """Write the tables whose columns have names; None where a text has none."""
    lines = [unit for unit in units(text) if unit.kind in {BlockKind.HEADER, BlockKind.ROW}]
    writer = _Writer(text)
    names: list[str] = []
    table: int | None = None  # that is written
    is_framed = False  # with bars at both ends of its rows
    for unit, below in itertools.zip_longest(lines, lines[1:]):
        if len(writer.starts) > LONGEST:
            break
        if unit.kind is BlockKind.HEADER:
            has_rows = below is not None and below.group == unit.group
            table = unit.group if has_rows and unit.end - unit.start <= LONGEST_HEADER else None
            if table is not None and below is not None:
                is_framed = all(is_bordered(text[line.start : line.end].strip()) for line in (unit, below))
                names = [text[start:end] for start, end in _find_cells(text, unit.start, unit.end, is_framed)]
                writer.copy_until(unit.start)
                writer.leave_out_until(below.start)
        elif unit.group == table:
            writer.copy_until(unit.start)
            writer.write_row(list(_find_cells(text, unit.start, unit.end, is_framed)), names)
            writer.leave_out_until(unit.end)
    return writer.finish() if writer.text else None


@dataclass(slots=True)
class _Writer:
    """Writes a text from left to right."""

    source: str
    done: int = 0  # characters of the source that are written or left out
    text: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    def copy_until(self, end: int) -> None:
        """Write the source as far as there."""
        self.text.append(self.source[self.done : end])
        self.starts += range(self.done, end)
        self.ends += range(self.done + 1, end + 1)
        self.done = end

    def leave_out_until(self, end: int) -> None:
        """Go on behind a part of the source that is not written."""
        self.done = end

    def put(self, words: str, place: int) -> None:
        """Write words that stand for nothing in the source, at a place of it."""
        self.text.append(words)
        self.starts += [place] * len(words)
        self.ends += [place] * len(words)

    def write_row(self, cells: Sequence[tuple[int, int]], names: Sequence[str]) -> None:
        """Write the cells of a row that hold something, each but the first behind the name of its column."""
        before, last, first = "", 0, len(self.text)
        for number, (start, end) in enumerate(cells):
            if start < end:
                name = names[number] if 0 < number < len(names) else ""
                self.put(f"{before}{name} = " if name else before, start)
                self.leave_out_until(start)
                self.copy_until(end)
                before, last = "; " if number else ": ", end
        self.put(".", last)
        self.rows.append(Row(cells[0][0], last + 1, "".join(self.text[first:])))

    def finish(self) -> Written:
        """Write what is left of the source."""
        self.copy_until(len(self.source))
        return Written("".join(self.text), self.starts, self.ends, self.rows)


def _find_cells(text: str, start: int, end: int, is_framed: bool) -> Iterator[tuple[int, int]]:
    """Yield where the cells of a row are, without the white space at their edges."""
    row = text[start:end].strip()
    border = int(is_framed and is_bordered(row))
    first = text.index(row, start) + border
    last = first + len(row) - 2 * border
    for cell in text[first:last].split("|"):
        inner = cell.strip()
        begins = first + cell.index(inner)
        yield begins, begins + len(inner)
        first += len(cell) + 1
