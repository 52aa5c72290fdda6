"""Statements as PDFs, in the layouts that word processors, LaTeX, designers and browsers give them."""

import html
import io
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from benchmarks.statements.statement import Row, Statement

BEFORE = (
    "The following statement should be read together with the notes, which are an integral part of it. We have",
    "grown our business in 12 of our 14 markets, and we expect that this goes on in the year that lies before us.",
)
BEHIND = (
    "Our results were affected by the prices of energy, which rose by 14% in the first half of the year and fell after",
    "that. As we said in our last report, no more than 5 of our plants depend on them.",
)
_WIDTH, _HEIGHT, _MARGIN = 612.0, 792.0, 60.0
_CUT_AT = 720.0  # where the rows on a first page end
_GUTTER = 24.0  # between statements side by side


@dataclass(frozen=True, kw_only=True, slots=True)
class Style:
    """A way to set a statement."""

    font: str
    bold: str
    size: float
    indent: float = 10.0
    pitch: float = 13.0
    dollars_apart: bool = False  # at the left of their column
    word_by_word: bool = False  # without characters for the spaces
    rules_below_names: bool = False
    rules_across: bool = False
    rules_between: bool = False  # the rows
    is_title_centred: bool = False
    unit_is_first_name: bool = False
    widest_column: float = 84.0


WORD = Style(
    font="Times-Roman",
    bold="Times-Bold",
    size=10,
    dollars_apart=True,
    rules_below_names=True,
    is_title_centred=True,
)
LATEX = Style(font="Times-Roman", bold="Times-Bold", size=9.5, pitch=12, word_by_word=True, rules_across=True)
TYPEWRITER = Style(font="Courier", bold="Courier-Bold", size=7, pitch=10, dollars_apart=True, is_title_centred=True)
SPACED = Style(font="Helvetica", bold="Helvetica-Bold", size=8, pitch=25, rules_between=True)
DESIGN = Style(
    font="Helvetica",
    bold="Helvetica-Bold",
    size=8,
    indent=8,
    pitch=13.5,
    unit_is_first_name=True,
    widest_column=70,
)


@dataclass(slots=True)
class _Sheet:
    """The pages that a statement is set on."""

    style: Style
    out: io.BytesIO = field(default_factory=io.BytesIO)
    canvas: Canvas = field(init=False)
    y: float = _MARGIN
    page: int = 1

    def __post_init__(self) -> None:
        self.canvas = Canvas(self.out, pagesize=(_WIDTH, _HEIGHT))

    def put(self, text: str, x: float, *, bold: bool = False, size: float = 0.0, at: float = 0.0) -> float:
        """Set a text with its left edge at a place, or its right edge (at=1), or its middle (at=0.5)."""
        font, size = self.style.bold if bold else self.style.font, size or self.style.size
        width = stringWidth(text, font, size)
        x -= at * width
        self.canvas.setFont(font, size)
        if not self.style.word_by_word:
            self.canvas.drawString(x, _HEIGHT - self.y, text)
            return width
        place = x
        for word in text.split(" "):
            self.canvas.drawString(place, _HEIGHT - self.y, word)
            place += stringWidth(f"{word} ", font, size)
        return width

    def rule(self, x0: float, x1: float, below: float = 3.0) -> None:
        """Draw a line below what was set last."""
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, _HEIGHT - self.y - below, x1, _HEIGHT - self.y - below)

    def prose(self, lines: Sequence[str]) -> None:
        """Set a paragraph."""
        for line in lines:
            self.put(line, _MARGIN, size=self.style.size + 1 if self.style is TYPEWRITER else 10)
            self.y += 12.5
        self.y += 12

    def turn(self) -> None:
        """Begin a page."""
        self.y = _HEIGHT - 36
        self.put(str(self.page), _WIDTH / 2, at=0.5)
        self.canvas.showPage()
        self.page += 1
        self.y = _MARGIN


def set_statement(one: Statement, style: Style) -> bytes:
    """Set a statement between two paragraphs as a PDF."""
    sheet = _Sheet(style)
    sheet.prose(BEFORE)
    if one.cut_before:
        sheet.y = _CUT_AT - style.pitch * (4 + 1.3 * one.rows_before_cut)
    _put_title(one, sheet)
    start = sheet.y
    if one.beside is not None:
        half = (_WIDTH - 2 * _MARGIN - _GUTTER) / 2
        _put_table(one, sheet, _MARGIN, half)
        end, sheet.y = sheet.y, start
        _put_table(one.beside, sheet, _MARGIN + half + _GUTTER, half)
        sheet.y = max(end, sheet.y)
    else:
        _put_table(one, sheet, _MARGIN, _WIDTH - 2 * _MARGIN)
    sheet.y += 14
    sheet.prose(BEHIND)
    sheet.turn()
    sheet.canvas.save()
    return sheet.out.getvalue()


