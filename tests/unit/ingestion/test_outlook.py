"""Outlook's messages: read as e-mails are."""

import datetime as dt
from typing import Any

import pytest

from core.errors import UnreadableFileError
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import msg

NOON = 133855128000000000  # of 3 March 2025, in UTC


def test_the_newest_message_comes_first() -> None:
    """With its day, its sender and what is attached; what Outlook repeats of an older one is a section."""
    body = "You may.\r\n\r\nBoats up to 9 m.\r\n\r\n_____\r\nFrom: Bob\r\nSent: 2 March\r\nTo: Ada\r\n\r\nMay I moor?"
    content = msg(subject="Größe der Boote", sender="Ada Writer", body=body, attached=["plan.pdf"], sent=NOON)
    [document] = parse(content, "m.msg").documents
    assert (document.title, document.document_date) == ("Größe der Boote", dt.date(2025, 3, 3))
    assert document.full_citation == "Ada Writer (2025). Größe der Boote."
    assert [(block.section, block.text) for block in document.blocks] == [
        ("", "You may."),
        ("", "Boats up to 9 m."),
        ("", "Attachments, not read: plan.pdf"),
        ("Bob, 2 March", "May I moor?"),
    ]


def test_a_message_in_html() -> None:
    """In the code page that the message names; its headers say which day it was where it was sent."""
    html = "<p>Größe</p><ul><li>Ring first</li></ul><div id=divRplyFwdMsg>From: Bob</div><p>May I?</p>".encode()
    headers = "Received: x\r\nDate: Tue, 4 Mar 2025 00:30:00 +0100\r\n"
    [document] = parse(msg(subject="a", html=html, headers=headers, sent=NOON), "m.msg").documents
    own = [block.text for block in document.blocks if not block.section]
    assert own == ["Größe", "- Ring first"]
    assert document.blocks[-1].text == "May I?"
    assert document.document_date == dt.date(2025, 3, 4)


@pytest.mark.parametrize(
    "parts",
    [
        {"kind": "IPM.Note.SMIME", "body": "x"},
        {"kind": "IPM.Note.Secure", "body": "x"},
        {"body": "This message is protected.", "attached": ["message.rpmsg"]},
        {"body": "-----BEGIN PGP MESSAGE-----\r\n\r\nhQEMA\r\n-----END PGP MESSAGE-----\r\n"},
    ],
)
def test_an_encrypted_message_says_so(parts: dict[str, Any]) -> None:
    """Its text is in an attachment that only its receiver's program can read, or is armoured."""
    with pytest.raises(UnreadableFileError, match="its text is encrypted"):
        parse(msg(subject="a", **parts), "m.msg")
