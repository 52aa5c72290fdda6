"""The lines of a PDF's pages as values."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import degrees
from typing import Any

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.errors import make_encrypted_error, make_unreadable_error
from core.library.ingestion.parsers.pdf.garbled import Moves, is_page_garbled
from core.library.ingestion.parsers.pdf.page_objects import count_pictures, find_objects
from core.library.ingestion.parsers.pdf.right_to_left import is_right_to_left, mirror_page, mirror_rulings
from core.library.ingestion.parsers.pdf.rulings import Ruling, read_rulings
from core.library.ingestion.parsers.pdf.scripts import find_places, join_at_scripts, make_runs
from core.library.ingestion.parsers.raised import Place, write_runs

_BOLD_NAME = re.compile(r"bold|black|heavy|semibd|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600  # of 100 to 900, as OpenType counts: semi-bold and up
_LEAST_DECLARED_SIZE = 3.0  # points; some files declare every font as 1 point and scale it, so that height must do
_GAP = 0.9  # of the type's size: a wider one within a line parts it; between words of justified lines few are so wide
_GAP_OF_CURRENCY = 0.4  # of a sign that may stand in a column of its own, close to the number of the column before
_GAP_BEFORE_CURRENCY = 0.65  # of such a sign behind a word; the spaces of typewriters are nearly as wide
_LONGEST_NAMES = 120  # characters of a line without a gap, which may still hold the names of several columns
_CURRENCIES = "$€£¥"
_SLIGHT_TURN = 10.0  # degrees, as of a page that was scanned askew
_LEAST_LEVEL = 0.1  # of a page's characters, from which those that are not turned are its text
_AT_A_TIME = 10  # pages


@dataclass(frozen=True, kw_only=True, slots=True)
class LinePart:
    """What stands in a line without a wide gap: a cell of a table, or all of a line of text."""

    text: str
    x0: float
    x1: float
    words: tuple[tuple[float, float], ...] = field(default=(), compare=False)  # left and right of each


@dataclass(frozen=True, kw_only=True, slots=True)
class PdfLine:
    """A line of text on a page. Distances in points from the page's top left corner."""

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float  # of the type, in points, rounded to halves
    bold: bool  # all of it
    parts: tuple[LinePart, ...]  # from left to right; the line alone where it has no wide gap
    is_field: bool = False  # what was filled into a form, with its label: a paragraph of its own

    @property
    def width(self) -> float:
        """How wide the line is."""
        return self.x1 - self.x0


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """A page and its lines, in the file's order."""

    number: int  # from 1
    width: float
    height: float
    lines: tuple[PdfLine, ...]
    rulings: tuple[Ruling, ...]
    turned: tuple[PdfLine, ...] = ()  # lines that run sideways, aslant or upside down: stamps, labels of axes


@dataclass(frozen=True, kw_only=True, slots=True)
class Bookmark:
    """An entry of the outline that a PDF may carry."""

    level: int  # from 1
    title: str
    page: int  # from 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Extracted:
    """What a PDF holds, before any judgement about it."""

    pages: tuple[Page, ...]
    bookmarks: tuple[Bookmark, ...]
    title: str  # from the file's properties
    author: str
    pictures: tuple[int, ...] = ()  # the number of pictures on each page
    garbled: tuple[int, ...] = ()  # the numbers of the pages whose text is not what they show
    annotated: tuple[int, ...] = ()  # the numbers of the pages onto which something was put


@dataclass(frozen=True, kw_only=True, slots=True)
class _Look:
    """Holds all that is read of an open page: to open it again takes as long as to read its text."""

    rulings: tuple[Ruling, ...]
    pictures: int
    is_garbled: bool
    is_annotated: bool


