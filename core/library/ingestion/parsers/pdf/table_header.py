"""Read the lines above the figures of a PDF's table: names of columns, the unit, headings of its first rows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.library.ingestion.parsers.grid import tells_unit
from core.library.ingestion.parsers.pdf.lines import LinePart
from core.library.ingestion.parsers.pdf.rows import PageRow, is_value
from core.library.ingestion.parsers.pdf.table_columns import INDENT, MOST_COLUMNS, Edge, cells_of
from core.library.ingestion.parsers.written import names_period

_FAR = 1.6  # times the height of a row, that what belongs together is apart at most
_RIGHT_ABOVE = 1.5  # a line that tells the unit, whatever else it says
_FAR_ABOVE = 2.6  # names above the figures, and a unit above those
_FARTHEST = 4.0  # where the rows of the table are that far apart themselves
_SLACK = 1.1
_MOST_ROWS = 6  # of names
_MOST_HEADINGS = 5
_MOST_CAPTION = 120  # characters
_MOST_NAME = 60
_MOST_WORDS_OF_NAME = 4  # that begins in lower case, or ends as a sentence does
_LARGER = 1.15  # times the size of the type of the figures, from which a line is a heading
_CAPTION = re.compile(r"(?:table|tab\.|tabelle|tableau|tabla)\s+[\dA-Z]", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}[./-]\s?\d{1,2}[./-](?:\d\d)?\d\d")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTH = (
    r"jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|ene|abr|ago|dic|fév|fev|avr|juin|juil|aoû|déc|q[1-4]"
    r"|h[12]|fy|ttm|spring|summer|fall|winter|as\sof|year|quarter|months?\b"
)
_PERIOD_WORD = re.compile(_MONTH, re.IGNORECASE)
_OPENS_UNIT = re.compile(
    r"[^\w\s]|(?:in|en|for|as|at|all|amounts|figures|thousands|millions|[a-z]{3}|[tkm]€)\b", re.IGNORECASE
)
_ABBREVIATED = ("Mio.", "Mrd.", "Tsd.")


@dataclass(frozen=True, kw_only=True, slots=True)
class TableHeader:
    """Holds the lines above the rows of a table."""

    start: int  # of the first of its rows, among those of the page
    names: tuple[PageRow, ...]
    headings: tuple[PageRow, ...]  # of the first rows, below the names
    captions: tuple[PageRow, ...]  # that tell the unit, or number the table


def is_name(text: str) -> bool:
    """Return True if a text may name a column: words, a year, a date."""
    if names_period(text) or _DATE.fullmatch(text):
        return True
    if _YEAR.search(text) and _PERIOD_WORD.search(text):
        return True
    return not is_value(text)


def tells_period(text: str) -> bool:
    """Return True if a text is a year, a date, or has one."""
    return names_period(text) or bool(_DATE.fullmatch(text)) or bool(_YEAR.search(text) and len(text) <= _MOST_NAME)


def names_columns(row: PageRow, edges: Sequence[Edge]) -> bool:
    """Return True if a row may name columns: above the figures stand words, years or dates."""
    behind = [cell for cell in cells_of(row, edges)[1:] if cell]
    return bool(behind) and all(map(is_name, behind))


def read_header(rows: Sequence[PageRow], first: int, floor: int, edges: Sequence[Edge]) -> TableHeader:
    """Read upwards from the first row with figures. floor: the first row that may belong to the table."""
    names: list[PageRow] = []
    waiting: list[PageRow] = []  # single lines whose part is told by what stands above them
    headings: list[PageRow] = []
    captions: list[PageRow] = []
    start = place = first
    apart = [below.y0 - above.y1 for above, below in pairwise(rows[first : first + _MOST_HEADINGS])]
    far = min(median(apart) * _SLACK if apart else 0.0, _FARTHEST * rows[first].height)
    while place > floor and len(names) < _MOST_ROWS and len(waiting) < _MOST_HEADINGS:
        row, below = rows[place - 1], rows[place]
        if below.y0 - row.y1 > max(far, _FAR_ABOVE * min(row.height, below.height)) or _is_larger(row, rows[first]):
            break
        place -= 1
        if _is_caption(row, below, edges, has_names=bool(names)):
            captions.insert(0, row)
            if not names and not waiting:
                start = place
                continue
            if names:
                start = place
            continue
        if _stands_over(row, edges) and not _end_above(captions, names):
            if not names:
                headings = waiting
            names.insert(0, row)
            waiting = []
            start = place
        elif not names and _is_heading(row, below, edges, far):
            waiting.insert(0, row)
        else:
            break
    if not names:
        headings = _headings_alone(waiting, rows[first])
        start = first - len(headings) if headings or not captions else start
        captions = captions if not headings and start < first else []
    return TableHeader(start=start, names=tuple(names), headings=tuple(headings), captions=tuple(captions))


def _end_above(captions: Sequence[PageRow], names: Sequence[PageRow]) -> bool:
    """Return True if a caption stands above names already, so that nothing above it is a name."""
    return bool(captions and names and captions[0].y0 < names[0].y0 and not _is_beside(captions[0], names[0]))


def _is_beside(one: PageRow, other: PageRow) -> bool:
    return abs(one.y0 - other.y0) < one.height


def _is_larger(row: PageRow, figures: PageRow) -> bool:
    """Return True for the type of a heading, which is above the table and not in it."""
    return max(line.size for line in row.lines) > _LARGER * max(line.size for line in figures.lines)


def _stands_over(row: PageRow, edges: Sequence[Edge]) -> bool:
    """Return True if the parts of a row stand over columns of figures, and not over the labels alone."""
    if len(row.parts) > len(edges) or any(_is_sentence(part.text) for part in row.parts):
        return False
    over = [part for part in row.parts if _is_over(part, edges)]
    if not over or not all(is_name(part.text) for part in row.parts):
        return False
    rest = [part for part in row.parts if part not in over]
    if len(rest) > 1 or (rest and row.parts[0] is not rest[0]):
        return False
    return bool(rest) or len(over) > 1 or not _is_title(over[0], edges)


def _is_sentence(text: str) -> bool:
    """Return True for a text that is longer than a name, or a piece of a sentence."""
    if len(text) <= _MOST_NAME and (_PERIOD_WORD.search(text) or tells_unit(text)):
        return False
    is_long = text.count(" ") >= _MOST_WORDS_OF_NAME
    ends = text[:1].islower() and text.endswith(".")
    return (
        len(text) > _MOST_NAME
        or ends
        or ". " in text
        or (is_long and (text.endswith((".", ";")) or text[:1].islower()))
    )


def _is_over(part: LinePart, edges: Sequence[Edge]) -> bool:
    """Return True if a part stands over columns of figures: its middle does, and it begins behind most labels."""
    middle = (part.x0 + part.x1) / 2
    begins = part.x0 >= edges[0][1] - INDENT or part.x0 >= edges[0][0] + (edges[1][0] - edges[0][0]) / 3
    return begins and edges[0][1] - INDENT <= middle <= edges[-1][1] + INDENT and part.x0 <= edges[-1][1]


def _is_title(part: LinePart, edges: Sequence[Edge]) -> bool:
    """Return True if a part stands in the middle of the table, rather than of its figures."""
    if len(edges) > MOST_COLUMNS or (tells_period(part.text) and part.x0 >= edges[0][1] - INDENT):
        return False
    middle = (part.x0 + part.x1) / 2
    of_table = abs(middle - (edges[0][0] + edges[-1][1]) / 2)
    own = [(edges[i][0] + edges[j][1]) / 2 for i in range(1, len(edges)) for j in range(i, len(edges))]
    rights = [abs(part.x1 - right) for _, right in edges[1:]]
    return of_table <= 2 * INDENT and of_table < min([*rights, *(abs(middle - one) for one in own)])


def _is_caption(row: PageRow, below: PageRow, edges: Sequence[Edge], *, has_names: bool) -> bool:
    """Return True for a line that tells the unit of all figures, or a table's number, and is no name of one column."""
    text, gap = row.parts[0].text, below.y0 - row.y1
    if len(row.parts) != 1 or len(text) > _MOST_CAPTION:
        return False
    if _CAPTION.match(text) and gap <= _FAR * row.height:
        return True
    if row.is_bold and not _OPENS_UNIT.match(text.casefold()):
        return False  # a heading
    is_over_all = has_names or _is_title(row.parts[0], edges) or _is_wide(row, edges)
    return is_over_all and tells_unit_of_all(text, gap, row.height)


