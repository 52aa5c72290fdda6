"""E-mail: the newest message, who wrote it and when, and what is attached; test_mail_threads.py has the older ones."""

import base64
import datetime as dt
from email.message import EmailMessage

import pytest

from core.library.ingestion.parsers import parse

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
    """The texts of the blocks of a message, without the sections of others."""
    [document] = parse(made.as_bytes(), "m.eml").documents
    return [block.text for block in document.blocks if not block.section]


@pytest.mark.parametrize("history", HISTORY)
def test_the_newest_message_comes_first(history: str) -> None:
    """Apart from the older ones below it, whatever program wrote the line above them, and from a signature."""
    made = message(f"You may.\n\nBoats up to 9 m.\n\n{history}\n")
    [document] = parse(made.as_bytes(), "m.eml").documents
    assert (document.title, document.document_date) == ("Größe der Boote", dt.date(2025, 3, 4))
    assert document.full_citation == "Ada Writer (2025). Größe der Boote."
    assert texts(made) == ["You may.", "Boats up to 9 m."]
    [other] = [block for block in document.blocks if block.section]
    assert other.text.startswith("May I moor?")


def test_a_message_in_html() -> None:
    """Is read as a page, apart from what it quotes."""
    html = "<p>You may.</p><ul><li>Ring first</li></ul><blockquote>May I moor?</blockquote>"
    assert texts(message("", html=html)) == ["You may.", "- Ring first"]


def test_attachments_are_named_and_not_read() -> None:
    """Text files neither."""
    made = message("See the plan.")
    made.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan.pdf")
    made.add_attachment("secret words", filename="notes.txt")
    assert texts(made) == ["See the plan.", "Attachments, not read: plan.pdf, notes.txt"]


STUBS = [
    "This newsletter is best seen in a browser: https://example.com/n/1?u=2",
    "Votre messagerie ne peut afficher ce message. Lien : https://example.com/n/1",
    "Your mail program cannot show this message. Please switch on the display of pages, or write for a copy of it.",
]
PAGE = (
    "<p>From 4 July boats may moor at the new quay. The crane lifts boats up to nine tonnes on Tuesdays and Fridays, "
    "for 40 euros.</p><p>Winter berths are given away on 1 September.</p>"
)


@pytest.mark.parametrize("stub", STUBS)
def test_a_plain_text_that_only_leads_to_the_page_is_passed_over(stub: str) -> None:
    """In whatever words and language: the page says much more."""
    made = message(stub)
    made.add_alternative(PAGE, subtype="html")
    assert texts(made)[0].startswith("From 4 July boats may moor")
    assert len(texts(made)) == 2


def test_a_plain_text_that_says_the_same_is_read() -> None:
    """A page with some words more, and an older message below, is no reason to pass it over."""
    made = message("You may moor at the new quay from 4 July, for 40 euros a night.")
    page = "<p>You may moor at the <b>new quay</b> from 4 July, for 40 euros a night.</p><p>Harbour office, Quay 4</p>"
    made.add_alternative(page, subtype="html")
    assert texts(made) == ["You may moor at the new quay from 4 July, for 40 euros a night."]


def attached(subject: str, text: str, *, within: EmailMessage | None = None) -> EmailMessage:
    """A message with another one attached to it."""
    made = message(text)
    made.replace_header("Subject", subject)
    if within is not None:
        made.add_attachment(within)
    return made


def test_attached_messages_are_read_at_any_depth() -> None:
    """Each under its subject, with its sender and day; the files that are attached to them are named."""
    inner = attached("Crane", "The crane rests in May.")
    inner.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="plan.pdf")
    made = attached("Fwd: Fwd", "See below.", within=attached("Fwd", "And below.", within=inner))
    [document] = parse(made.as_bytes(), "m.eml").documents
    by = "(Ada Writer, 2025-03-04)"
    assert [(block.section, block.text) for block in document.blocks] == [
        ("", "See below."),
        (f"Fwd {by}", "And below."),
        (f"Fwd {by} > Crane {by}", "The crane rests in May."),
        (f"Fwd {by} > Crane {by}", "Attachments, not read: plan.pdf"),
    ]


