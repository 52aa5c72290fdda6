"""The pictures on a page of a PDF that may say something."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from core.library.ingestion.parsers.pdf.page_objects import find_bounds

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_LEAST_PICTURE = 72.0  # points, an inch, of a picture that may say something; logos and signs are smaller
_BACKGROUND = 0.95  # of a page's width and height


def count_pictures(page: "PdfPage", images: Iterable[Any]) -> int:
    """Count the pictures on a page, without lines, logos and backgrounds: by their size on the page.

    images: their handles, as `find_objects` gives them.
    """
    width, height = page.get_size()
    places = set()
    for image in images:
        bounds = find_bounds(image)
        if bounds is None:
            continue
        left, bottom, right, top = bounds
        across, down = right - left, top - bottom
        if min(across, down) >= _LEAST_PICTURE and not (across > _BACKGROUND * width and down > _BACKGROUND * height):
            places.add((round(left), round(bottom), round(right), round(top)))  # with its mask, one
    return len(places)