def _put_title(one: Statement, sheet: _Sheet) -> None:
    centred = sheet.style.is_title_centred
    x, at = (_WIDTH / 2, 0.5) if centred else (_MARGIN, 0.0)
    sheet.put(one.title, x, bold=True, size=sheet.style.size + (0 if centred else 4), at=at)
    sheet.y += 16
    if one.unit and not sheet.style.unit_is_first_name:
        sheet.put(one.unit, x, at=at)
        sheet.y += 16


def _put_table(one: Statement, sheet: _Sheet, x0: float, width: float) -> None:
    pitch = min(sheet.style.widest_column, (width * (0.62 if one.columns > 3 else 0.56)) / one.columns)
    rights = [x0 + width - pitch * (one.columns - 1 - column) for column in range(one.columns)]
    if sheet.style.rules_across:
        sheet.rule(x0, x0 + width, below=-9)
    _put_names(one, sheet, x0, rights, pitch)
    for row in one.rows:
        if one.cut_before and row.label == one.cut_before:
            sheet.turn()
            if one.repeats_header:
                _put_title(one, sheet)
                _put_names(one, sheet, x0, rights, pitch)
        _put_row(row, sheet, x0, rights, pitch, leaders=one.leaders, flush=one.flush)
    if sheet.style.rules_across:
        sheet.rule(x0, x0 + width, below=-9)


def _put_names(one: Statement, sheet: _Sheet, x0: float, rights: Sequence[float], pitch: float) -> None:
    """Set the names of the columns, their lines at the foot of their row."""
    for number, line in enumerate(one.header):
        is_lowest = number == len(one.header) - 1
        most = max(len(text.split("\n")) for text, _ in line)
        for level in range(most):
            place = 0
            for text, span in line:
                lines = text.split("\n")
                left, right = rights[place] - pitch + 8, rights[place + span - 1]
                place += span
                shown = level - (most - len(lines))
                if shown >= 0 and lines[shown]:
                    middle = span > 1 or sheet.style.dollars_apart
                    x, at = ((left + right) / 2, 0.5) if middle else (right, 1.0)
                    sheet.put(lines[shown], x, bold=sheet.style.dollars_apart, at=at)
                    if sheet.style.rules_below_names and level == most - 1:
                        sheet.rule(left, right)
            if is_lowest and level == most - 1 and sheet.style.unit_is_first_name and one.unit:
                sheet.put(one.unit, x0)
            sheet.y += sheet.style.pitch
    if sheet.style.rules_across:
        sheet.rule(x0, rights[-1], below=-9)
    sheet.y += 4


def _put_row(
    row: Row, sheet: _Sheet, x0: float, rights: Sequence[float], pitch: float, *, leaders: bool, flush: bool
) -> None:
    style = sheet.style
    x = x0 + style.indent * (0 if flush else row.depth)
    lines = list(_wrap(row.label, style, rights[0] - pitch - x if row.cells else _WIDTH - _MARGIN - x))
    is_total = row.label.startswith(("Total", "Summe"))
    for number, line in enumerate(lines):
        if number:
            sheet.y += style.pitch * 0.85
        width = sheet.put(line, x + (8 if number else 0), bold=is_total and style is DESIGN)
    if leaders:
        dots = " ." * int((rights[0] - pitch - x - width) / stringWidth(" .", style.font, style.size))
        sheet.put(dots, x + width)
    for cell, right in zip(row.cells, rights, strict=False):
        sign, _, amount = cell.rpartition("$ ")
        hangs = stringWidth(")", style.font, style.size) if amount.endswith(")") else 0.0
        sheet.put(
            f"{sign}{amount}" if style.dollars_apart or not cell.startswith("$") else f"${amount}", right + hangs, at=1
        )
        if style.dollars_apart and cell.startswith("$"):
            sheet.put("$", right - pitch + 10)
    if style.rules_between:
        sheet.rule(x0, rights[-1], below=9)
    if is_total and style.rules_below_names:
        for right in rights[: len(row.cells)]:
            sheet.rule(right - pitch + 8, right)
    sheet.y += style.pitch


def _wrap(text: str, style: Style, width: float) -> Iterator[str]:
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}".strip()
        if line and stringWidth(longer, style.font, style.size) > width:
            yield line
            line = word
        else:
            line = longer
    yield line


