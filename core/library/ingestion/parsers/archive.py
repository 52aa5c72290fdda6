"""The one guard of every format that is a ZIP archive: `parse` has each of their files pass it."""

import io
import zipfile
import zlib

from core.library.ingestion.errors import make_encrypted_error, make_unreadable_error
from core.values.sizes import MEGABYTE

MAX_UNZIPPED = 256 * MEGABYTE  # bytes; a book of a thousand pages with pictures has a tenth of it
MOST_PARTS = 10_000  # members; a presentation of a thousand slides has a third of it
MAX_RATIO = 200  # of what comes out to what went in; a sheet of numbers in XML has a tenth of it
_SMALL = 16 * MEGABYTE  # bytes that may come out whatever the ratio is: a sheet of one word over and over
_READ = MEGABYTE


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
