"""Pages in Hebrew and Arabic: laid out as in a mirror, so that columns, tables and paragraphs are found like others.

PDFium gives the characters of a line in the order of reading, but for some that it cannot know about. Their places
still run from right to left, and what reads a page begins at the left edge. So the places are mirrored before anything
is read from them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.library.ingestion.parsers.pdf.rulings import Ruling

_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"[{_RIGHT_TO_LEFT}]")
_OTHER_LETTER = re.compile(rf"[^\W\d_{_RIGHT_TO_LEFT}]")
# PDFium takes for a part of a figure the hyphen behind a prefix of one letter, and the mark behind the figure: 18:00.
_HYPHEN_BEHIND = re.compile(r"(?<=[\u05d0-\u05ea])(\d[\d.,:/]{0,20}+)([-\u2010\u2011\u2013])(?![\d\w])")
_MARK_BEFORE = re.compile(
    rf"(?<![^\s{_RIGHT_TO_LEFT}])([.,:;!\u060c\u061b\u061f]{{1,2}})(\d(?:[\d.,:/]{{0,20}}\d)?)([-\u2010\u2011\u2013]?)(?!\S)"
)
_PAIR, _TURNED_PAIR = re.compile(r"\([^()]{1,200}\)"), re.compile(r"\)[^()]{1,200}\(")
_TURN = str.maketrans("()[]{}", ")(][}{")
_SAME = 0.3  # points, by which the halves of a character that was drawn as one differ

RawPage = dict[str, Any]  # of pdftext


def is_right_to_left(page: RawPage) -> bool:
    """Return True if most letters of a page are written from right to left."""
    letters = others = 0
    for span in _list_spans(page):
        letters += len(_LETTER.findall(span["text"]))
        others += len(_OTHER_LETTER.findall(span["text"]))
    return letters > others


def mirror_page(page: RawPage) -> None:
    """Mirror the places of a page's text, in place, and put its characters in the order of reading."""
    width = page["width"]
    lines = [line for block in page["blocks"] for line in block["lines"]]
    text = "".join(span["text"] for line in lines for span in line["spans"])
    is_turned = len(_TURNED_PAIR.findall(text)) > len(_PAIR.findall(text))
    for line in lines:
        line["bbox"] = _mirror_box(line["bbox"], width)
        for span in line["spans"]:
            span["bbox"] = _mirror_box(span["bbox"], width)
        chars = [char for span in line["spans"] for char in span["chars"]]
        as_given = [span["text"] == _join_characters(span["chars"]) for span in line["spans"]]
        _order_halves(chars)
        _order_marks(chars, is_turned=is_turned)
        for span, is_given in zip(line["spans"], as_given, strict=True):
            span["text"] = _join_characters(span["chars"]) if is_given else span["text"]
        _mirror_characters(chars, width)


def _join_characters(chars: Sequence[dict[str, Any]]) -> str:
    return "".join(char["char"] for char in chars)


def _order_halves(chars: Sequence[dict[str, Any]]) -> None:
    """Put letters that are drawn as one, such as lam and alef, in the order of reading.

    Their places are one, or parts of one that run from left to right.
    """
    first = 0
    while first < len(chars):
        last = first
        while last + 1 < len(chars) and _are_halves(chars[last], chars[last + 1]):
            last += 1
        group = chars[first : last + 1]
        for char, shown in zip(group, [one["char"] for one in reversed(group)], strict=True):
            char["char"] = shown
        first = last + 1


def _are_halves(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return True if two letters in a row have one place, or stand side by side in the wrong order, of one size."""
    if not (_LETTER.match(one["char"]) and _LETTER.match(other["char"])):
        return False
    (x0, y0, x1, y1), (left, top, right, bottom) = one["bbox"], other["bbox"]
    if x1 <= x0 or max(abs(y0 - top), abs(y1 - bottom), abs((x1 - x0) - (right - left))) > _SAME:
        return False
    return bool(min(abs(x1 - left), abs(x0 - left)) <= _SAME)


def _order_marks(chars: Sequence[dict[str, Any]], *, is_turned: bool) -> None:
    """Put marks where they are read: beside figures, and brackets as they open and close. is_turned: these are not."""
    text = _join_characters(chars)
    read = _MARK_BEFORE.sub(r"\3\2\1", _HYPHEN_BEHIND.sub(r"\2\1", text.translate(_TURN) if is_turned else text))
    if len(read) == len(chars):
        for char, shown in zip(chars, read, strict=True):
            char["char"] = shown


def mirror_rulings(rulings: Sequence[Ruling], width: float) -> tuple[Ruling, ...]:
    """Mirror the lines that are drawn on a page."""
    return tuple(
        Ruling(x0=width - one.x1, x1=width - one.x0, y0=one.y0, y1=one.y1, is_drawn=one.is_drawn) for one in rulings
    )


def _mirror_characters(chars: Sequence[dict[str, Any]], width: float) -> None:
    """Mirror characters; a figure among them, which runs the other way, gets its places in the order of reading."""
    shown = [char for char in chars if not char["char"].isspace()]
    boxes = [_mirror_box(char["bbox"], width) for char in shown]
    places = sorted((box[0], box[2]) for box in boxes)
    for char, box, (x0, x1) in zip(shown, boxes, places, strict=True):
        char["bbox"] = [x0, box[1], x1, box[3]]


def _mirror_box(box: Sequence[float], width: float) -> list[float]:
    x0, y0, x1, y1 = box
    return [width - x1, y0, width - x0, y1]


def _list_spans(page: RawPage) -> Iterator[dict[str, Any]]:
    for block in page["blocks"]:
        for line in block["lines"]:
            yield from line["spans"]
