"""Which lines of a PDF are headings, and on which level."""

import re
from collections import Counter
from collections.abc import Iterable

from core.language.nlp.headings import drop_number
from core.library.ingestion.parsers.pdf.lines import Bookmark, Page, PdfLine

_LARGER_BOLD, _LARGER = 1.1, 1.25  # a heading's size against the body's, in bold type and in plain
_TITLE_SIZE = 1.3  # the title's size against the body's
_SAME_SIZE = 0.93  # sizes within this share of each other are one level
_ENOUGH = 5  # with as many larger headings, bold lines of the body's size are no headings but labels
_LEVELS = 4
_COVER_PAGES = 3  # type that is only used on these pages is a cover's
_LONG_DOCUMENT = 10  # pages from which a document may have a cover
_MOST_CHARACTERS = 110
_MOST_WORDS = 14
_LEAST_BOOKMARKS = 3
_WORD = re.compile(r"\w+")
_NO_HEADING = re.compile(
    r"[.,;:!]$|^[•●▪◦■□*–—-]|^\W*[a-z]|^[^A-Za-z]*$|^(?:Table|Figure|Fig\.)\s|\bcontinued\b|^TABLE\s|^FIGURE\s"
)


class Headings:
    """Knows the headings of one document."""

    def __init__(self, pages: tuple[Page, ...], bookmarks: tuple[Bookmark, ...]) -> None:
        lines = [line for page in pages for line in page.lines]
        self._body = _find_body_size(lines)
        self._body_bold = _is_mostly_bold(lines)
        self.title = _find_title(pages, self._body)
        self._bookmarks = _find_bookmarks(pages, bookmarks)
        larger = self._larger_sizes(pages)
        self._tops = _find_tops(larger)[:_LEVELS]  # the largest size of each level
        self._labels_too = larger.total() < _ENOUGH

    def level(self, line: PdfLine, page: int) -> int | None:
        """Return the level of the heading that a line is (or is a part of), from 1; None when it is text."""
        if self._bookmarks:
            return self._bookmarks.get((page, _make_key(line.text)))
        if line in self.title or not _may_be_heading(line):
            return None
        if self._is_larger(line):
            levels = (level for level, top in enumerate(self._tops, 1) if top * _SAME_SIZE <= line.size <= top)
            return next(levels, None)
        label = self._labels_too and line.bold and not self._body_bold and line.size >= self._body * _SAME_SIZE
        return len(self._tops) + 1 if label else None

    def _is_larger(self, line: PdfLine) -> bool:
        return line.size >= self._body * (_LARGER_BOLD if line.bold else _LARGER)

    def _larger_sizes(self, pages: tuple[Page, ...]) -> Counter[float]:
        """How many lines that may be headings are set in each size above the body's, a cover's sizes left out."""
        count: Counter[float] = Counter()
        last_page: dict[float, int] = {}
        for page in pages:
            for line in page.lines:
                if self._is_larger(line) and line not in self.title and _may_be_heading(line):
                    count[line.size] += 1
                    last_page[line.size] = page.number
        if len(pages) >= _LONG_DOCUMENT:
            count = Counter({size: lines for size, lines in count.items() if last_page[size] > _COVER_PAGES})
        return count


def _may_be_heading(line: PdfLine) -> bool:
    short = len(line.text) <= _MOST_CHARACTERS and len(line.text.split()) <= _MOST_WORDS
    return short and not line.is_field and not _NO_HEADING.search(line.text)


def _find_tops(sizes: Iterable[float]) -> list[float]:
    """Return the largest size of each group of sizes that are nearly the same, largest group first."""
    tops: list[float] = []
    for size in sorted(sizes, reverse=True):
        if not tops or size < tops[-1] * _SAME_SIZE:
            tops.append(size)
    return tops


def _find_body_size(lines: Iterable[PdfLine]) -> float:
    characters: Counter[float] = Counter()
    for line in lines:
        characters[line.size] += len(line.text)
    return characters.most_common(1)[0][0] if characters else 0.0


def _is_mostly_bold(lines: Iterable[PdfLine]) -> bool:
    characters: Counter[bool] = Counter()
    for line in lines:
        characters[line.bold] += len(line.text)
    return characters[True] > characters[False]


def _find_title(pages: tuple[Page, ...], body: float) -> tuple[PdfLine, ...]:
    """Return the lines of the largest size on the first page, when they are larger than headings usually are."""
    first = [line for line in pages[0].lines if not line.is_field] if pages else []
    if not first:
        return ()
    largest = max(line.size for line in first)
    lines = tuple(line for line in first if line.size >= largest * 0.95)
    return lines if largest >= body * _TITLE_SIZE and len(lines) <= 5 else ()


def _find_bookmarks(pages: tuple[Page, ...], bookmarks: tuple[Bookmark, ...]) -> dict[tuple[int, str], int]:
    """Return the bookmarks whose title stands as a line on their page; nothing when those are too few to go by."""
    lines = {(page.number, _make_key(line.text)) for page in pages for line in page.lines}
    found = {(mark.page, _make_key(mark.title)): mark.level for mark in bookmarks}
    found = {place: level for place, level in found.items() if place in lines}
    return found if len(found) >= max(_LEAST_BOOKMARKS, len(bookmarks) * 0.5) else {}


def _make_key(text: str) -> str:
    """What a bookmark and the line it leads to have in common: one of them may lack the number, "A" and "3.1" alike."""
    return " ".join(word.casefold() for word in _WORD.findall(drop_number(text)) if len(word) > 1)
