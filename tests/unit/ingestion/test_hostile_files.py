"""Files made to do harm: each ends in a clear message or a harmless success, and the next file is read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import (
    EmptyFileError,
    EncryptedFileError,
    IngestionError,
    NoTextError,
    ParserLimitError,
    UnreadableFileError,
    UnsupportedFileError,
)
from core.library.ingestion.document import ParsedFile
from core.library.ingestion.errors import NoDocumentError
from core.library.ingestion.naming import clean_uploaded_name
from core.library.ingestion.sandbox.process import Sandbox
from tests.unit.ingestion.hostile_files import KINDS, LIMITS, TOUCHED
from tests.unit.ingestion.hostile_names import NAMES

# What only a sandbox that lacks something raises: the parser wanted a file that it should have loaded before.
_OWN_FAULTS = {"PermissionError", "FileNotFoundError", "ImportError", "ModuleNotFoundError", "OSError"}
_INTERNAL = ("Traceback", "Error:", "Errno", "0x", "site-packages", str(Path.cwd()))
ENDS: dict[str, type[IngestionError] | None] = {
    "zip bomb": UnreadableFileError,
    "nested archives": UnsupportedFileError,
    "gzip bomb": UnsupportedFileError,
    "gzip bomb as text": UnreadableFileError,
    "deflate bomb": UnreadableFileError,
    "Word document with a password": EncryptedFileError,
    "Word document that Office locked": EncryptedFileError,
    "PDF with a password": EncryptedFileError,
    "laughing entities in a Word document": UnreadableFileError,
    "OpenDocument cut off": UnreadableFileError,
    "OpenDocument without content": UnreadableFileError,
    "OpenDocument nested deep": UnreadableFileError,
    "type of an OpenDocument that unpacks to too much": UnreadableFileError,
    "entity of a file in an OpenDocument": None,
    "lists nested as deep as XML may be": None,
    "style that is its own parent": None,
    "OpenDocument that asks the network": None,
    "row repeated a billion times": UnreadableFileError,
    "cell repeated a billion times": None,
    "groups nested deep in RTF": UnreadableFileError,
    "groups that end too often": None,
    "object of megabytes in RTF": None,
    "bytes past the end of RTF": None,
    "mark of RTF alone": EmptyFileError,
    "row of ten thousand cells in RTF": None,
    "message that is encrypted": UnreadableFileError,
    "message of nothing": EmptyFileError,
    "time before there were clocks": None,
    "mail without headers": UnreadableFileError,
    "mail that is encrypted": UnreadableFileError,
    "encodings that there are not": None,
    "book cut off": UnreadableFileError,
    "book without a package": UnreadableFileError,
    "book that leads out": UnreadableFileError,
    "book whose pages lead away": None,
    "presentation cut off": UnreadableFileError,
    "presentation without slides": UnreadableFileError,
    "presentation that asks the network": None,
    "workbook cut off": UnreadableFileError,
    "workbook without a book": UnreadableFileError,
    "one row of a million cells": UnreadableFileError,
    "quotation mark without an end": UnreadableFileError,
    "laughing aliases": ParserLimitError,
    "alias of itself": UnreadableFileError,
    "sections nested deep": UnreadableFileError,
    "10 MB on one line": ParserLimitError,
    "10 MB on one line of text": ParserLimitError,
    "pictures alone": NoTextError,
    "tree of pages that is a circle": UnreadableFileError,
    "a hundred thousand pages claimed": UnreadableFileError,
    "nothing": EmptyFileError,
    "white space alone": EmptyFileError,
    "a byte-order mark alone": EmptyFileError,
    "what is beyond Unicode": UnreadableFileError,
    "a lone value": NoDocumentError,
    "picture as SVG": UnsupportedFileError,
    "html called pdf": UnreadableFileError,
    # What is harmless is read.
    "archives within a document": None,
    "tables of a Word document nested as deep as XML may be": None,
    "controls of a Word document nested as deep as XML may be": None,
    "boxes of a Word document nested as deep as XML may be": None,
    "Word document that asks the network": None,
    "Word document with a macro": None,
    "laughing entities": None,
    "entity of a file": None,
    "page that leads away": None,
    "tags that run programs": None,
    "scripts and programs to launch": None,
    "files within": None,
    "bookmarks that are a circle": None,
    "font that claims every character": None,
    "a bad row among good ones": None,
    "numbers that are none": None,
    "half a character": None,
    "NUL in an id": None,
    "keys twice": None,
    "marks that turn the reading": None,
    "pdf called md": None,
    "docx called pdf": None,
    "xlsx called csv": None,
    "cells at the far corners of a sheet": None,
    "merged cells over a whole sheet": None,
    "workbook with macros, links and pictures": None,
    "picture cut off": NoTextError,  # in words that say how pictures are read
    "html called txt": None,
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all, as the files of a job share one."""
    with Sandbox(LIMITS) as shared:
        yield shared


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_file_ends_in_words_or_does_no_harm(kind: str, sandbox: Sandbox) -> None:
    """The message names the file and nothing internal; nothing of this machine is in the text; the next one is read."""
    name, make = KINDS[kind]
    content = make()
    ended: IngestionError | None = None
    parsed = ParsedFile(documents=())
    try:
        parsed = sandbox.parse(content, name)
    except IngestionError as error:
        ended = error
    if ended is not None:
        assert ended.message.startswith(name)
        assert not [word for word in _INTERNAL if word in ended.message]
        if "does not understand" in ended.message:
            assert sandbox._ask_copy(content, name).get("cause") not in _OWN_FAULTS
    said = [ended.message] if ended else list(parsed.problems)
    assert all(len(message) < 300 for message in said)
    text = "\n".join(block.text for document in parsed.documents for block in document.blocks)
    assert Path("/etc/passwd").read_text().splitlines()[0] not in text
    assert kind not in ENDS or (type(ended) if ended else None) is ENDS[kind]
    assert sandbox.parse(b"# Good\n\nWords", "good.md").documents[0].title == "Good"
    assert not TOUCHED.exists()


def test_there_are_many_kinds() -> None:
    """And each expected end is that of a kind."""
    assert len(KINDS) >= 100
    assert set(ENDS) <= set(KINDS)


@pytest.mark.parametrize("number", range(len(NAMES)))
def test_a_hostile_name_is_kept_as_a_harmless_one(number: int) -> None:
    """No folders, nothing invisible, not too long, and the ending that says what the file is."""
    name = clean_uploaded_name(NAMES[number])
    assert name.isprintable()
    assert 0 < len(name) <= 200
    assert not {"/", "\\"} & set(name)
    assert name.strip(" .") == name
    assert name.endswith(".md") == NAMES[number].endswith("md")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("minutes.md", "minutes.md"),
        ("Größe der Tür (2).PDF", "Größe der Tür (2).PDF"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a  b.txt", "a b.txt"),
        ("v1.2 notes", "v1.2 notes"),
        ("日本語.html", "日本語.html"),
    ],
)
def test_an_ordinary_name_stays(given: str, kept: str) -> None:
    """Whatever people call their files, but for the folders they are in."""
    assert clean_uploaded_name(given) == kept