def test_a_message_attached_as_a_file_is_read() -> None:
    """Some programs send it as bytes that end in .eml, others write it in base64."""
    inner = attached("Crane", "The crane rests in May.").as_bytes()
    made = message("See below.")
    made.add_attachment(inner, maintype="application", subtype="octet-stream", filename="crane.eml")
    [document] = parse(made.as_bytes(), "m.eml").documents
    assert [block.text for block in document.blocks] == ["See below.", "The crane rests in May."]
    encoded = base64.b64encode(inner).decode()
    head = 'Subject: a\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n\nSee below.\n'
    part = f"--x\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{encoded}\n--x--\n"
    [document] = parse(f"{head}{part}".encode(), "m.eml").documents
    assert [block.text for block in document.blocks] == ["See below.", "The crane rests in May."]


@pytest.mark.parametrize("around", ["{}", "--o\n\nTwo messages.\n\n--o\n{}\n--o--\n"])
def test_a_digest_is_its_messages(around: str) -> None:
    """By itself, or behind a text."""
    digest = (
        'Content-Type: multipart/digest; boundary="i"\n\n--i\n\nSubject: Crane\nFrom: b@example.com\n\n'
        "It rests in May.\n--i\n\nSubject: Slip\nFrom: c@example.com\n\nIt is shut.\n\n--i--\n"
    )
    outer = 'Content-Type: multipart/mixed; boundary="o"\n\n' if around != "{}" else ""
    [document] = parse(f"Subject: Digest\n{outer}{around.format(digest)}".encode(), "m.eml").documents
    assert [(block.section, block.text) for block in document.blocks][-2:] == [
        ("Crane (b@example.com)", "It rests in May."),
        ("Slip (c@example.com)", "It is shut."),
    ]


def test_no_more_messages_are_read_than_a_mailbox_needs() -> None:
    """Of thousands, or of those nested deep, the others are named."""
    many = "".join(f"--x\nContent-Type: message/rfc822\n\nSubject: s{n}\n\nText {n}.\n" for n in range(600))
    [document] = parse(
        f'Subject: a\nContent-Type: multipart/mixed; boundary="x"\n\n{many}--x--'.encode(), "m.eml"
    ).documents
    assert sum(block.text.startswith("Text") for block in document.blocks) == 500
    nested = b"Subject: in\nContent-Type: message/rfc822\n\n" * 60 + b"Subject: last\n\nwords"
    assert parse(b"Subject: a\n\nwords" + nested, "m.eml").documents


UMLAUTS = "Die Gebühr für Bögen beträgt 5 € – „fällig“ im März."


@pytest.mark.parametrize(
    ("stated", "encoding"),
    [
        ("", "cp1252"),
        ("", "utf-8"),
        ("Content-Type: text/plain; charset=us-ascii\n", "cp1252"),
        ("Content-Type: text/plain; charset=utf-8\n", "cp1252"),
        ("Content-Type: text/plain; charset=iso-8859-1\n", "cp1252"),
        ("Content-Type: text/plain; charset=iso-8859-1\n", "utf-8"),
        ("Content-Type: text/plain; charset=unknown-8bit\nContent-Transfer-Encoding: 8bit\n", "cp1252"),
    ],
)
def test_bytes_whose_encoding_is_not_stated_or_wrong(stated: str, encoding: str) -> None:
    """Of the text and of the subject."""
    content = f"Subject: Gebühren für März\n{stated}\n{UMLAUTS}\n".encode(encoding)
    [document] = parse(content, "m.eml").documents
    assert (document.title, document.blocks[0].text) == ("Gebühren für März", UMLAUTS)


def test_a_stated_encoding_of_seven_bits_is_kept() -> None:
    """Its bytes would pass for UTF-8."""
    content = b"Subject: a\nContent-Type: text/plain; charset=iso-2022-jp\n\n"
    content += "港は開いています".encode("iso-2022-jp")
    assert parse(content, "m.eml").documents[0].blocks[0].text == "港は開いています"