def extract(content: bytes, name: str) -> Extracted:
    """Read the lines and the outline of a PDF.

    EncryptedFileError when it needs a password, UnreadableFileError when it is damaged.
    """
    import pypdfium2
    from pypdfium2.raw import FPDF_ERR_PASSWORD

    try:
        with pypdfium2.PdfDocument(content) as document:
            properties = document.get_metadata_dict()
            bookmarks = tuple(_read_bookmarks(document))
            moves = Moves()
            looks = [_look_at_page(page, moves) for page in document]
            has_form = bool(document.get_formtype())  # whose fields are placed on pages as they are
        pages = tuple(_read_pages(content, [look.rulings for look in looks], is_mirrored=not has_form))
    except pypdfium2.PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise make_encrypted_error(name) from error
        raise make_unreadable_error(name, "it is damaged or cut off") from error
    return Extracted(
        pages=pages,
        bookmarks=bookmarks,
        pictures=tuple(look.pictures for look in looks),
        garbled=tuple(number for number, look in enumerate(looks, 1) if look.is_garbled),
        annotated=tuple(number for number, look in enumerate(looks, 1) if look.is_annotated),
        title=one_line(properties.get("Title", "")),
        author=one_line(properties.get("Author", "")),
    )


def _look_at_page(page: Any, moves: Moves) -> _Look:
    from pypdfium2.raw import FPDFPage_GetAnnotCount

    drawn = find_objects(page)
    return _Look(
        rulings=read_rulings(page, drawn.paths),
        pictures=count_pictures(page, drawn.images),
        is_garbled=is_page_garbled(page.get_textpage(), moves),
        is_annotated=FPDFPage_GetAnnotCount(page.raw) > 0,
    )


def _read_pages(content: bytes, rulings: Sequence[tuple[Ruling, ...]], *, is_mirrored: bool) -> Iterator[Page]:
    """Yield the pages, some at a time: a character with its place takes half a kilobyte while a page is read.

    is_mirrored: those in Hebrew and Arabic are laid out as in a mirror.
    """
    from pdftext.extraction import dictionary_output

    for first in range(0, len(rulings), _AT_A_TIME):
        numbers = range(first, min(first + _AT_A_TIME, len(rulings)))
        for page in dictionary_output(content, page_range=numbers, disable_links=True, keep_chars=True):
            drawn = rulings[page["page"]]
            if is_mirrored and is_right_to_left(page):
                mirror_page(page)
                drawn = mirror_rulings(drawn, page["width"])
            yield _make_page(page, drawn)


def _read_bookmarks(document: Any) -> list[Bookmark]:
    found = []
    for entry in document.get_toc():
        target = entry.get_dest()
        index = target.get_index() if target else None
        title = one_line(entry.get_title())
        if title and index is not None:
            found.append(Bookmark(level=entry.level + 1, title=title, page=index + 1))
    return found


def _make_page(raw: dict[str, Any], rulings: tuple[Ruling, ...]) -> Page:
    upright: list[PdfLine] = []
    turned: list[PdfLine] = []
    pieces = [line for block in raw["blocks"] for line in block["lines"]]
    found = [
        (line, _measure_angle(parts, raw["rotation"]))
        for parts in join_at_scripts(pieces)
        if (line := _make_line(parts))
    ]
    level = _find_level(found)
    for line, angle in found:
        (upright if _are_parallel(angle, level) else turned).append(line)
    return Page(
        number=raw["page"] + 1,
        width=raw["width"],
        height=raw["height"],
        lines=tuple(upright),
        rulings=rulings,
        turned=tuple(turned),
    )


def _measure_angle(raw: dict[str, Any], page_rotation: int) -> float:
    """Return how far most of a line is turned on the page as it is shown, in degrees."""
    longest = max(raw["spans"], key=lambda span: len(span["text"].strip()))
    return (-degrees(longest["rotation"]) - page_rotation) % 360


def _are_parallel(one: float, other: float) -> bool:
    return min((one - other) % 360, (other - one) % 360) <= _SLIGHT_TURN


def _find_level(found: Sequence[tuple[PdfLine, float]]) -> float:
    """Return the angle of the lines that are the page's text: none, if enough of it is not turned."""
    characters: Counter[float] = Counter()
    for line, angle in found:
        characters[0.0 if _are_parallel(angle, 0.0) else angle] += len(line.text)
    if not characters or characters[0.0] >= _LEAST_LEVEL * characters.total():
        return 0.0
    return characters.most_common(1)[0][0]


