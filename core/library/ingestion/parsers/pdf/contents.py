"""The tables of contents of a PDF, which repeat its headings and are left out.

Lists and tables that are sorted by a number look much the same. A table of contents has leaders between title and
number or a heading that names it, or its titles stand on the pages that follow.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from core.language.nlp.headings import drop_number
from core.library.ingestion.parsers.grid import looks_like_value
from core.library.ingestion.parsers.pdf.columns import in_reading_order
from core.library.ingestion.parsers.pdf.lines import Page
from core.library.ingestion.parsers.pdf.rows import PageRow, read_rows

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
_LEAST_SHARE = 0.4  # of the lines of a page that are entries
_ASCENDING = 0.85  # share of the entries whose number is not lower than the one before
_FIRST_PAGES = 12  # a table of contents stands on one of them
_LEAST_PAGES = 4  # of a document with a table of contents
_NUMBERED_FROM = 20  # pages that may be numbered before the first of the file
_LEADERS_SHARE = 0.3  # of the entries that have leaders, in a table of contents that has any
_FOUND_SHARE = 0.3  # of the titles that stand as lines on the pages that follow
_TO_THE_END = 0.7  # of the pages, up to which entries lead that are all of a page, where nothing else tells it
_LONG_DOCUMENT = 10  # pages
_MUCH_ELSE = 600  # characters beside the entries, from which they are text of their own


def without_contents(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """The pages without tables of contents."""
    if len(pages) < _LEAST_PAGES:
        return pages
    cleaned: list[Page] = []
    goes_on = False
    for page in pages:
        rows = _rows(page) if page.number <= _FIRST_PAGES else []
        entries = _entries(rows, len(pages))
        goes_on = bool(entries) and (goes_on or _is_contents(entries, rows, page.number, pages))
        if goes_on:
            numbered = {line for row in rows if _ENTRY.search(_text(row)) for line in row.lines}
            rest = tuple(line for line in page.lines if line not in numbered)
            page = replace(page, lines=rest if sum(len(line.text) for line in rest) > _MUCH_ELSE else ())
        cleaned.append(page)
    return tuple(cleaned)


def _rows(page: Page) -> list[PageRow]:
    """The rows of a page's columns, as they are read: a title and its number may be lines apart."""
    return [row for column in in_reading_order(page.lines, page.width) for row in read_rows(column)]


def _text(row: PageRow) -> str:
    return " ".join(part.text for part in row.parts)


def _entries(rows: Sequence[PageRow], page_count: int) -> list[PageRow]:
    """The rows that end in a number, if they are many and the numbers ascend, which those of figures do not."""
    with_one_figure = [row for row in rows if sum(looks_like_value(part.text) for part in row.parts[1:]) <= 1]
    found = [row for row in with_one_figure if _ENTRY.search(_text(row))]
    numbers = [_number(row) for row in found]
    if len(found) < _LEAST_ENTRIES or len(found) < _LEAST_SHARE * len(rows):
        return []
    ascending = sum(a <= b for a, b in pairwise(numbers))
    is_sorted = ascending >= (len(numbers) - 1) * _ASCENDING
    return found if is_sorted and max(numbers) <= page_count + _NUMBERED_FROM else []


def _number(row: PageRow) -> int:
    found = _ENTRY.search(_text(row))
    return int(found[1]) if found else 0


def _is_contents(entries: Sequence[PageRow], rows: Sequence[PageRow], number: int, pages: Sequence[Page]) -> bool:
    last = max(map(_number, entries))
    leaders = sum(bool(_LEADERS.search(_text(row))) for row in entries)
    if last <= len(pages) and leaders >= _LEADERS_SHARE * len(entries):
        return True
    if any(_NAMED.fullmatch(_text(row).strip(" .:")) for row in rows):
        return True
    if _share_found(entries, pages[number:]) >= _FOUND_SHARE:
        return True
    fills_page = all(row in entries and row.parts[-1].text.isdigit() for row in rows)
    return fills_page and len(pages) >= _LONG_DOCUMENT and _TO_THE_END * len(pages) <= last <= len(pages)


def _share_found(entries: Sequence[PageRow], following: Iterable[Page]) -> float:
    """The share of the titles that stand as lines on other pages."""
    lines = {_key(line.text) for page in following for line in page.lines}
    titles = [_key(_ENTRY.sub("", _text(row))) for row in entries]
    return sum(bool(title) and title in lines for title in titles) / len(titles)


def _key(text: str) -> str:
    return " ".join(word.casefold() for word in _WORD.findall(drop_number(_LEADERS.sub(" ", text).strip())))
