"""Raised and lowered characters of a PDF's lines: smaller than the others, with their feet above or below the line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from core.library.ingestion.parsers.raised import Place, Run

_SMALLER = 0.87  # of the height of the line's type, which raised and lowered type has at most
_RAISED = 0.15  # of that height, by which the feet of raised type stand above the line
_LOWERED = 0.08  # and those of lowered type below it
_BELOW_FEET = 0.2  # of the height of type, which is below its feet
_LEAST_NOTE = 20  # characters of a note; an isotope is shorter
_TOUCHING = 0.35  # of the height of the line, which pieces of one line are apart at most
_STROKES = ("/", "⁄")
_OVERLAP = 0.3  # of the lower of two pieces, which stands beside the other

RawLine = dict[str, Any]  # of pdftext


@dataclass(frozen=True, slots=True)
class _Type:
    """The type of a line: how high it is, and where its feet stand, from the top of the page."""

    height: float
    feet: float


def join_at_scripts(lines: Sequence[RawLine]) -> Iterator[RawLine]:
    """Yield the lines of a page, those joined that pdftext parts behind or before raised characters."""
    last: RawLine | None = None
    for line in lines:
        if last is not None and _is_parted(last, line):
            boxes = (last["bbox"], line["bbox"])
            last = {
                "spans": [*[span for span in last["spans"] if span["text"] != "\n"], *line["spans"]],
                "bbox": [
                    min(b[0] for b in boxes),
                    min(b[1] for b in boxes),
                    *(max(b[n] for b in boxes) for n in (2, 3)),
                ],
            }
            continue
        if last is not None:
            yield last
        last = line
    if last is not None:
        yield last


def find_places(spans: Sequence[dict[str, Any]]) -> list[Place]:
    """Find where the spans of a line are set. Turned lines have no raised characters."""
    heights = {round(span["bbox"][3] - span["bbox"][1], 1) for span in spans if span["text"].strip()}
    if len(heights) < 2 or any(span["rotation"] for span in spans):
        return [Place.ON_LINE] * len(spans)
    types = [_type_of(span) for span in spans]
    usual = _find_usual(spans, types)
    return [_find_place(span, own, usual) for span, own in zip(spans, types, strict=True)]


def make_runs(texts: Sequence[str], places: Sequence[Place]) -> list[Run]:
    """Make runs of texts and their places, neighbours in one place joined.

    A note is set apart from the mark that it begins with, whose distance is often no character.
    """
    pairs = zip(texts, places, strict=True)
    runs = [Run("".join(text for text, _ in same), place) for place, same in groupby(pairs, key=lambda pair: pair[1])]
    if len(runs) > 1 and runs[0].place is Place.RAISED and len(runs[1].text) > _LEAST_NOTE:
        runs[0] = Run(f"{runs[0].text} ", Place.RAISED)
    return runs


def _find_usual(spans: Sequence[dict[str, Any]], types: Sequence[_Type]) -> _Type:
    """Find the type that most characters of a line are set in. types: of each span."""
    count: Counter[_Type] = Counter()
    for span, own in zip(spans, types, strict=True):
        count[own] += len(span["text"].strip())
    return count.most_common(1)[0][0]


def _type_of(span: dict[str, Any]) -> _Type:
    _, top, _, bottom = span["bbox"]
    height = bottom - top
    return _Type(round(height, 1), round(bottom - _BELOW_FEET * height, 1))


def _find_place(span: dict[str, Any], own: _Type, usual: _Type) -> Place:
    if not span["text"].strip() or own.height > _SMALLER * usual.height:
        return Place.ON_LINE
    if usual.feet - own.feet >= _RAISED * usual.height:
        return Place.RAISED
    return Place.LOWERED if own.feet - usual.feet >= _LOWERED * usual.height else Place.ON_LINE


def _is_parted(left: RawLine, right: RawLine) -> bool:
    """Return True if two pieces stand on one line, and one is set higher or lower where they touch, or is a fraction.

    A mark that a line begins with, as that of a note, stays apart.
    """
    ends = [span for span in left["spans"] if span["text"].strip()][-1:]
    begins = [span for span in right["spans"] if span["text"].strip()][:1]
    if not ends or not begins or ends[0]["rotation"] or begins[0]["rotation"]:
        return False
    one, other = left["bbox"], right["bbox"]
    height = max(one[3] - one[1], other[3] - other[1])
    shared = min(one[3], other[3]) - max(one[1], other[1])
    touches = -1.0 <= other[0] - one[2] <= _TOUCHING * height
    if not touches or shared < _OVERLAP * min(one[3] - one[1], other[3] - other[1]):
        return False
    if _parts_fraction(ends[0]["text"], begins[0]["text"]):
        return True
    spans = [*left["spans"], *right["spans"]]
    usual = _find_usual(spans, [_type_of(span) for span in spans])
    begins_raised = all(_is_set_off(span, usual) for span in left["spans"] if span["text"].strip())
    return not begins_raised and any(_is_set_off(span, usual) for span in (*ends, *begins))


def _is_set_off(span: dict[str, Any], usual: _Type) -> bool:
    return _find_place(span, _type_of(span), usual) is not Place.ON_LINE


def _parts_fraction(end: str, begin: str) -> bool:
    """Return True if a fraction is parted at its stroke: some fonts give small digits boxes of the usual height."""
    return (end[-1].isdigit() and begin.startswith(_STROKES)) or (end.endswith(_STROKES) and begin[0].isdigit())
