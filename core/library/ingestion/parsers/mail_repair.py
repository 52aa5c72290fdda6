"""Repair messages whose parts nobody can tell apart, and read what is left of those that end too early.

The line between two parts is then not the one that the message states.
"""

import base64
import re
from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect
from email.policy import default
from typing import Any

_MOST_REPAIRED = 50  # parts of a message; each is read anew
# A line between two parts, by the header below it.
_BOUNDARY = re.compile(r"^--(\S[^\r\n]{0,69}?)[ \t]{0,10}\r?\n(?=content-[a-z-]{1,30}:)", re.IGNORECASE | re.MULTILINE)

_ENCRYPTED = "multipart/encrypted"
_PAGE = re.compile(r"\s*+(?:<!doctype|<html|<body|<div|<p|<table)\b", re.IGNORECASE)

_NO_LETTER = re.compile(r"[^A-Za-z0-9+/]+")  # of base64
_GROUP = 4  # letters of base64 that make three bytes; a single one makes none
_HALF_SIGN = re.compile(r"=[0-9A-Fa-f]?\Z")  # of quoted-printable, without the rest of it


def repair_parts(message: Any) -> None:
    """Split the parts of a message that could not be split, and make text of those that are none.

    Mail programs call a text "multipart" when they took its other parts away, and forwarding changes or drops the
    boundary that the header states.
    """
    left = _MOST_REPAIRED
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and not part.is_multipart() and left:
            left -= 1
            _repair_part(part)
        if part.is_multipart():
            waiting += part.get_payload()


def _repair_part(part: Any) -> None:
    text = part.get_payload()
    if not isinstance(text, str):
        return
    found = _BOUNDARY.search(text)
    is_encoded = str(part.get("content-transfer-encoding", "")).strip().casefold() in ("base64", "quoted-printable")
    # Undecoded, the library gives letters outside ASCII as signs of replacement.
    content = text.encode("utf-8", "surrogateescape") if is_encoded else part.get_payload(decode=True)
    if found:
        head = f'Content-Type: {part.get_content_type()}; boundary="{found[1]}"\n\n'
        split = message_from_bytes(head.encode("utf-8", "surrogateescape") + content, policy=default)
        if split.is_multipart():
            part.set_payload(split.get_payload())
            part.defects = split.defects  # whether its last part ends, too
            return
    if part.get_content_type() == _ENCRYPTED:
        return  # so that the message is refused
    is_page = bool(_PAGE.match(text))
    del part["content-type"]
    part["Content-Type"] = "text/html" if is_page else "text/plain"


def is_cut_off(message: Any) -> bool:
    """Return True if a message ends within one of its parts. One that ends between two lines shows nothing of it."""
    if any(isinstance(defect, CloseBoundaryNotFoundDefect) for defect in message.defects):
        return True
    if not message.is_multipart():
        return _ends_in_a_sign(message)
    bodies = (message.get_body((kind,)) for kind in ("plain", "html"))
    return any(body is not None and _count_odd_letters(body) == 1 for body in bodies)


def read_payload(part: Any) -> bytes:
    """Return the bytes of a part, as far as they go; none where it has no text of its own."""
    if _count_odd_letters(part) == 1:
        return _drop_half_letter(part, base64.b64decode(_NO_LETTER.sub("", part.get_payload())[:-1]))
    payload = part.get_payload(decode=True)
    return _drop_half_letter(part, payload) if isinstance(payload, bytes) else b""


def _ends_in_a_sign(part: Any) -> bool:
    """Return True if the text of a file of one part ends within an encoded sign, or within a letter."""
    text = part.get_payload()
    if _read_encoding(part) == "quoted-printable" and isinstance(text, str) and _HALF_SIGN.search(text):
        return True
    payload = part.get_payload(decode=True)
    is_halved = isinstance(payload, bytes) and len(_drop_half_letter(part, payload)) < len(payload)
    return is_halved or _count_odd_letters(part) > 0


def _read_encoding(part: Any) -> str:
    return str(part.get("content-transfer-encoding", "")).strip().casefold()


def _count_odd_letters(part: Any) -> int:
    """Count the letters of base64 behind the last whole group; 0 where signs at the end fill it, and of other parts."""
    text = part.get_payload()
    if _read_encoding(part) != "base64" or not isinstance(text, str) or "=" in text:
        return 0
    return len(_NO_LETTER.sub("", text)) % _GROUP


def _drop_half_letter(part: Any, payload: bytes) -> bytes:
    """Return bytes without an incomplete last letter, for which all would be taken for another encoding."""
    if (part.get_content_charset() or "").casefold() not in ("utf-8", "utf8"):
        return payload
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            return payload[: error.start]
    return payload
