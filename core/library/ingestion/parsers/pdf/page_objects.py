"""The paths and pictures on a PDF's page, found in one walk over all that is drawn on it, and what pictures count."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdfium2 import PdfPage


MOST_PATHS = 5000  # of a page that are looked at; a map may have a hundred times as many
MOST_IMAGES = 2000
_MOST_DEPTH = 15  # of forms (XObjects) within forms

_LEAST_PICTURE = 72.0  # points, an inch, of a picture that may say something; logos and signs are smaller
_BACKGROUND = 0.95  # of a page's width and height


@dataclass(kw_only=True, slots=True)
class PageObjects:
    """Holds PDFium's handles of what is drawn on a page, in the file's order. They are the page's, and end with it."""

    paths: list[Any] = field(default_factory=list)  # of the page itself, MOST_PATHS at most
    images: list[Any] = field(default_factory=list)  # those in forms among them, MOST_IMAGES at most


def find_objects(page: Any) -> PageObjects:
    """Find the paths and the pictures of a page of pypdfium2. PdfiumError for a damaged page.

    pypdfium2's own walk makes a value of each object, letters among them, before it says what kind that is of.
    """
    import pypdfium2.raw as pdfium

    found = PageObjects()
    for kind, handle, depth in _walk_objects(page.raw, pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject, 1):
        if kind == pdfium.FPDF_PAGEOBJ_PATH and depth == 1 and len(found.paths) < MOST_PATHS:
            found.paths.append(handle)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE and len(found.images) < MOST_IMAGES:
            found.images.append(handle)
    return found


def _walk_objects(parent: Any, count: Any, get: Any, depth: int) -> Iterator[tuple[int, Any, int]]:
    """Yield the kind, the handle and the depth, from 1, of each object of a page or form, and of the forms in it."""
    import pypdfium2.raw as pdfium
    from pypdfium2 import PdfiumError

    objects = count(parent)
    if objects < 0:
        raise PdfiumError("Failed to get number of pageobjects.")
    for place in range(objects):
        handle = get(parent, place)
        if not handle:
            raise PdfiumError("Failed to get pageobject.")
        kind = pdfium.FPDFPageObj_GetType(handle)
        yield kind, handle, depth
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MOST_DEPTH:
            yield from _walk_objects(handle, pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject, depth + 1)


def find_bounds(handle: Any) -> tuple[float, float, float, float] | None:
    """Return the left, lower, right and upper end of an object, in points of the page; None for one of no size."""
    from ctypes import c_float

    import pypdfium2.raw as pdfium

    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    if not pdfium.FPDFPageObj_GetBounds(handle, left, bottom, right, top):
        return None
    return left.value, bottom.value, right.value, top.value


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
