"""Messages whose parts nobody can tell apart by what their headers state."""

import pytest

from core.errors import UnreadableFileError
from core.library.ingestion.parsers import parse

HEAD = b"From: Ada <ada@example.com>\nSubject: Ferry\nMIME-Version: 1.0\n"
TEXT = b"Content-Type: text/plain\n\nThe ferry leaves at nine.\n"
PAGE = b"Content-Type: text/html\n\n<p>The ferry leaves at nine.</p>\n"
FILE = b"Content-Type: application/pdf; name=plan.pdf\nContent-Transfer-Encoding: base64\n\n" + b"QUJD\n" * 50


def texts(content: bytes) -> list[str]:
    """The texts of a message's blocks."""
    [document] = parse(content, "a.eml").documents
    return [block.text for block in document.blocks]


@pytest.mark.parametrize("stated", [b"", b'; boundary="another"', b'; boundary=""'])
@pytest.mark.parametrize("line", [b"--x", b"------=_Part_1.22", b"--=_a b"])
def test_parts_are_told_apart_by_the_lines_between_them(stated: bytes, line: bytes) -> None:
    """Whatever boundary the header states; what is attached is no text."""
    content = HEAD + b"Content-Type: multipart/mixed" + stated + b"\n\n"
    content += line + b"\n" + TEXT + line + b"\n" + FILE + line + b"--\n"
    assert texts(content) == ["The ferry leaves at nine.", "Attachments, not read: plan.pdf"]


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1"])
def test_letters_outside_ascii_survive_the_repair(charset: str) -> None:
    """They are not encoded in such a part."""
    text = f"Content-Type: text/plain; charset={charset}\n\nDie Fähre kostet zwölf Euro.\n".encode(charset)
    content = HEAD + b"Content-Type: multipart/mixed\n\n--x\n" + text + b"--x--\n"
    assert texts(content) == ["Die Fähre kostet zwölf Euro."]


def test_a_damaged_part_within_a_sound_one_is_read() -> None:
    """Its lines are those of its own."""
    content = HEAD + b'Content-Type: multipart/mixed; boundary="o"\n\n--o\n'
    content += b'Content-Type: multipart/alternative; boundary="bad"\n\n--i\n' + PAGE + b"--i--\n--o--\n"
    assert texts(content) == ["The ferry leaves at nine."]


@pytest.mark.parametrize("text", [b"The ferry leaves at nine.\n", b"<div>The ferry leaves at nine.</div>\n"])
def test_a_text_that_is_called_several_parts_is_a_text(text: bytes) -> None:
    """Plain, or a page."""
    assert texts(HEAD + b'Content-Type: multipart/alternative; boundary="o"\n\n' + text) == [
        "The ferry leaves at nine."
    ]


@pytest.mark.parametrize(
    "armour", [b"\n-----BEGIN PGP MESSAGE-----\nhQEMA\n", b"\n--x\nContent-Type: text/plain\n\nhQEMA\n"]
)
def test_an_encrypted_message_is_refused_whatever_became_of_its_parts(armour: bytes) -> None:
    """It is never taken in as a text."""
    with pytest.raises(UnreadableFileError, match="its text is encrypted"):
        parse(HEAD + b"Content-Type: multipart/encrypted\n" + armour, "a.eml")


def test_lines_of_dashes_are_no_boundaries() -> None:
    """A signature's line, and a rule."""
    text = b"The ferry leaves at nine.\n\n--\nAda\n\n-----\nMore below.\n"
    assert texts(HEAD + b"Content-Type: multipart/mixed\n\n" + text)[0] == "The ferry leaves at nine."


def test_parts_damaged_many_times_over_end() -> None:
    """In time that does not grow with their square."""
    content = HEAD + b"Content-Type: multipart/mixed\n\n"
    content += b"".join(b"--%d\nContent-Type: multipart/mixed\n\n" % number for number in range(300)) + TEXT
    assert parse(content, "a.eml").documents
