"""Repair messages whose parts nobody can tell apart: the line between them is not the one that the message states."""

import re
from email import message_from_bytes
from email.policy import default
from typing import Any

_MOST_REPAIRED = 50  # parts of a message; each is read anew
# A line between two parts, by the header below it.
_BOUNDARY = re.compile(r"^--(\S[^\r\n]{0,69}?)[ \t]{0,10}\r?\n(?=content-[a-z-]{1,30}:)", re.IGNORECASE | re.MULTILINE)

_ENCRYPTED = "multipart/encrypted"
_PAGE = re.compile(r"\s*+(?:<!doctype|<html|<body|<div|<p|<table)\b", re.IGNORECASE)


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
            _repair(part)
        if part.is_multipart():
            waiting += part.get_payload()


def _repair(part: Any) -> None:
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
