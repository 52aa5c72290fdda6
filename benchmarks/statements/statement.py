"""A financial statement without its layout, and what each of its figures is.

A row is written with two spaces for each step that its label is indented, and bars between its cells. Where a row
without figures is followed by rows that are indented more, their labels are read behind its own.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A row of a statement."""

    depth: int  # how far its label is indented
    label: str
    cells: tuple[str, ...]  # "" where one is empty; none of a heading within the table
    group: tuple[str, ...]  # the labels that it stands under


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """A figure of a statement with what names it."""

    label: str
    period: str
    amount: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """A statement, without its layout."""

    name: str
    title: str
    unit: str
    header: tuple[tuple[tuple[str, int], ...], ...]  # its lines: names, and over how many columns each stands
    body: str
    beside: "Statement | None" = None  # set right of it
    flush: bool = False  # its labels are not indented
    leaders: bool = False  # dots lead from the labels to the figures
    cut_before: str = ""  # the label of the first row on a second page
    repeats_header: bool = True  # on that page

    @property
    def columns(self) -> int:
        """Count its columns of figures."""
        return sum(span for _, span in self.header[-1])

    @property
    def rows(self) -> list[Row]:
        """The rows of its body."""
        found: list[Row] = []
        above: list[tuple[int, str]] = []
        for line in self.body.strip("\n").splitlines():
            label, *cells = (cell.strip() for cell in line.split("|"))
            depth = (len(line) - len(line.lstrip())) // 2
            above = [(other, name) for other, name in above if other < depth]
            found.append(Row(depth=depth, label=label, cells=tuple(cells), group=tuple(name for _, name in above)))
            if not cells:
                above.append((depth, label))
        return found

    @property
    def rows_before_cut(self) -> int:
        """Count the rows on its first page; 0 where it has one page."""
        return next((number for number, row in enumerate(self.rows) if row.label == self.cut_before), 0)

    @property
    def periods(self) -> list[str]:
        """The names of its columns, from the top down."""
        names: list[list[str]] = [[] for _ in range(self.columns)]
        for line in self.header:
            place = 0
            for text, span in line:
                for column in range(place, place + span):
                    names[column].append(text.replace("\n", " "))
                place += span
        return [" ".join(filter(None, name)) for name in names]

    @property
    def figures(self) -> list[Figure]:
        """Its figures, but for those of a statement beside it."""
        return [
            Figure(label=" ".join([*row.group, row.label]), period=period, amount=cell)
            for row in self.rows
            for period, cell in zip(self.periods, row.cells, strict=False)
            if any(map(str.isdigit, cell))
        ]
