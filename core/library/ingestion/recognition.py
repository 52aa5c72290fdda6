"""Recognising the text of pictures (OCR): an extra that `make ocr` installs. Its models come with it, offline.

The libraries are imported where a process that reads scans loads its parsers, and nowhere else.
"""

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

LONGEST_SIDE = 2000  # pixels of a picture when it is read: A4 at 170 dpi; more takes longer and reads no better
_LEAST_SCORE = 0.7  # of 1, how sure the model is of a line; below it lines are noise more often than text
_QUARTER = 90  # degrees
_TALL = 1.5  # height of a line's box against its width, from which the library turns it upright
_LABEL_TURNED = "180"  # the library's label of a line that is upside down
_TYPE_SHARE = 0.65  # of the height of a line's box, which has some room around the letters, is the size of its type
_SAME_SIZE = 0.25  # sizes within this share of the usual one are that one: boxes of one type differ as much
_MOST_ASKEW = 0.2  # radians, about 11 degrees; lines that lean more are meant to
_SAME_ROW = 0.5  # of the lower of two lines that overlap each other, which then are side by side


@dataclass(frozen=True, kw_only=True, slots=True)
class RecognisedLine:
    """A line of text, and its place. Distances in pixels from the top left corner of the page, once upright."""

    text: str
    x0: float
    x1: float
    y0: float
    y1: float
    size: float  # of its type


@dataclass(frozen=True, kw_only=True, slots=True)
class RecognisedPage:
    """The text recognised in a picture, turned upright, row by row."""

    width: float  # pixels
    height: float
    lines: tuple[RecognisedLine, ...]


def is_installed() -> bool:
    """Return True if the extra for text recognition is installed."""
    return find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None


class Recogniser:
    """Reads pictures with the models that come with rapidocr. Loading takes a second or two, and 400 MB."""

    def __init__(self) -> None:
        import cv2
        import rapidocr

        cv2.setNumThreads(0)  # a process that is shut in starts no threads
        one_thread = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}
        options: dict[str, Any] = {f"EngineConfig.onnxruntime.{name}": value for name, value in one_thread.items()}
        options |= {"Global.log_level": "critical", "Global.max_side_len": LONGEST_SIDE}
        self._engine: Any = rapidocr.RapidOCR(params=options | {"Global.text_score": _LEAST_SCORE})

    def read(self, picture: "Image") -> RecognisedPage:
        """Recognise the lines of a picture that is at most LONGEST_SIDE long; one that lies is turned upright."""
        found = self._detect_lines(picture, is_upright=False)
        quarters = _count_quarters(found) if found else 0
        if quarters:
            found = self._detect_lines(picture.rotate(_QUARTER * quarters, expand=True), is_upright=True)
        if found is None:
            return RecognisedPage(width=picture.width, height=picture.height, lines=())
        return self._recognise_lines(found)

    def _detect_lines(self, picture: "Image", *, is_upright: bool) -> "_Detected | None":
        """Find the lines of a picture. is_upright: whether that is known, and nothing has to be found out about it."""
        import numpy

        pixels = numpy.asarray(picture.convert("RGB"))[:, :, ::-1]  # blue first, as the models learnt it
        prepared, steps = self._engine.preprocess_img(pixels)
        self._engine.update_params(use_cls=not is_upright, use_rec=False)
        lines, turned, _, cuttings = self._engine.run_ocr_steps(prepared, steps)
        if lines.boxes is None:
            return None
        return _Detected(pixels=pixels, steps=steps, lines=lines, turned=turned, cuttings=cuttings)

    def _recognise_lines(self, found: "_Detected") -> RecognisedPage:
        """Read the lines in their direction on the page: the library would turn any that it takes to be upside down."""
        height, width = found.pixels.shape[:2]
        read = self._engine.recognize_txt(found.cuttings)
        result = self._engine.build_final_output(
            found.pixels, found.lines, found.turned, read, found.cuttings, found.steps
        )
        lines = _order_lines(result.boxes, result.txts) if result.boxes is not None else ()
        return RecognisedPage(width=width, height=height, lines=lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Detected:
    """The library's findings in a picture, in its own values."""

    pixels: Any
    steps: dict[str, Any]  # what was done to the picture before
    lines: Any  # with their boxes
    turned: Any  # with what it takes each line for, upright or on its head
    cuttings: Any  # the picture of each line


def load_recogniser() -> Recogniser:
    """Return a recogniser that has read a page, and so has loaded all that it will need."""
    from PIL import Image, ImageDraw, ImageOps, ImageSequence

    recogniser = Recogniser()
    picture = Image.new("RGB", (320, 160), "white")
    ImageDraw.Draw(picture).text((20, 60), "A page of few words.", fill="black", font_size=24)
    Image.init()
    for kind in ("PNG", "JPEG", "TIFF"):
        stream = io.BytesIO()
        picture.save(stream, kind)
        with Image.open(stream, formats=(kind,)) as opened:
            recogniser.read(ImageOps.exif_transpose(next(ImageSequence.Iterator(opened))))
    return recogniser


def _count_quarters(found: _Detected) -> int:
    """By how many quarters of a circle, against the clock, a page is to be turned for most of its lines to be upright.

    The library turns a tall line a quarter against the clock before it says whether that is upside down.
    """
    boxes, labels = found.lines.boxes, found.turned.cls_res or ()
    tall = sum(_measure_span(box, 1) > _TALL * _measure_span(box, 0) for box in boxes) * 2 > len(boxes)
    on_head = sum(label == _LABEL_TURNED for label, _ in labels) * 2 > len(boxes)
    return (1 if tall else 0) + (2 if on_head else 0)


def _measure_span(box: Any, axis: int) -> float:
    return float(box[:, axis].max() - box[:, axis].min())


def _order_lines(boxes: Any, texts: Sequence[str]) -> tuple[RecognisedLine, ...]:
    """Return the lines from the top down, those of a row from left to right. boxes: the four corners of each."""
    boxes = _straighten_boxes(boxes)
    heights = [float(abs(box[3] - box[0])[1] + abs(box[2] - box[1])[1]) / 2 for box in boxes]
    usual = median(heights) * _TYPE_SHARE
    rows: list[list[RecognisedLine]] = []
    for box, height, text in sorted(
        zip(boxes, heights, texts, strict=True), key=lambda one: float(one[0][:, 1].mean())
    ):
        middle, size = float(box[:, 1].mean()), height * _TYPE_SHARE
        line = RecognisedLine(
            text=text,
            x0=float(box[:, 0].min()),
            x1=float(box[:, 0].max()),
            y0=middle - height / 2,
            y1=middle + height / 2,
            size=usual if abs(size - usual) <= usual * _SAME_SIZE else size,
        )
        if not rows or not _is_beside(rows[-1][0], line):
            rows.append([])
        rows[-1].append(line)
    return tuple(line for row in rows for line in sorted(row, key=lambda each: each.x0))


def _straighten_boxes(boxes: Any) -> Any:
    """Return the corners as they would be if the page had not been laid down askew."""
    import numpy

    boxes = numpy.asarray(boxes, dtype=float)
    edges = boxes[:, 1] - boxes[:, 0]
    angle = float(numpy.median(numpy.arctan2(edges[:, 1], edges[:, 0])))
    if abs(angle) > _MOST_ASKEW:
        return boxes
    turn = numpy.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return boxes @ turn


def _is_beside(one: RecognisedLine, other: RecognisedLine) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared > _SAME_ROW * min(one.y1 - one.y0, other.y1 - other.y0)
