"""E-mail: the newest message, who wrote it and when."""

import datetime as dt
from email.message import EmailMessage

import pytest

from core.ingestion.parsers import parse

HISTORY = [
    "On Mon, 3 Mar 2025 at 09:00, Bob <bob@example.com> wrote:\n> May I moor?",
    "On Monday, the third of March in the year 2025,\nBob of the harbour wrote:\n> May I moor?",
    "Am 03.03.25 um 09:00 schrieb Bob:\n> May I moor?",
    "-----Original Message-----\nFrom: Bob\nMay I moor?",
    "> May I moor?",
    "-- \nMay I moor? (a signature)",
]


def message(text: str, *, html: str = "") -> EmailMessage:
    """A message with a text, or with HTML alone."""
    made = EmailMessage()
    made["Subject"] = "Größe der Boote"
    made["From"] = "Ada Writer <ada@example.com>"
    made["Date"] = "Tue, 4 Mar 2025 10:00:00 +0100"
    if html:
        made.set_content(html, subtype="html")
    else:
        made.set_content(text)
    return made


def texts(made: EmailMessage) -> list[str]:
    """The texts of the blocks of a message."""
    [document] = parse(made.as_bytes(), "m.eml").documents
    return [block.text for block in document.blocks]


@pytest.mark.parametrize("history", HISTORY)
def test_the_newest_message_alone(history: str) -> None:
    """Without the older ones below it, whatever program wrote the line above them, and without a signature."""
    made = message(f"You may.\n\nBoats up to 9 m.\n\n{history}\n")
    [document] = parse(made.as_bytes(), "m.eml").documents
    assert (document.title, document.document_date) == ("Größe der Boote", dt.date(2025, 3, 4))
    assert document.full_citation == "Ada Writer (2025). Größe der Boote."
    assert texts(made) == ["You may.", "Boats up to 9 m."]


def test_a_message_in_html() -> None:
    """Is read as a page, without what it quotes."""
    html = "<p>You may.</p><ul><li>Ring first</li></ul><blockquote>May I moor?</blockquote>"
    assert texts(message("", html=html)) == ["You may.", "- Ring first"]


def test_attachments_are_named_and_not_read() -> None:
    """Text files neither."""
    made = message("See the plan.")
    made.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan.pdf")
    made.add_attachment("secret words", filename="notes.txt")
    assert texts(made) == ["See the plan.", "Attachments, not read: plan.pdf, notes.txt"]
