"""Bad files of each format: a message that says what is wrong and what to do, or the text that can be read."""

import io
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from pptx import Presentation

from core.errors import IngestionError
from core.library.ingestion.document import ParsedFile
from core.library.ingestion.parsers import parse
from core.library.ingestion.sandbox.process import Limits, Sandbox
from tests.unit.ingestion.bad_files import ADDRESS, CANARY, FAULTS, OTHER_ENDINGS, saved_as, with_references
from tests.unit.ingestion.files import open_document

LIMITS = Limits(seconds=60, memory_mb=1024, output_mb=32)
FEW_SECONDS = Limits(seconds=3, memory_mb=1024, output_mb=32)
READ = ""  # in place of a part of the message
_DAMAGED, _DEEP, _LOCKED, _EMPTY = "damaged or cut off", "nested too deeply", "protected by a password", "is empty"
# Which limit a million cells meet first depends on the format, and on the machine.
_TOO_MUCH = ("has more than 1,000,000 cells", "was not read: reading it takes", "unpacks to more than")
SAID: dict[str, dict[str, str]] = {
    "truncated": {
        **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "pdf", "msg"), _DAMAGED),
        "json": "not valid JSON",
        **dict.fromkeys(("rtf", "html", "eml", "csv", "md"), READ),
    },
    "nested": {
        **dict.fromkeys(("docx", "pptx", "odt", "ods", "odp", "rtf", "eml"), _DEEP),
        "json": "not valid JSON",
        "xlsx": _EMPTY,
        **dict.fromkeys(("epub", "pdf", "html", "md", "csv"), READ),
    },
    "encrypted": {
        **dict.fromkeys(("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "pdf"), _LOCKED),
        **dict.fromkeys(("eml", "msg"), "its text is encrypted"),
        "zip": "is a ZIP archive, which cannot be ingested",
    },
    "macro": dict.fromkeys(FAULTS["macro"](), READ),
    "references": {**dict.fromkeys(FAULTS["references"](), READ), "eml": _EMPTY},
    "wide": dict.fromkeys(FAULTS["wide"](), READ),
    "blank": {
        **dict.fromkeys(FAULTS["blank"](), _EMPTY),
        "pdf": "has no text",
        "json": "contains no document",
        "jsonl": "none of its lines is a JSON document",
    },
    "nothing": dict.fromkeys(FAULTS["nothing"](), _EMPTY),
}
ADVICE = (
    "Check the file", "Remove the protection", "Supported:", "There is nothing to ingest", "Split it", "Expected JSON",
    "text recognition", "leave out what nobody asks about",
)  # fmt: skip
CASES = [(fault, ending) for fault in SAID for ending in SAID[fault]]


_FRAME = "<draw:frame><draw:image/></draw:frame>"


def slide_of_a_picture() -> bytes:
    """A presentation of a picture that nothing describes."""
    made = Presentation()
    slide = made.slides.add_slide(made.slide_layouts[6])
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    shape = slide.shapes.add_picture(picture, 0, 0)
    shape._element.nvPicPr.cNvPr.attrib.pop("descr", None)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all, as the files of a job share one."""
    with Sandbox(LIMITS) as shared:
        yield shared


@pytest.fixture(scope="module")
def hurried() -> Iterator[Sandbox]:
    """One that reads a file for few seconds."""
    with Sandbox(FEW_SECONDS) as shared:
        yield shared


def read(sandbox: Sandbox, content: bytes, name: str) -> tuple[str, str]:
    """The message and the text of a file, of which one is empty."""
    parsed = ParsedFile(documents=())
    message = ""
    try:
        parsed = sandbox.parse(content, name)
    except IngestionError as error:
        message = error.message
    return message, "\n".join(block.text for document in parsed.documents for block in document.blocks)


def check(message: str, text: str, expected: str) -> None:
    """The message says what is expected and what to do; a file that can be read gives words."""
    if expected == READ:
        assert message == ""
        assert any(map(str.isalnum, text))
    else:
        assert expected in message
        assert message.startswith("bad.")
        assert any(advice in message for advice in ADVICE)
    assert CANARY not in text


def test_each_fault_is_expected_of_each_of_its_formats() -> None:
    """None is left out."""
    made = {fault: set(make()) for fault, make in FAULTS.items() if fault != "cells"}
    assert made == {fault: set(said) for fault, said in SAID.items()}


@pytest.mark.parametrize(("fault", "ending"), CASES)
def test_a_bad_file_ends_in_words_or_is_read(fault: str, ending: str, sandbox: Sandbox) -> None:
    """Whatever is wrong, the file after it is read."""
    check(*read(sandbox, FAULTS[fault]()[ending](), f"bad.{ending}"), SAID[fault][ending])
    assert read(sandbox, b"# Good\n\nWords.", "good.md") == ("", "Words.")


@pytest.mark.slow
@pytest.mark.parametrize("ending", FAULTS["cells"]())
def test_a_million_cells_are_refused_within_the_limits(ending: str, hurried: Sandbox) -> None:
    """With a message that says which limit it is, and to split the file."""
    message, text = read(hurried, FAULTS["cells"]()[ending](), f"bad.{ending}")
    assert read(hurried, b"# Good\n\nWords.", "good.md") == ("", "Words.")
    assert text == ""
    assert any(limit in message for limit in _TOO_MUCH)
    assert any(advice in message for advice in ADVICE)


@pytest.mark.parametrize("ending", with_references())
def test_what_a_file_refers_to_is_never_fetched(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sandbox too: no parser connects to anything, and no file beside the document is in its text."""
    outside = tmp_path / "outside.txt"
    outside.write_text(CANARY)

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a parser connects to something")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    content = with_references(str(outside))[ending]()
    if SAID["references"][ending] == READ:
        assert CANARY not in str(parse(content, f"refers.{ending}"))
    else:
        with pytest.raises(IngestionError, match=SAID["references"][ending]):
            parse(content, f"refers.{ending}")


def test_the_files_that_refer_elsewhere_do_so() -> None:
    """Otherwise the test above could not fail."""
    made = with_references("/outside")
    packed = {"docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "msg"}
    assert [ending for ending, make in made.items() if ending not in packed and b"outside" not in make()] == []
    assert ADDRESS.encode() in made["html"]()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pptx", slide_of_a_picture()),
        ("a.odp", open_document("presentation", f"<draw:page>{_FRAME}</draw:page>")),
        ("a.odt", open_document("text", f"<text:p>{_FRAME}</text:p>")),
    ],
)
def test_a_file_of_pictures_alone_is_not_called_empty(name: str, content: bytes) -> None:
    """The message says what the file holds, and how its text could be read."""
    with pytest.raises(IngestionError) as raised:
        parse(content, name)
    assert "only what is not read: 1 picture." in raised.value.message
    assert "alternative text" in raised.value.message


def test_a_page_that_scripts_write_is_not_called_empty() -> None:
    """It says to save the page from a browser."""
    page = b"<!doctype html><html><body><div id=root></div><script>draw()</script></body></html>"
    with pytest.raises(IngestionError, match="scripts write it in a browser"):
        parse(page, "a.html")


@pytest.mark.parametrize("ending", OTHER_ENDINGS)
def test_templates_slide_shows_and_files_with_macros_are_read(ending: str) -> None:
    """As the document, the presentation or the workbook that each is."""
    text = "\n".join(block.text for block in parse(saved_as(ending), f"a.{ending}").documents[0].blocks)
    assert {"d": "Turn the key.", "p": "One for each member", "x": "Dinghy | 4"}[ending[0]] in text
