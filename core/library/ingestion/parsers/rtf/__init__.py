"""RTF: control words read into paragraphs, and those into headings, lists and tables."""

import re
from itertools import groupby

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_unreadable_error
from core.library.ingestion.extent import Loss, Tally
from core.library.ingestion.naming import date_in_name, date_in_words, title_from_name
from core.library.ingestion.parsers.grid import Cell, looks_like_value, write_grid_in_text
from core.library.ingestion.parsers.header import describe
from core.library.ingestion.parsers.outline import Outline
from core.library.ingestion.parsers.rtf.reader import Paragraph, Row, Written, parts_of, read_rtf
from core.library.ingestion.parsers.written import item

_MARK = b"{\\rtf"
_HEADING = re.compile(r"heading (\d)")
_NUMBER = re.compile(r"(\d{1,3})[.)]")
_BOLD_LEVEL = 7  # below those that have styles
_MOST_HEADING = 120  # characters of a bold line that serves as a heading


def parse_rtf(content: bytes, name: str) -> ParsedDocument:
    """Parse a text. UnreadableFileError when it is none, or is nested absurdly deep."""
    if not content.lstrip().startswith(_MARK):
        raise make_unreadable_error(name, "it does not begin as RTF does")
    written = read_rtf(content.lstrip().decode("latin-1"), name)
    title = _find_title(written, name)
    outline = Outline(title)
    for is_item, parts in groupby(parts_of(written), key=lambda part: isinstance(part, Paragraph) and bool(part.mark)):
        if is_item:
            outline.text("\n".join(_write_item(part) for part in parts if isinstance(part, Paragraph)))
            continue
        for part in parts:
            _write_part(part, outline, name, title)
    date = date_in_name(name) or date_in_words(title)
    tally = Tally()
    tally.leave_out(Loss.CUT_OFF, int(written.is_cut_off))
    return ParsedDocument(**describe(title, one_line(written.author), date), blocks=outline.blocks, extent=tally.extent)


def _find_title(written: Written, name: str) -> str:
    """Return the first paragraph in the style for titles, else what the file states, else its name."""
    shown = (part.text for part in written.parts if isinstance(part, Paragraph) and part.style == "title")
    candidates = (next(shown, ""), written.title)
    return next((line for text in candidates if (line := one_line(text, MAX_TITLE))), title_from_name(name))


def _write_item(paragraph: Paragraph) -> str:
    counted = _NUMBER.fullmatch(paragraph.mark)
    return item(paragraph.text, depth=paragraph.depth, number=int(counted[1]) if counted else None)


def _write_part(part: Paragraph | list[Row], outline: Outline, name: str, title: str) -> None:
    if isinstance(part, list):
        rows = [
            [Cell(text=cell.text, is_value=looks_like_value(cell.text), is_bold=cell.is_bold) for cell in row.cells]
            for row in part
        ]
        write_grid_in_text(rows, outline, name, names_columns=part[0].is_header)
    elif part.style == "title":
        if one_line(part.text, MAX_TITLE) != title:
            outline.text(part.text)  # a further one
    else:
        level = _find_level(part)
        if level is None:
            outline.text(part.text)
        else:
            outline.heading(level, part.text)


def _find_level(paragraph: Paragraph) -> int | None:
    """The level of the heading that a paragraph is, by its style or because it is a short bold line; None for text."""
    named = _HEADING.fullmatch(paragraph.style)
    if named or paragraph.level:
        return int(named[1]) if named else paragraph.level
    text = paragraph.text.strip()
    is_label = paragraph.is_bold and len(text) <= _MOST_HEADING and "\n" not in text and text[-1] not in ".:,;"
    return _BOLD_LEVEL if is_label else None
