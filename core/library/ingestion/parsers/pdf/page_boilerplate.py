"""What stands on pages without belonging to the text: running headers and footers, page numbers."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from core.library.ingestion.parsers.pdf.contents import without_contents
from core.library.ingestion.parsers.pdf.lines import Page, PdfLine

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


def without_furniture(pages: tuple[Page, ...]) -> tuple[Page, ...]:
    """The pages without running headers and footers, page numbers and tables of contents.

    Where nothing would be left, what looks like these is the text.
    """
    repeated = _find_repeated(pages)
    stamps: set[str] = set()  # a stamp is text on the first page that has it
    texts = []
    for page in pages:
        new = tuple(line for line in page.turned if _pattern(line) not in stamps)
        texts.append(replace(page, lines=_without_running_lines(page, repeated), turned=new))
        stamps |= {_pattern(line) for line in page.turned}
    cleaned = without_contents(tuple(texts))
    return next((each for each in (cleaned, tuple(texts)) if any(page.lines for page in each)), pages)


def _without_running_lines(page: Page, repeated: set[str]) -> tuple[PdfLine, ...]:
    running = [line for line in page.lines if _is_furniture(line, page, repeated)]
    text = [line for line in page.lines if line not in running]
    kept = tuple(line for line in page.lines if line in text or _is_figure(line, text))
    return _without_edge_numbers(kept)


def _in_margin(line: PdfLine, page: Page) -> bool:
    return line.y1 < page.height * _MARGIN or line.y0 > page.height * (1 - _MARGIN)


def _find_repeated(pages: tuple[Page, ...]) -> set[str]:
    seen: Counter[str] = Counter()
    for page in pages:
        seen.update({_pattern(line) for line in page.lines if _in_margin(line, page)})
    least = max(_LEAST_PAGES, len(pages) * _LEAST_SHARE)
    return {pattern for pattern, count in seen.items() if count >= least}


def _pattern(line: PdfLine) -> str:
    return _FIGURES.sub("#", line.text).casefold()


def _is_furniture(line: PdfLine, page: Page, repeated: set[str]) -> bool:
    if not _in_margin(line, page):
        return False
    numbered = any(_NUMBERED_PAGE.fullmatch(part.text) for part in line.parts)
    return numbered or _pattern(line) in repeated or _is_page_number(line)


def _is_figure(line: PdfLine, text: Iterable[PdfLine]) -> bool:
    """Whether a number is no page's but stands in a row of a table, beside what it is the figure of."""
    middle = (line.y0 + line.y1) / 2
    beside = (other for other in text if other != line and other.y0 <= middle <= other.y1)
    return bool(_FIGURES.fullmatch(line.text)) and any(_LETTER.search(other.text) for other in beside)


def _without_edge_numbers(lines: tuple[PdfLine, ...]) -> tuple[PdfLine, ...]:
    """Without page numbers that are the page's first or last lines, wherever the page's text begins and ends."""
    by_height = sorted(lines, key=lambda line: line.y0)
    edges = set(takewhile(_is_page_number, by_height)) | set(takewhile(_is_page_number, reversed(by_height)))
    return tuple(line for line in lines if line not in edges or _is_figure(line, lines))


def _is_page_number(line: PdfLine) -> bool:
    return bool(_PAGE_NUMBER.fullmatch(line.text))