def tells_unit_of_all(text: str, gap: float, height: float) -> bool:
    """Return True if a line tells what figures are counted in. gap: to what stands below. height: of its type."""
    if gap > _FAR_ABOVE * height or len(text) > _MOST_CAPTION or not tells_unit(text):
        return False
    if gap <= _RIGHT_ABOVE * height:
        return True
    return bool(_OPENS_UNIT.match(text)) and (not text.endswith(".") or text.endswith(_ABBREVIATED))


def _is_wide(row: PageRow, edges: Sequence[Edge]) -> bool:
    """Return True if a line is over the labels or over several columns, and so holds for all."""
    part = row.parts[0]
    return part.x0 < edges[0][1] or len(edges) == 2 or (part.x0 <= edges[1][1] and part.x1 >= edges[2][0])


def _is_heading(row: PageRow, below: PageRow, edges: Sequence[Edge], far: float) -> bool:
    """Return True if a line may be the heading of rows: a label without figures. far: as the rows are apart."""
    part = row.parts[0]
    near = below.y0 - row.y1 <= max(_FAR * row.height, far)
    at_left = edges[0][0] - 10 * INDENT <= part.x0 < edges[0][1]
    return near and len(row.parts) == 1 and at_left and part.x1 < edges[-1][1] and not part.text.endswith((".", ";"))


def _headings_alone(waiting: Sequence[PageRow], first: PageRow) -> list[PageRow]:
    """Return lines right above rows whose columns have no names, that tell by a colon or their place that they head."""
    headings: list[PageRow] = []
    below = first
    for row in reversed(waiting):
        is_over_indented = row.parts[0].x0 + INDENT <= below.parts[0].x0
        if not is_over_indented or not row.parts[0].text[:1].isupper() or len(row.parts[0].text) > _MOST_NAME:
            break
        headings.insert(0, row)
        below = row
    return headings
