"""E-mail (.eml): subject, sender, date, the newest message and those that it quotes, without attached files.

Messages that are attached are text, and are read as well, whatever they are attached to.
"""

import base64
import datetime as dt
from collections.abc import Iterator, Sequence
from email import message_from_bytes
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr
from typing import Any

from core.library.ingestion.cleaning import one_line
from core.library.ingestion.decoding import decode_unstated
from core.library.ingestion.document import MAX_TITLE, ParsedDocument
from core.library.ingestion.errors import make_encrypted_mail_error, make_too_deep_error, make_unreadable_error
from core.library.ingestion.extent import Loss, Tally
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
from core.library.ingestion.parsers.mail_repair import is_cut_off, read_payload, repair_parts
from core.library.ingestion.parsers.mail_thread import Part
from core.library.ingestion.parsers.outline import Outline

_WRAPPED = {"application/pkcs7-mime", "application/x-pkcs7-mime"}  # S/MIME, encrypted or signed
_ENCRYPTED = {"multipart/encrypted", "application/pgp-encrypted", "application/x-microsoft-rpmsg-message", *_WRAPPED}
_ENCRYPTED_FILES = ("smime.p7m", "message.rpmsg", "encrypted.asc")  # the names that programs give to an encrypted text
_MESSAGES = {"message/rfc822", "message/global", "message/news"}
_MOST_ATTACHED = 500  # messages that are read
_MOST_DEPTH = 20  # of messages attached to attached messages
_LEAST_READABLE = 30  # words beside an encrypted part, from which the message can be read without it
_HEADERS = ("from", "date", "subject", "received", "message-id")


def parse_mail(content: bytes, name: str) -> ParsedDocument:
    """Parse a message. UnreadableFileError when it is none, or is encrypted."""
    try:
        message: Any = message_from_bytes(content, policy=default)
        repair_parts(message)
    except RecursionError as error:
        raise make_too_deep_error(name) from error
    if not any(key in message for key in _HEADERS):
        raise make_unreadable_error(name, "it has none of the lines that an e-mail begins with")
    _refuse_encrypted(message, name)
    title = one_line(_read_header(message, "subject"), MAX_TITLE) or title_from_name(name)
    author = _read_author(_read_header(message, "from"))
    writer = _Writer(Outline(title))
    writer.write(message)
    sent = _sent_on(message) or date_in_name(name)
    return ParsedDocument(**describe(title, author, sent), blocks=writer.outline.blocks, extent=writer.tally.extent)


class _Writer:
    """Writes a message, those attached to it below it, and the names of what is not read."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.tally = Tally()
        self._left = _MOST_ATTACHED
        self._known: set[str] = set()  # paragraphs that were written, folded

    def write(
        self, message: Any, parts: Sequence[Part] | None = None, depth: int = 0, *, is_whole: bool = True
    ) -> None:
        """Write a message, with what was read of it where that is known.

        depth: the number of messages around it. is_whole: False if one of these was cut off, and counted.
        """
        parts = _read_parts(message) if parts is None else parts
        if is_whole and is_cut_off(message):
            self.tally.leave_out(Loss.CUT_OFF)
            is_whole = False
        level = FIRST_LEVEL + depth
        write_own(parts, self.outline, level=level)
        attached: list[Any] = []
        unread: list[str] = []
        for part in _attached_parts(message):
            inner = _attached_message(part)
            self._left -= inner is not None
            if inner is None or self._left < 0 or depth == _MOST_DEPTH or _is_encrypted_message(inner):
                unread.append(part.get_filename() or part.get_content_type())
            else:
                attached.append(inner)
        write_attachments(unread, self.outline)
        read = [_read_parts(inner) for inner in attached]
        # What is quoted and attached as well is read where it is attached.
        self._known.update(words for inner in read for part in inner[:1] for words in part.list_words())
        write_others(
            parts, self.outline, author=_read_author(_read_header(message, "from")), level=level, known=self._known
        )
        for inner, inner_parts in zip(attached, read, strict=True):
            self.outline.heading(level, _name_message(inner))
            self.write(inner, inner_parts, depth + 1, is_whole=is_whole)


def _read_parts(message: Any) -> list[Part]:
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    return read_body(_read_text(plain), _read_text(html))


def _refuse_encrypted(message: Any, name: str) -> None:
    """Raise UnreadableFileError where a message's text is encrypted or wrapped in a signature."""
    if not _is_encrypted_message(message):
        return
    wrapped = next((part for part in _own_parts(message) if part.get_content_type() in _WRAPPED), None)
    if wrapped is not None and str(wrapped.get_param("smime-type") or "").casefold() == "signed-data":
        what = "its text is within a digital signature. Save it from the mail program without the signature"
        raise make_unreadable_error(name, what)
    raise make_encrypted_mail_error(name)


