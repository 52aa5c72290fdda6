"""Leave out what stands on pages without belonging to the text: running headers and footers, page numbers, contents.

Lists and tables that are sorted by a number look much like a table of contents, which repeats the headings. It has
leaders between title and number or a heading that names it, or its titles stand on the pages that follow.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from core.language.nlp.headings import drop_number
from core.library.ingestion.parsers.grid import looks_like_value
from core.library.ingestion.parsers.pdf.columns import in_reading_order
from core.library.ingestion.parsers.pdf.lines import Page, PdfLine
from core.library.ingestion.parsers.pdf.rows import PageRow, read_rows

_MARGIN = 0.1  # share of the page's height at its top and bottom in which headers and footers stand
_LEAST_PAGES = 3  # a line that repeats on fewer pages is text
_LEAST_SHARE = 0.2  # and so is one on a smaller share of them (odd and even pages differ, chapters too)
_NUMBERED = r"(?:page|seite)\s+\d+(?:\s*(?:of|/|von)\s*\d+)?"
_PAGE_NUMBER = re.compile(  # and the words that tell to turn the page
    rf"[-–—\s|]*(?:\d{{1,4}}|[ivxlc]{{1,6}})[-–—\s|]*|{_NUMBERED}(?:\s+\S+)?|\((?:more|continued|over)\)",
    re.IGNORECASE,
)
_NUMBERED_PAGE = re.compile(_NUMBERED, re.IGNORECASE)
_FIGURES = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")

_ENTRY = re.compile(r"(?<=\D[\s.…·])(\d{1,4})$")
_LEADERS = re.compile(r"(?:\.\s?){4,}|…\s?…|(?:·\s?){4,}|_{4,}")
_NAMED = re.compile(
    r"(?:table of )?contents|(?:list of|index of) (?:figures|tables|illustrations|appendices)|index|inhalt"
    r"|inhaltsverzeichnis|inhaltsübersicht|sommaire|table des matières|índice(?: general)?"
    r"|contenidos?|tabla de contenidos?",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_LEAST_ENTRIES = 8
_LEAST_CONTENTS_SHARE = 0.4  # of the lines of a page that are entries
_ASCENDING = 0.85  # share of the entries whose number is not lower than the one before
_FIRST_PAGES = 12  # a table of contents stands on one of them
_LEAST_CONTENTS_PAGES = 4  # of a document with a table of contents
_NUMBERED_FROM = 20  # pages that may be numbered before the first of the file
_LEADERS_SHARE = 0.3  # of the entries that have leaders, in a table of contents that has any
_FOUND_SHARE = 0.3  # of the titles that stand as lines on the pages that follow
_TO_THE_END = 0.7  # of the pages, up to which entries lead that are all of a page, where nothing else tells it
_LONG_DOCUMENT = 10  # pages
_MUCH_ELSE = 600  # characters beside the entries, from which they are text of their own


def without_furniture(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Return the pages without running headers and footers, page numbers and tables of contents.

    Where nothing would be left, what looks like these is the text.
    """
    repeated = _find_repeated(pages)
    stamps: set[str] = set()  # a stamp is text on the first page that has it
    texts = []
    for page in pages:
        new = tuple(line for line in page.turned if _make_pattern(line) not in stamps)
        texts.append(replace(page, lines=_without_running_lines(page, repeated), turned=new))
        stamps |= {_make_pattern(line) for line in page.turned}
    cleaned = without_contents(tuple(texts))
    return next((each for each in (cleaned, tuple(texts)) if any(page.lines for page in each)), pages)


def _without_running_lines(page: Page, repeated: set[str]) -> tuple[PdfLine, ...]:
    running = [line for line in page.lines if _is_furniture(line, page, repeated)]
    text = [line for line in page.lines if line not in running]
    kept = tuple(line for line in page.lines if line in text or _is_figure(line, text))
    # Without page numbers that are the page's first or last lines, wherever its text begins and ends.
    by_height = sorted(kept, key=lambda line: line.y0)
    edges = set(takewhile(_is_page_number, by_height)) | set(takewhile(_is_page_number, reversed(by_height)))
    return tuple(line for line in kept if line not in edges or _is_figure(line, kept))


def _in_margin(line: PdfLine, page: Page) -> bool:
    return line.y1 < page.height * _MARGIN or line.y0 > page.height * (1 - _MARGIN)


