"""Pictures (PNG, JPEG, TIFF): what is written on them, as far as it can be recognised."""

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.errors import make_no_text_error, make_unreadable_error, make_unrecognised_error
from core.library.ingestion.extent import Extent, Found
from core.library.ingestion.formats import MOST_PICTURES, MOST_PIXELS
from core.library.ingestion.parsers.pdf import write_pages
from core.library.ingestion.parsers.pdf.lines import Extracted
from core.library.ingestion.parsers.pdf.scans import as_page
from core.library.ingestion.recognition import LONGEST_SIDE, Recogniser

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS = ("PNG", "JPEG", "TIFF")
_DPI = 200  # that a picture is taken to have; its lines are only compared with each other
_POINTS = 72  # in an inch


def parse_picture(content: bytes, name: str, recogniser: Recogniser | None) -> ParsedDocument:
    """Parse a picture. NoTextError when nothing can be recognised, UnreadableFileError when it is damaged or too large.

    recogniser: None where text recognition is not installed, or another process has it.
    """
    if recogniser is None:
        raise make_no_text_error(name)
    pages = tuple(
        as_page(recogniser.read(picture), number, _POINTS / _DPI)
        for number, picture in enumerate(_open_pictures(content, name), 1)
    )
    if not any(page.lines for page in pages):
        raise make_unrecognised_error(name)
    extracted = Extracted(pages=pages, bookmarks=(), title="", author="")
    document = write_pages(extracted, name, recognised=tuple(page.number for page in pages))
    return replace(document, extent=Extent(found={Found.PAGES: len(pages)}))


def _open_pictures(content: bytes, name: str) -> "Iterator[Image]":
    """Yield the pictures of a file, several in a TIFF, as small as they are read, upright as the camera said."""
    from PIL import Image, ImageOps, ImageSequence

    Image.MAX_IMAGE_PIXELS = None  # the library's own limit only warns; ours comes first
    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
            for number, frame in enumerate(ImageSequence.Iterator(opened)):
                if number >= MOST_PICTURES:
                    raise make_unreadable_error(name, f"it has more than {MOST_PICTURES} pages")
                if frame.width * frame.height > MOST_PIXELS:
                    raise make_unreadable_error(name, f"it has more than {MOST_PIXELS // 1_000_000} million pixels")
                frame.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                picture = ImageOps.exif_transpose(frame).convert("RGB")
                picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
                yield picture
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