def _is_encrypted_message(message: Any) -> bool:
    """Return True if only its receiver can read a message: S/MIME or PGP, rights management, PGP within the text."""
    if message.get_content_type() in _ENCRYPTED:
        return True
    text = _read_text(message.get_body(("plain",))) or _read_text(message.get_body(("html",)))
    is_in_part = any(map(_is_encrypted_part, _own_parts(message))) and len(text.split()) < _LEAST_READABLE
    return is_in_part or is_encrypted_text(text)


def _own_parts(message: Any) -> Iterator[Any]:
    """List the parts of a message, without those of messages attached to it."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            waiting += reversed(part.get_payload())


def _is_encrypted_part(part: Any) -> bool:
    try:
        name = str(part.get_filename() or "").casefold()
    except (MessageError, ValueError, LookupError, AttributeError, TypeError):  # the library's reader of bad headers
        name = ""
    if part.get_content_type() in _WRAPPED:
        return not name or name in _ENCRYPTED_FILES or not part.is_attachment()
    return part.get_content_type() in _ENCRYPTED or name in _ENCRYPTED_FILES


def _attached_parts(message: Any) -> Iterator[Any]:
    """List what is attached to a message: files and messages, also within groups of parts such as a digest."""
    waiting = list(reversed(list(message.iter_attachments()))) if message.is_multipart() else []
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and not part.is_attachment():
            inner = [one for one in part.iter_parts() if one.get_content_maintype() in ("multipart", "message")]
            waiting += reversed(inner) if inner else []
            if inner:
                continue
        yield part


def _attached_message(part: Any) -> Any:
    """Return the message that a part is; None where it is a file. Some programs encode it, or call it a file."""
    is_file = part.get_content_maintype() != "message" and str(part.get_filename() or "").casefold().endswith(".eml")
    if part.get_content_type() not in _MESSAGES and not is_file:
        return None
    try:
        inner = message_from_bytes(part.get_payload(decode=True) or b"", policy=default) if is_file else None
        if inner is None:
            inner = part.get_payload(0)
            if str(part.get("content-transfer-encoding", "")).strip().casefold() == "base64":
                inner = message_from_bytes(base64.b64decode(inner.as_bytes()), policy=default)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return inner if any(key in inner for key in _HEADERS) else None


def _name_message(message: Any) -> str:
    """Name an attached message by its subject, its sender and its day."""
    sent = _sent_on(message)
    by = ", ".join(filter(None, (_read_author(_read_header(message, "from")), sent.isoformat() if sent else "")))
    subject = one_line(_read_header(message, "subject"), MAX_TITLE)
    return f"{subject} ({by})" if subject and by else subject or by


def _sent_on(message: Any) -> dt.date | None:
    try:
        sent = getattr(message["date"], "datetime", None) if "date" in message else None
    except (MessageError, ValueError, IndexError, AttributeError, TypeError):
        return None
    return sent.date() if sent else None


def _read_header(message: EmailMessage, key: str) -> str:
    """Return a header in plain words; "" where there is none, or one that nobody can read."""
    try:
        raw = next((str(value) for name, value in message.raw_items() if name.casefold() == key), "")
        if any("\udc80" <= character <= "\udcff" for character in raw):  # bytes that no encoding is named for
            return decode_unstated(raw.encode("utf-8", "surrogateescape"))
        return str(message.get(key, ""))
    except (MessageError, ValueError, IndexError, AttributeError, TypeError):  # the library's reader of bad headers
        return ""


def _read_author(sender: str) -> str:
    """Return the name of a sender, or the address where there is no name."""
    shown, address = parseaddr(sender)
    return one_line(shown or address)


def _read_text(part: Any) -> str:
    """Return the text of a part, in whatever encoding; that of bytes that name none, or another one, is guessed."""
    if part is None:
        return ""
    return decode_unstated(read_payload(part), part.get_content_charset() or "")
