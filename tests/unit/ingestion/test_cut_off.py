"""RTF and mail that were cut off are read as far as they go, and counted."""

import base64
import quopri

import pytest

from core.library.ingestion.extent import Loss
from core.library.ingestion.parsers import parse

HEAD = b"From: Ada <ada@example.com>\nSubject: Ferry\nMIME-Version: 1.0\n"
WORDS = "Die Fähre fährt um neun. Überfahrten kosten zwölf Euro für jeden Gast, und für Hunde nichts. " * 3
PLAIN = b"Content-Type: text/plain; charset=utf-8\n"
RTF = rb"{\rtf1\ansi {\fonttbl{\f0 Arial;}}\f0 The ferry leaves at nine.\par {\b Dogs} travel free of charge.\par}"


def read(content: bytes, name: str) -> tuple[str, int]:
    """The words of a file, and how many of its ends are missing."""
    [document] = parse(content, name).documents
    return "\n".join(block.text for block in document.blocks), document.extent.left_out.get(Loss.CUT_OFF, 0)


@pytest.mark.parametrize("after", [b"", b"\n", b"\x00\x00", b"}", b" more"])
def test_a_whole_rtf_text_has_its_end(after: bytes) -> None:
    """Whatever lies behind it."""
    assert read(RTF + after, "a.rtf") == (
        "The ferry leaves at nine.\nDogs travel free of charge.",
        0,
    )


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (RTF.index(b"nine") + 2, "The ferry leaves at ni"),
        (RTF.index(b"Dogs") + 3, "The ferry leaves at nine.\nDog"),
        (RTF.index(b" free") + 5, "The ferry leaves at nine.\nDogs travel free"),
        (len(RTF) - 1, "The ferry leaves at nine.\nDogs travel free of charge."),
    ],
)
def test_an_rtf_text_without_its_end_says_so(end: int, said: str) -> None:
    """Within a word, a group or a picture."""
    assert read(RTF[:end], "a.rtf") == (said, 1)


def test_an_rtf_text_that_ends_within_the_bytes_of_a_picture_says_so() -> None:
    """Its length promises more than there is."""
    assert read(RTF[:-1] + rb"{\pict\bin9000 \'00\'00", "a.rtf")[1] == 1


def mixed(*parts: bytes, end: bytes = b"--o--\n") -> bytes:
    """A message of several parts."""
    return HEAD + b'Content-Type: multipart/mixed; boundary="o"\n\n' + b"".join(b"--o\n" + part for part in parts) + end


FILE = b"Content-Type: application/pdf; name=plan.pdf\nContent-Transfer-Encoding: base64\n\n" + b"QUJD\n" * 50


@pytest.mark.parametrize(
    "content",
    [
        HEAD + PLAIN + b"\n" + WORDS.encode(),
        HEAD + PLAIN + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(WORDS.encode()),
        HEAD + PLAIN + b"Content-Transfer-Encoding: quoted-printable\n\n" + quopri.encodestring(WORDS.encode()),
        HEAD
        + PLAIN
        + b"Content-Transfer-Encoding: quoted-printable\n\n"
        + quopri.encodestring(WORDS.encode())
        + b"=\n",
        mixed(PLAIN + b"\n" + WORDS.encode() + b"\n"),
        mixed(
            PLAIN + b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(WORDS.encode()).rstrip(b"=\n") + b"\n"
        ),
        HEAD + b"Content-Type: text/plain; charset=iso-8859-1\n\n" + WORDS.encode("latin-1") + b"Caf\xe9",
        HEAD + b"Content-Type: multipart/mixed\n\n--x\n" + PLAIN + b"\n" + WORDS.encode() + b"\n--x--\n",
    ],
)
def test_a_whole_message_has_its_end(content: bytes) -> None:
    """In any encoding; base64 may lack the signs that fill its last group."""
    said, missing = read(content, "a.eml")
    assert "für Hunde nichts." in said
    assert missing == 0


@pytest.mark.parametrize(
    "content",
    [
        mixed(PLAIN + b"\n" + WORDS.encode(), end=b""),
        mixed(PLAIN + b"\n" + WORDS.encode() + b"\n", FILE, end=b""),
        mixed(PLAIN + b"\n" + WORDS.encode() + b"\n", FILE, end=b"")[:-7],
        HEAD + b"Content-Type: multipart/mixed\n\n--x\n" + PLAIN + b"\n" + WORDS.encode() + b"\n",
        mixed(
            b"Content-Type: message/rfc822\n\n"
            + mixed(PLAIN + b"\n" + WORDS.encode(), end=b"").replace(b'="o"', b'="i"').replace(b"--o", b"--i"),
            end=b"",
        ),
    ],
)
def test_a_message_whose_last_part_has_no_end_says_so(content: bytes) -> None:
    """Once, however many of its parts are open."""
    said, missing = read(content, "a.eml")
    assert "für Hunde nichts." in said
    assert missing == 1


@pytest.mark.parametrize("kept", range(150, 154))
def test_encoded_text_is_read_up_to_its_cut(kept: int) -> None:
    """In its encoding, though its last letter is half there; lines of base64 hold whole letters by chance alone."""
    encoded = base64.b64encode(WORDS.encode())[:kept]
    said, missing = read(HEAD + PLAIN + b"Content-Transfer-Encoding: base64\n\n" + encoded, "a.eml")
    assert WORDS.startswith(said.rstrip("\n"))
    assert len(said) > 90
    assert missing == (kept % 4 != 0 or not base64.b64decode(encoded).decode(errors="replace").isprintable())


@pytest.mark.parametrize("cut", [b"Die F=C3", b"Die F=C", b"Die Stra=", b"Die F\xc3"])
def test_a_text_that_ends_within_a_letter_says_so(cut: bytes) -> None:
    """Its words before that are right."""
    encoding = b"8bit" if cut.endswith(b"\xc3") else b"quoted-printable"
    content = HEAD + PLAIN + b"Content-Transfer-Encoding: " + encoding + b"\n\nF=C3=BCr alle. " + cut
    said, missing = read(content.replace(b"=C3=BC", "ü".encode()) if encoding == b"8bit" else content, "a.eml")
    assert said.startswith("Für alle. Die")
    assert "Ã" not in said
    assert missing == 1
