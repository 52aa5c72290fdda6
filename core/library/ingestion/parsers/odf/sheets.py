"""ODS: the sheets of a workbook, each a section, with their cells as the sheet shows them."""

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.errors import make_too_many_cells_error
from core.library.ingestion.extent import Found, Loss, Tally
from core.library.ingestion.naming import title_from_name
from core.library.ingestion.parsers.comments import Comments
from core.library.ingestion.parsers.grid import MOST_CELLS, write_grid
from core.library.ingestion.parsers.odf.content import has_header_rows, read_sheet_comments, rows_of
from core.library.ingestion.parsers.odf.frames import Frames
from core.library.ingestion.parsers.odf.package import Package, children, get, named
from core.library.ingestion.parsers.outline import Outline

_SHEET_LEVEL = 2


def parse_ods(content: bytes, name: str) -> ParsedDocument:
    """Parse a workbook without its hidden sheets, rows and columns.

    EncryptedFileError when it needs a password, UnreadableFileError when it is damaged or has more than MOST_CELLS.
    """
    package = Package(content, name, "office:spreadsheet")
    title = package.title or title_from_name(name)
    outline = Outline(title)
    tally = Tally()
    comments = Comments(tally)
    frames = Frames(package, tally, name)
    left = MOST_CELLS
    for sheet in children(package.body):
        if sheet.tag != named("table:table"):
            continue
        tally.find(Found.PAGES)
        if package.styles.has(get(sheet, "table:style-name"), "table:display", "false"):
            tally.leave_out(Loss.HIDDEN_PAGES)
            continue
        called = get(sheet, "table:name")
        rows = rows_of(sheet, package.styles, left, name)
        pictures = [
            text for frame in sheet.iter(named("draw:frame")) for text in frames.describe(frame) if text.strip()
        ]
        if pictures or any(cell.text for row in rows for cell in row):
            outline.heading(_SHEET_LEVEL, called)
        left -= write_grid(rows, outline, name, called=called, names_columns=has_header_rows(sheet))
        if left < 0:
            raise make_too_many_cells_error(name, MOST_CELLS)
        for text in pictures:
            outline.text(text)
        read_sheet_comments(sheet, package.styles, comments)
    return ParsedDocument(
        **package.describe(title), blocks=outline.blocks, extent=tally.extent, comments=comments.blocks
    )
