"""PDF."""

import datetime as dt

import pytest

from core.errors import EncryptedFileError, NoTextError, UnreadableFileError
from core.library.ingestion.parsers.pdf import parse_pdf
from tests.unit.ingestion.files import paragraph, pdf

FILLER = [f"Line {number} of ordinary text that fills the width of the column well." for number in range(1, 13)]


def _report() -> bytes:
    pages = []
    for number in (1, 2, 3):
        page = [
            ("Annual report of the works", 60, 40, "Helvetica", 8),
            (f"Page {number} of 3", 280, 815, "Helvetica", 8),
        ]
        if number == 1:
            page.append(("The Great Machine", 60, 90, "Helvetica-Bold", 24))
        page.append((f"Chapter {number}", 60, 130, "Helvetica-Bold", 16))
        page.append((f"Part of {number}", 60, 160, "Helvetica-Bold", 12))
        page += paragraph([*FILLER, f"and these are the last words of all that stand on page {number} and are"], y=190)
        pages.append(page)
    pages.append(paragraph(["not the end of the sentence.", *FILLER], y=90))
    return pdf(pages)


def test_headings_pages_and_running_lines() -> None:
    """Large type makes chapters, bold type sections; pages count from 1; running headers and footers are gone."""
    document = parse_pdf(_report(), "machine_2024-03-01.pdf")
    places = [(b.chapter, b.section, b.page_number) for b in document.blocks]
    assert document.title == "The Great Machine"
    assert document.document_date == dt.date(2024, 3, 1)
    assert list(dict.fromkeys(places)) == [
        ("Chapter 1", "Part of 1", 1),
        ("Chapter 2", "Part of 2", 2),
        ("Chapter 3", "Part of 3", 3),
        ("Chapter 3", "Part of 3", 4),
    ]
    text = "\n".join(b.text for b in document.blocks)
    assert "Annual report" not in text
    assert "Page 2 of 3" not in text
    assert "The Great Machine" not in text


def test_a_paragraph_goes_on_over_the_page() -> None:
    """The first block of the next page is marked as the rest of the paragraph before."""
    blocks = parse_pdf(_report(), "m.pdf").blocks
    last = next(b for b in blocks if b.page_number == 4)
    assert last.continues
    assert last.text.startswith("not the end of the sentence.")


def test_two_columns_are_read_one_after_the_other() -> None:
    """The right column follows the left, also where the file has it first."""
    left = [f"left {number} has words enough to fill nearly all of it" for number in range(12)]
    right = [f"right {number} has words enough to fill nearly all of it" for number in range(12)]
    title = [("A title that runs across the whole of the page and both of its columns", 50, 90, "Helvetica", 14)]
    document = parse_pdf(pdf([paragraph(right, x=320) + title + paragraph(left, x=50)]), "two.pdf")
    words = " ".join(b.text for b in document.blocks).split()
    assert [w for w in words if w in {"left", "right"}] == ["left"] * 12 + ["right"] * 12


def test_hyphens_at_line_ends_are_undone() -> None:
    """A word parted at a line's end is joined; one that is written with a hyphen elsewhere keeps it."""
    lines = [
        "The meat-cutting saw is the one that all operators of the com-",
        "pany know. It is a tool that many call the meat-",
        "cutting machine, and that is what we call it here as well too.",
    ]
    text = parse_pdf(pdf([paragraph(lines)]), "h.pdf").blocks[0].text
    assert "company" in text
    assert "the meat-cutting machine" in text


def test_pages_without_text_are_named_as_a_scan() -> None:
    """A PDF of pictures says that it needs text recognition."""
    with pytest.raises(NoTextError, match=r"scan\.pdf has no text.*OCR"):
        parse_pdf(pdf([[], []]), "scan.pdf")


def test_a_password_is_asked_for_by_name() -> None:
    """An encrypted PDF is distinguished from a damaged one."""
    with pytest.raises(EncryptedFileError, match=r"locked\.pdf is protected by a password"):
        parse_pdf(pdf([paragraph(FILLER)], password="s3cret"), "locked.pdf")


def test_a_cut_off_pdf_is_damaged() -> None:
    """Half a file is an error, not half a document."""
    with pytest.raises(UnreadableFileError, match=r"half\.pdf cannot be read: it is damaged or cut off"):
        parse_pdf(_report()[:900], "half.pdf")


def test_a_telephone_number_begins_no_paragraph() -> None:
    """An area code in brackets at a line's end or beginning is no item of a list; items are."""
    lines = ["The locksmith of the harbour opens every door by day and by night, call", "(07) 5550 0160 for her, or"]
    items = ["(1) Say which door is locked.", "(2) Say where you wait."]
    document = parse_pdf(pdf([paragraph([*lines, *items])]), "call.pdf")
    assert [block.text for block in document.blocks] == [" ".join(lines), *items]


def test_lines_of_a_list_without_marks_are_apart() -> None:
    """Short lines that each have a figure are separate; the lines of an address and of narrow prose stay together."""
    wide = "The slipways of the harbour with the length of the boats that they bear, measured at the keel."
    slips = [
        "North slip bears 12 metres",
        "East slip bears 8 metres",
        "Old slip bears 22 metres",
        "Ramp bears 4 metres",
    ]
    address = ["Harbour office of the town", "Quay Street 14", "Entrance by the crane", "Port Ellis"]
    narrow = [
        "The crane lifts 12 tonnes and the",
        "winch pulls 3 of them up, but on",
        "days of wind above 7 neither of the",
        "two may run at all.",
    ]
    pages = [paragraph([wide, *slips], y=90), paragraph([wide, *address]), paragraph([wide, *narrow])]
    texts = [block.text for block in parse_pdf(pdf(pages), "s.pdf").blocks]
    assert texts == [wide, *slips, f"{wide} {' '.join(address)}", f"{wide} {' '.join(narrow)}"]