def _make_line(raw: dict[str, Any]) -> PdfLine | None:
    spans = [span for span in raw["spans"] if span["text"].strip()]
    if not spans:
        return None
    x0, y0, x1, y1 = raw["bbox"]
    places = find_places(spans)
    all_places = places if len(spans) == len(raw["spans"]) else find_places(raw["spans"])
    if all(place is Place.ON_LINE for place in places):
        text = one_line("".join(span["text"] for span in raw["spans"]))
    else:
        text = one_line(write_runs(make_runs([span["text"] for span in raw["spans"]], all_places)))
        level = [span["bbox"] for span, place in zip(spans, places, strict=True) if place is Place.ON_LINE]
        y0, y1 = min(box[1] for box in level), max(box[3] for box in level)
    if not text:
        return None
    weight: Counter[bool] = Counter()
    sizes: Counter[float] = Counter()
    for span in spans:
        font = span["font"]
        bold = (font["weight"] or 0) >= _BOLD_WEIGHT or bool(_BOLD_NAME.search(font["name"] or ""))
        weight[bold] += len(span["text"].strip())
        sizes[font["size"]] += len(span["text"].strip())
    declared = sizes.most_common(1)[0][0]
    size = declared if declared >= _LEAST_DECLARED_SIZE else y1 - y0
    return PdfLine(
        text=text,
        x0=x0,
        x1=x1,
        y0=y0,
        y1=y1,
        size=round(size * 2) / 2,
        bold=not weight[False],
        parts=_cut_parts(raw["spans"], all_places, text, min(size, y1 - y0)),
    )


def _cut_parts(spans: list[dict[str, Any]], places: list[Place], text: str, size: float) -> tuple[LinePart, ...]:
    """Return a line cut where its characters stand further apart than words do."""
    from pdftext.postprocessing import handle_hyphens, postprocess_text

    chars = [char for span in spans for char in span["chars"]]
    begun = _begin_parts(chars, size)
    if len(begun) < 2:
        words = _find_words(chars) if len(text) <= _LONGEST_NAMES else ()
        return tuple(LinePart(text=text, x0=x0, x1=x1, words=words) for _, x0, x1 in begun)
    cuts = list(pairwise([*(place for place, _, _ in begun), len(chars)]))
    if all(place is Place.ON_LINE for place in places):
        texts = ["".join(char["char"] for char in chars[a:b]) for a, b in cuts]
    else:
        own = [place for span, place in zip(spans, places, strict=True) for _ in span["chars"]]
        texts = [write_runs(make_runs([char["char"] for char in chars[a:b]], own[a:b])) for a, b in cuts]
    return tuple(
        LinePart(
            text=one_line(handle_hyphens(postprocess_text(part), keep_hyphens=True)),
            x0=x0,
            x1=x1,
            words=_find_words(chars[a:b]),
        )
        for part, (a, b), (_, x0, x1) in zip(texts, cuts, begun, strict=True)
    )


def _begin_parts(chars: Sequence[dict[str, Any]], size: float) -> list[tuple[int, float, float]]:
    """Find the parts of a line: the place of its first character, left and right edge. size: of the type."""
    gap, least = size * _GAP, size * _GAP_OF_CURRENCY
    begun: list[tuple[int, float, float]] = []
    first, left, right, before = 0, 0.0, -math.inf, ""
    for place, char in enumerate(chars):
        shown = char["char"]
        if shown.isspace():
            continue
        x0, _, x1, _ = char["bbox"]
        far = x0 - right
        if far > least and (far > gap or (shown in _CURRENCIES and _is_far_of_currency(far, before, size))):
            if before:
                begun.append((first, left, right))
            first, left, right = place, x0, x1
        elif x1 > right:
            right = x1
        before = shown
    return [*begun, (first, left, right)] if before else []


def _is_far_of_currency(far: float, before: str, size: float) -> bool:
    return far > (_GAP_BEFORE_CURRENCY if before.isalpha() else _GAP_OF_CURRENCY) * size


def _find_words(chars: Iterable[dict[str, Any]]) -> tuple[tuple[float, float], ...]:
    """Find the left and right edges of words."""
    words: list[tuple[float, float]] = []
    is_new = True
    for char in chars:
        if char["char"].isspace():
            is_new = True
            continue
        x0, _, x1, _ = char["bbox"]
        if is_new:
            words.append((x0, x1))
        elif x1 > words[-1][1]:
            words[-1] = (words[-1][0], x1)
        is_new = False
    return tuple(words)
