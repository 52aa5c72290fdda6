"""Outlook's .msg: the same as an e-mail, read from the properties of its compound file.

See learn.microsoft.com/openspecs/exchange_server_protocols, [MS-OXMSG] for the streams and [MS-OXPROPS] for their ids.
"""

import datetime as dt
import io
import struct
from email.parser import HeaderParser
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_encrypted_mail_error, make_unreadable_error
from core.library.ingestion.naming import date_in_name, title_from_name
from core.library.ingestion.parsers.header import describe
from core.library.ingestion.parsers.mail_body import (
    FIRST_LEVEL,
    is_encrypted_text,
    read_body,
    write_attachments,
    write_others,
    write_own,
)
from core.library.ingestion.parsers.outline import Outline

if TYPE_CHECKING:
    from olefile import OleFileIO

_CLASS, _SUBJECT, _HEADERS, _BODY, _HTML = 0x001A, 0x0037, 0x007D, 0x1000, 0x1013
_SENDER = (0x0042, 0x0C1A, 0x5D02, 0x0065, 0x5D01, 0x0C1F)  # names before addresses; whom it is sent for first
_SENT = (0x0039, 0x0E06)  # by the sender; when it arrived
_CODE_PAGES = (0x3FFD, 0x3FDE)
_FILE_NAME = (0x3707, 0x3704, 0x3001)
_IS_HIDDEN = 0x7FFE  # of an attachment: a picture within the text
_TEXT, _ANSI_TEXT, _BINARY, _WHOLE, _TRUTH, _TIME = 0x001F, 0x001E, 0x0102, 0x0003, 0x000B, 0x0040
_PROPERTIES = "__properties_version1.0"
_ATTACHED = "__attach_version1.0_"
_HEADER_OF_MESSAGE, _HEADER_OF_PART = 32, 8  # bytes before the properties
_ENTRY = struct.Struct("<HHI8s")
_EPOCH = dt.datetime(1601, 1, 1, tzinfo=dt.UTC)
_ENCRYPTED = ("ipm.note.smime", "ipm.note.secure")
_PROTECTED = "message.rpmsg"  # the text of a message under rights management


class _Properties:
    """The properties of a message, or of one of its attachments."""

    def __init__(self, file: "OleFileIO", folder: str = "") -> None:
        self._file = file
        self._folder = f"{folder}/" if folder else ""
        raw = self._read(_PROPERTIES)[_HEADER_OF_PART if folder else _HEADER_OF_MESSAGE :]
        whole = len(raw) // _ENTRY.size * _ENTRY.size
        self._fixed = {(number, kind): value for kind, number, _, value in _ENTRY.iter_unpack(raw[:whole])}

    def text(self, *numbers: int) -> str:
        """Return the first of these properties that says something, as text."""
        for number in numbers:
            text = self._read_stream(number, _TEXT).decode("utf-16-le", "replace") or self.decode(
                self._read_stream(number, _ANSI_TEXT)
            )
            if text.strip("\0").strip():
                return text.strip("\0")
        return ""

    def binary(self, number: int) -> bytes:
        """Return a property that is bytes; none where it is not there."""
        return self._read_stream(number, _BINARY)

    def decode(self, content: bytes) -> str:
        """Text in the code page of the message."""
        page = next((value for number in _CODE_PAGES if (value := self.whole(number, _WHOLE))), 0)
        encoding = {65001: "utf-8", 20127: "ascii", 28591: "latin-1"}.get(page, f"cp{page}")
        try:
            return content.decode(encoding, "replace")
        except LookupError:
            return content.decode("utf-8", "replace")

    def whole(self, number: int, kind: int) -> int:
        """Return a property that is a whole number, a truth or a time; 0 where it is not there."""
        value = self._fixed.get((number, kind), bytes(8))
        return int.from_bytes(value if kind == _TIME else value[: 2 if kind == _TRUTH else 4], "little")

    def _read_stream(self, number: int, kind: int) -> bytes:
        return self._read(f"__substg1.0_{number:04X}{kind:04X}")

    def _read(self, name: str) -> bytes:
        path = f"{self._folder}{name}"
        if not self._file.exists(path) or self._file.get_type(path) != 2:  # a stream
            return b""
        with self._file.openstream(path) as stream:
            return bytes(stream.read())


def parse_msg(content: bytes, name: str) -> ParsedDocument:
    """Parse a message. UnreadableFileError when it is damaged, or is encrypted."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(content)) as file:
            if not file.exists(_PROPERTIES):  # its directory is cut off
                raise make_unreadable_error(name, "it is damaged or cut off")
            message = _Properties(file)
            attached = _list_attachments(file)
            if _is_encrypted(message, attached):
                raise make_encrypted_mail_error(name)
            title = one_line(message.text(_SUBJECT), MAX_TITLE) or title_from_name(name)
            outline = Outline(title)
            date = _read_sent(message) or date_in_name(name)
            author = one_line(message.text(*_SENDER))
            html = message.text(_HTML) or message.decode(message.binary(_HTML))
            parts = read_body(message.text(_BODY), html)
            write_own(parts, outline, level=FIRST_LEVEL)
            write_attachments(attached, outline)
            write_others(parts, outline, author=author, level=FIRST_LEVEL, known=set())
    except (OSError, struct.error) as error:
        raise make_unreadable_error(name, "it is damaged or cut off") from error
    return ParsedDocument(**describe(title, author, date), blocks=outline.blocks)


def _is_encrypted(message: _Properties, attached: list[str]) -> bool:
    """Return True if only its receiver's mail program can read a message: S/MIME, rights management or PGP."""
    kind = message.text(_CLASS).casefold()
    if kind.startswith(_ENCRYPTED) and not kind.endswith(".multipartsigned"):
        return True
    return any(name.casefold() == _PROTECTED for name in attached) or is_encrypted_text(message.text(_BODY))


def _read_sent(message: _Properties) -> dt.date | None:
    """Return the day on which a message was sent, where its sender was if its headers say so."""
    stated = HeaderParser().parsestr(message.text(_HEADERS))["date"]
    try:
        if stated:
            return parsedate_to_datetime(str(stated)).date()
        ticks = next((value for number in _SENT if (value := message.whole(number, _TIME))), 0)
        return (_EPOCH + dt.timedelta(microseconds=ticks // 10)).date() if ticks else None
    except (ValueError, OverflowError, TypeError):
        return None


def _list_attachments(file: "OleFileIO") -> list[str]:
    """The names of what is attached, without the pictures in the text."""
    folders = sorted({path[0] for path in file.listdir(streams=True, storages=False) if path[0].startswith(_ATTACHED)})
    found = [_Properties(file, folder) for folder in folders]
    return [each.text(*_FILE_NAME) for each in found if not each.whole(_IS_HIDDEN, _TRUTH)]
