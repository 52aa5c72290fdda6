"""The pictures on a page of a PDF that may say something."""

from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_LEAST_PICTURE = 72.0  # points, an inch, of a picture that may say something; logos and signs are smaller
_BACKGROUND = 0.95  # of a page's width and height
_MOST_OBJECTS = 2000  # of a page that are looked at


def count_pictures(page: "PdfPage") -> int:
    """Count the pictures on a page, without lines, logos and backgrounds: by their size on the page."""
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    width, height = page.get_size()
    places = set()
    for image in islice(page.get_objects(filter=(FPDF_PAGEOBJ_IMAGE,)), _MOST_OBJECTS):
        try:
            left, bottom, right, top = image.get_bounds()
        except PdfiumError:  # of no size
            continue
        across, down = right - left, top - bottom
        if min(across, down) >= _LEAST_PICTURE and not (across > _BACKGROUND * width and down > _BACKGROUND * height):
            places.add((round(left), round(bottom), round(right), round(top)))  # with its mask, one
    return len(places)