def _find_repeated(pages: tuple[Page, ...]) -> set[str]:
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_make_pattern(line) for line in page.lines if _in_margin(line, page)})
    least = max(_LEAST_PAGES, len(pages) * _LEAST_SHARE)
    return {pattern for pattern, count in seen.items() if count >= least}


def _make_pattern(line: PdfLine) -> str:
    return _FIGURES.sub("#", line.text).casefold()


def _is_furniture(line: PdfLine, page: Page, repeated: set[str]) -> bool:
    if not _in_margin(line, page):
        return False
    numbered = any(_NUMBERED_PAGE.fullmatch(part.text) for part in line.parts)
    return numbered or _make_pattern(line) in repeated or _is_page_number(line)


def _is_figure(line: PdfLine, text: Iterable[PdfLine]) -> bool:
    """Return True if a number is no page's but stands in a row of a table, beside what it is the figure of."""
    middle = (line.y0 + line.y1) / 2
    beside = (other for other in text if other != line and other.y0 <= middle <= other.y1)
    return bool(_FIGURES.fullmatch(line.text)) and any(_LETTER.search(other.text) for other in beside)


def _is_page_number(line: PdfLine) -> bool:
    return bool(_PAGE_NUMBER.fullmatch(line.text))


def without_contents(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """Return the pages without tables of contents."""
    if len(pages) < _LEAST_CONTENTS_PAGES:
        return pages
    cleaned: list[Page] = []
    goes_on = False
    for page in pages:
        rows = _read_page_rows(page) if page.number <= _FIRST_PAGES else []
        entries = _find_entries(rows, len(pages))
        goes_on = bool(entries) and (goes_on or _is_contents(entries, rows, page.number, pages))
        if goes_on:
            numbered = {line for row in rows if _ENTRY.search(_join_text(row)) for line in row.lines}
            rest = tuple(line for line in page.lines if line not in numbered)
            page = replace(page, lines=rest if sum(len(line.text) for line in rest) > _MUCH_ELSE else ())
        cleaned.append(page)
    return tuple(cleaned)


def _read_page_rows(page: Page) -> list[PageRow]:
    """Return the rows of a page's columns, as they are read: a title and its number may be lines apart."""
    return [row for column in in_reading_order(page.lines, page.width) for row in read_rows(column)]


def _join_text(row: PageRow) -> str:
    return " ".join(part.text for part in row.parts)


def _find_entries(rows: Sequence[PageRow], page_count: int) -> list[PageRow]:
    """Return the rows that end in a number, if they are many and the numbers ascend, which those of figures do not."""
    with_one_figure = [row for row in rows if sum(looks_like_value(part.text) for part in row.parts[1:]) <= 1]
    found = [row for row in with_one_figure if _ENTRY.search(_join_text(row))]
    numbers = [_read_number(row) for row in found]
    if len(found) < _LEAST_ENTRIES or len(found) < _LEAST_CONTENTS_SHARE * len(rows):
        return []
    ascending = sum(a <= b for a, b in pairwise(numbers))
    is_sorted = ascending >= (len(numbers) - 1) * _ASCENDING
    return found if is_sorted and max(numbers) <= page_count + _NUMBERED_FROM else []


def _read_number(row: PageRow) -> int:
    found = _ENTRY.search(_join_text(row))
    return int(found[1]) if found else 0


def _is_contents(entries: Sequence[PageRow], rows: Sequence[PageRow], number: int, pages: Sequence[Page]) -> bool:
    last = max(map(_read_number, entries))
    leaders = sum(bool(_LEADERS.search(_join_text(row))) for row in entries)
    if last <= len(pages) and leaders >= _LEADERS_SHARE * len(entries):
        return True
    if any(_NAMED.fullmatch(_join_text(row).strip(" .:")) for row in rows):
        return True
    if _share_found(entries, pages[number:]) >= _FOUND_SHARE:
        return True
    fills_page = all(row in entries and row.parts[-1].text.isdigit() for row in rows)
    return fills_page and len(pages) >= _LONG_DOCUMENT and _TO_THE_END * len(pages) <= last <= len(pages)


def _share_found(entries: Sequence[PageRow], following: Iterable[Page]) -> float:
    """Return the share of the titles that stand as lines on other pages."""
    lines = {_make_key(line.text) for page in following for line in page.lines}
    titles = [_make_key(_ENTRY.sub("", _join_text(row))) for row in entries]
    return sum(bool(title) and title in lines for title in titles) / len(titles)


def _make_key(text: str) -> str:
    return " ".join(word.casefold() for word in _WORD.findall(drop_number(_LEADERS.sub(" ", text).strip())))
