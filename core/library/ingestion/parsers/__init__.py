"""Parsers: from the bytes of a file to documents. They run in the sandboxed process, without Django.

Every format that is a ZIP archive passes one guard first.
"""

import gc
import io
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from core.library.ingestion.decoding import decode
from core.library.ingestion.detection import detect
from core.library.ingestion.document import ParsedDocument, ParsedFile
from core.library.ingestion.errors import (
    make_empty_error,
    make_encrypted_error,
    make_unreadable_error,
    make_wordless_error,
)
from core.library.ingestion.extent import Found
from core.library.ingestion.formats import Format, Given
from core.library.ingestion.recognition import Recogniser
from core.values.sizes import MEGABYTE

# New objects between two searches for cycles of garbage. Parsers make hundreds of thousands of values without one, and
# at Python's own 700 a fifth of their time goes into searching.
_COLLECT_AFTER = 50_000

MAX_UNZIPPED = 256 * MEGABYTE  # bytes; a book of a thousand pages with pictures has a tenth of it
MOST_PARTS = 10_000  # members; a presentation of a thousand slides has a third of it
MAX_RATIO = 200  # of what comes out to what went in; a sheet of numbers in XML has a tenth of it
_SMALL = 16 * MEGABYTE  # bytes that may come out whatever the ratio is: a sheet of one word over and over
_READ = MEGABYTE


def parse(content: bytes, name: str, recogniser: Recogniser | None = None) -> ParsedFile:
    """Parse a file of any supported kind.

    name: with its ending, and with its folders where they are known; errors call the file by it. recogniser: reads
    pictures; without one they are left out.
    Raises the errors of core.library.ingestion.errors.
    """
    if not content.strip():
        raise make_empty_error(name)
    with _collecting_seldom():
        parsed = _parse_format(detect(content, name).value, content, name, recogniser)
    documents = tuple(document for document in parsed.documents if document.blocks)
    if not documents and not parsed.problems:
        found: Counter[Found] = Counter()
        for document in parsed.documents:
            found.update(document.extent.found)
        raise make_wordless_error(name, found)
    return ParsedFile(documents=documents, problems=parsed.problems)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Look for cycles of garbage less often."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], _COLLECT_AFTER) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _parse_format(format_: Format, content: bytes, name: str, recogniser: Recogniser | None) -> ParsedFile:
    if format_.is_archive:
        check_archive(content, name)
    parse_it = format_.load_parser()
    match format_.given:
        case Given.TEXT:
            parsed = parse_it(decode(content, name), name)
        case Given.BYTES:
            parsed = parse_it(content, name)
        case Given.BYTES_AND_RECOGNISER:
            parsed = parse_it(content, name, recogniser)
    return ParsedFile(documents=(parsed,)) if isinstance(parsed, ParsedDocument) else parsed


def check_archive(content: bytes, name: str) -> None:
    """Unpack an archive without keeping it, counting what really comes out: the sizes it declares may lie.

    EncryptedFileError when a part needs a password, UnreadableFileError when it is damaged, has too many parts or is
    too large unpacked.
    """
    most = min(MAX_UNZIPPED, max(_SMALL, MAX_RATIO * len(content)))
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MOST_PARTS:
                raise make_unreadable_error(name, f"it consists of more than {MOST_PARTS:,} parts")
            for part in parts:
                if part.flag_bits & 0x1:
                    raise make_encrypted_error(name)
                with archive.open(part) as stream:
                    while piece := stream.read(_READ):
                        total += len(piece)
                        if total > most:
                            raise make_unreadable_error(name, f"it unpacks to more than {most // MEGABYTE} MB")
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, zlib.error) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