def write_page(one: Statement, *, banded: bool) -> str:
    """Write a statement as a web page. banded: with a colour behind every other row, as filings are."""
    tables = [_write_table(one, banded=banded)]
    if one.beside is not None:
        tables.append(_write_table(one.beside, banded=banded))
    width = "100%" if one.beside is None else "48%"
    display = "block" if one.beside is None else "inline-block;vertical-align:top"
    shown = "".join(f'<div style="width:{width};display:{display}">{table}</div> ' for table in tables)
    aligned = "center" if banded else "left"
    font = "10pt 'Times New Roman', serif" if banded else "9.5pt Arial, sans-serif"
    room = f'<div style="height:{max(0, 640 - 24 * one.rows_before_cut)}px"></div>' if one.cut_before else ""
    unit = f'<p style="text-align:{aligned}">{html.escape(one.unit)}</p>' if one.unit else ""
    return (
        f"<!doctype html><meta charset=utf-8><style>body{{font:{font}}} table{{border-collapse:collapse;width:100%}}"
        "td,th{padding:2px;vertical-align:bottom} .n{text-align:right;white-space:nowrap} p{margin:8px 0}"
        f"tr{{page-break-inside:avoid}}</style><p>{' '.join(BEFORE)}</p>{room}"
        f'<p style="text-align:{aligned}"><b>{html.escape(one.title)}</b></p>{unit}{shown}<p>{" ".join(BEHIND)}</p>'
    )


def _write_table(one: Statement, *, banded: bool) -> str:
    head = "".join(f"<tr><td></td>{_write_names(line)}</tr>" for line in one.header)
    width = 55 / one.columns
    widths = [45, *([0.1 * width, 0.15 * width, 0.65 * width, 0.1 * width] * one.columns)]
    columns = "".join(f"<col style='width:{width:.1f}%'>" for width in widths) if one.cut_before else ""
    begin = f"<table style='table-layout:{'fixed' if one.cut_before else 'auto'}'>{columns}"
    written = f"{begin}{head}"
    for number, row in enumerate(one.rows):
        if one.cut_before and row.label == one.cut_before:
            again = f"<p><b>{html.escape(one.title)} (continued)</b></p>" if one.repeats_header else ""
            written += f"</table><div style='page-break-before:always'></div>{again}{begin}"
            written += head if one.repeats_header else ""
        colour = "background:#cceeff" if banded and number % 2 == 0 else ""
        cells = "".join(map(_write_cell, row.cells)) or "<td></td>" * 4 * one.columns
        label = f'<td style="padding-left:{4 + 14 * (0 if one.flush else row.depth)}px">{html.escape(row.label)}</td>'
        written += f'<tr style="{colour}">{label}{cells}</tr>'
    return f"{written}</table>"


def _write_names(line: Sequence[tuple[str, int]]) -> str:
    written = ""
    for text, span in line:
        ruled = "border-bottom:1px solid black" if text else ""
        said = html.escape(text).replace("\n", "<br>")
        written += (
            f'<td></td><td colspan="{4 * span - 2}" style="text-align:center;{ruled}"><b>{said}</b></td><td></td>'
        )
    return written


def _write_cell(cell: str) -> str:
    sign, _, amount = cell.rpartition("$ ")
    dollar = "$" if cell.startswith("$") else ""
    closing = ")" if amount.endswith(")") else "%" if amount.endswith(" %") else ""
    amount = amount.removesuffix(closing).strip() if closing else amount
    return f'<td style="width:8px"></td><td>{dollar}</td><td class="n">{sign}{amount}</td><td>{closing}</td>'


def print_page(page: str) -> bytes:
    """Print a web page with a browser. FileNotFoundError where none is installed."""
    browser = find_browser()
    if browser is None:
        raise FileNotFoundError("chromium")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "page.html", Path(folder) / "page.pdf"
        source.write_text(page, encoding="utf-8")
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder}/profile",
        ]
        subprocess.run(
            [browser, *options, f"--print-to-pdf={target}", source.as_uri()],
            check=True,
            capture_output=True,
            timeout=120,
        )
        return target.read_bytes()


def find_browser() -> str | None:
    """Find the browser that prints web pages; None where none is installed."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


LAYOUTS: dict[str, Callable[[Statement], bytes]] = {
    "word processor": lambda one: set_statement(one, WORD),
    "LaTeX": lambda one: set_statement(one, LATEX),
    "typewriter": lambda one: set_statement(one, TYPEWRITER),
    "spaced": lambda one: set_statement(one, SPACED),
    "design": lambda one: set_statement(one, DESIGN),
    "filing": lambda one: print_page(write_page(one, banded=True)),
    "web page": lambda one: print_page(write_page(one, banded=False)),
}
