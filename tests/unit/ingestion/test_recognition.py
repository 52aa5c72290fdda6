"""Text recognition: scans and pictures, in a sandbox that has it and in one that has not."""

import io
import struct
import zlib
from collections.abc import Iterator

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from core.errors import NoTextError, ParserLimitError, UnreadableFileError
from core.library.ingestion.formats import list_readable_endings
from core.library.ingestion.recognition import is_installed
from core.library.ingestion.sandbox.child import TOO_MUCH
from core.library.ingestion.sandbox.process import _RECOGNITION_SETTINGS, Limits, Sandbox, _build_parsed_file

RULES = ("The office opens at 07:30.", "Boats pay 12.50 crowns.")
needs_recognition = pytest.mark.skipif(not is_installed(), reason="text recognition is not installed: make ocr")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """A sandbox that passes scans on to another one."""
    scans = Sandbox(Limits(seconds=120, memory_mb=4096), recognises=True)
    with Sandbox(scans=scans) as shared:
        yield shared


def picture(*lines: str, size: tuple[int, int] = (640, 400)) -> Image.Image:
    """A page of lines."""
    made = Image.new("RGB", size, "white")
    for number, line in enumerate(lines):
        font = ImageFont.load_default(28)
        ImageDraw.Draw(made).text((40, 60 + 50 * number), line, fill="black", font=font)
    return made


def saved(made: Image.Image, kind: str, **options: object) -> bytes:
    """A picture as the bytes of a file."""
    out = io.BytesIO()
    made.save(out, kind, **options)
    return out.getvalue()


def pdf_of(*pages: Image.Image | str) -> bytes:
    """A PDF of scans and of pages of text."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(640, 400))
    canvas.setAuthor("Ada Writer")
    for page in pages:
        if isinstance(page, str):
            canvas.drawString(40, 300, page)
        else:
            canvas.drawImage(ImageReader(page), 0, 0, 640, 400)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def blocks(sandbox: Sandbox, content: bytes, name: str) -> list[tuple[int | None, str]]:
    """The page and the text of each block."""
    [document] = sandbox.parse(content, name).documents
    return [(block.page_number, block.text) for block in document.blocks]


@needs_recognition
def test_only_the_pages_that_are_pictures_are_recognised(sandbox: Sandbox) -> None:
    """They keep their numbers, the metadata names them, and the others stay as the file has them."""
    words = "A page of text that says by itself all that there is to be said here."
    [document] = sandbox.parse(pdf_of(words, picture(*RULES), words), "rules.pdf").documents
    assert [(block.page_number, block.text) for block in document.blocks] == [
        (1, words),
        (2, " ".join(RULES)),
        (3, words),
    ]
    assert sandbox._scans is not None
    assert sandbox._scans.report == sandbox.report  # all that holds the one holds the other
    assert document.metadata == {"pages": 3, "author": "Ada Writer", "recognised_pages": [2]}


@needs_recognition
@pytest.mark.parametrize(("kind", "quarters"), [("JPEG", 1), ("PNG", 2)])
def test_a_picture_is_read_however_it_lies(sandbox: Sandbox, kind: str, quarters: int) -> None:
    """Turned by any quarter of a circle, in its order."""
    turned = picture(*RULES, "Water is free in summer.").rotate(90 * quarters, expand=True)
    said = " ".join((*RULES, "Water is free in summer."))
    assert blocks(sandbox, saved(turned, kind), f"rules.{kind.lower()}") == [(1, said)]


@needs_recognition
def test_the_pages_of_a_tiff_have_numbers(sandbox: Sandbox) -> None:
    """As those of a PDF have."""
    content = saved(picture(RULES[0]), "TIFF", save_all=True, append_images=[picture(RULES[1])])
    assert blocks(sandbox, content, "rules.tiff") == [(1, RULES[0]), (2, RULES[1])]


@needs_recognition
def test_what_is_no_text_is_not_guessed_at(sandbox: Sandbox) -> None:
    """A picture without words says so."""
    noise = Image.effect_noise((640, 400), 90)
    with pytest.raises(NoTextError, match=r"No text could be recognised in noise\.png"):
        sandbox.parse(saved(noise, "PNG"), "noise.png")


def chunk(kind: bytes, content: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png_of(width: int, height: int) -> bytes:
    """A PNG that claims to be of a size, and unpacks to nothing but zeros."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(10_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@needs_recognition
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bomb.png", png_of(100_000, 100_000), r"bomb\.png cannot be read: it has more than 100 million pixels"),
        ("cut.png", saved(picture(*RULES), "PNG")[:900], r"cut\.png cannot be read: it is damaged or cut off"),
        ("cut.jpg", saved(picture(*RULES), "JPEG")[:900], r"cut\.jpg cannot be read: it is damaged or cut off"),
        ("mark.tif", b"II*\0" + b"\xff" * 40, r"mark\.tif cannot be read: it is damaged or cut off"),
    ],
)
def test_a_hostile_picture_ends_in_words(sandbox: Sandbox, name: str, content: bytes, message: str) -> None:
    """Before its pixels take any memory; and the next one is read."""
    with pytest.raises(UnreadableFileError, match=message):
        sandbox.parse(content, name)
    assert blocks(sandbox, b"# Good\n\nWords", "good.md") == [(None, "Words")]


def test_recognising_has_limits_of_its_own() -> None:
    """The message names their setting."""
    with pytest.raises(ParserLimitError, match=r"Split it, or raise INGEST_OCR_SECONDS\."):
        _build_parsed_file({"error": TOO_MUCH, "message": "it takes longer"}, "a.png", _RECOGNITION_SETTINGS)


def test_without_it_pictures_are_refused_and_scans_among_pages_left_out() -> None:
    """The message says what to install; the metadata says which pages were not read."""
    words = "A page of text that says by itself all that there is to be said here."
    with Sandbox() as sandbox:
        [document] = sandbox.parse(pdf_of(words, picture(*RULES)), "rules.pdf").documents
        assert [block.text for block in document.blocks] == [words]
        assert document.metadata == {"pages": 2, "author": "Ada Writer", "unread_pages": [2]}
        for name, content in (("a.pdf", pdf_of(picture(*RULES))), ("a.png", saved(picture(*RULES), "PNG"))):
            with pytest.raises(NoTextError, match=r"has no text.*have it installed here: make ocr"):
                sandbox.parse(content, name)


def test_pictures_are_offered_where_they_can_be_read() -> None:
    """On the page for uploads and in Slack; scans in a PDF are found out only when it is read."""
    assert {".png", ".tiff", ".jpg"}.issubset(list_readable_endings()) == is_installed()
    assert {".pdf", ".odt", ".rtf", ".msg"} <= set(list_readable_endings())
