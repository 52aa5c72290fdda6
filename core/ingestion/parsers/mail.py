"""E-mail (.eml): subject, sender, date and the newest message, without what it quotes and without its attachments."""

from email import message_from_bytes
from email.errors import MessageError
from email.message import EmailMessage
from email.policy import default
from email.utils import parseaddr
from typing import Any

from core.ingestion.cleaning import one_line
from core.ingestion.dates import date_in_name
from core.ingestion.document import MAX_TITLE, ParsedDocument
from core.ingestion.errors import make_encrypted_mail_error, make_unreadable_error
from core.ingestion.naming import title_from_name
from core.ingestion.parsers.header import describe
from core.ingestion.parsers.mail_body import write_attachments, write_html_body, write_plain_body
from core.ingestion.parsers.outline import Outline

_ENCRYPTED = {"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_HEADERS = ("from", "date", "subject", "received", "message-id")


def parse_mail(content: bytes, name: str) -> ParsedDocument:
    """Parse a message. UnreadableFileError when it is none, or is encrypted."""
    message: Any = message_from_bytes(content, policy=default)
    if not any(key in message for key in _HEADERS):
        raise make_unreadable_error(name, "it has none of the lines that an e-mail begins with")
    if message.get_content_type() in _ENCRYPTED:
        raise make_encrypted_mail_error(name)
    title = one_line(_header(message, "subject"), MAX_TITLE) or title_from_name(name)
    author = _author(_header(message, "from"))
    outline = Outline(title)
    _write_body(message, outline)
    attached = _attachments(message)
    write_attachments([part.get_filename() or part.get_content_type() for part in attached], outline)
    sent = getattr(message["date"], "datetime", None) if "date" in message else None
    date = sent.date() if sent else date_in_name(name)
    return ParsedDocument(**describe(title, author, date), blocks=outline.blocks)


def _header(message: EmailMessage, key: str) -> str:
    """A header in plain words; "" where there is none, or one that nobody can read."""
    try:
        return str(message.get(key, ""))
    except (MessageError, ValueError, IndexError, AttributeError, TypeError):  # the library's reader of bad headers
        return ""


def _author(sender: str) -> str:
    """The name of a sender, or the address where there is no name."""
    shown, address = parseaddr(sender)
    return one_line(shown or address)


def _attachments(message: EmailMessage) -> list[Any]:
    return list(message.iter_attachments()) if message.is_multipart() else []


def _write_body(message: EmailMessage, outline: Outline) -> None:
    plain, html = message.get_body(("plain",)), message.get_body(("html",))
    text = _text(plain)
    if text.strip() or html is None:
        write_plain_body(text, outline)
    else:
        write_html_body(_text(html), outline)


def _text(part: Any) -> str:
    """The text of a part, in whatever encoding; one that it names and nobody knows counts as UTF-8."""
    if part is None:
        return ""
    try:
        return str(part.get_content())
    except (LookupError, ValueError):
        payload = part.get_payload(decode=True)
        return payload.decode("utf-8", "replace") if isinstance(payload, bytes) else ""
