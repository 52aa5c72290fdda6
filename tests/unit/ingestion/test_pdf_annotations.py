"""Test what is read of texts and comments that people put onto the pages of a PDF."""

import pytest

from core.library.ingestion.document import ParsedDocument
from core.library.ingestion.extent import Found, Loss
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.hostile_files import SHOWN, page_of, stream

DRAWN = "Words on a page that does more than to be read."


def annotated(*annotations: str, box: str = "72 500 300 520") -> ParsedDocument:
    """A page with a line of text, and these annotations."""
    made = "".join(f"<</Type/Annot/Rect[{box}]{each}>>" for each in annotations)
    [document] = parse(page_of(stream(SHOWN), page=f"/Annots[{made}]"), "a.pdf").documents
    return document


def texts(document: ParsedDocument) -> list[str]:
    """The texts of a document's blocks."""
    return [block.text for block in document.blocks]


@pytest.mark.parametrize(
    "written", ["(Paid on 3 March.)", "(Paid\\ron 3 March.)", "<506169642020206F6E2033204D617263682E>"]
)
def test_text_that_was_typed_onto_a_page_is_text_of_it(written: str) -> None:
    """In its place, a paragraph of its own."""
    assert texts(annotated(f"/Subtype/FreeText/Contents{written}")) == [DRAWN, "Paid on 3 March."]


def test_typed_text_above_other_text_comes_first() -> None:
    """As it is read."""
    document = annotated("/Subtype/FreeText/Contents(Copy for the tenant.)", box="72 780 300 800")
    assert texts(document) == ["Copy for the tenant.", DRAWN]


@pytest.mark.parametrize("kind", ["Text", "Highlight", "StrikeOut", "Square"])
def test_comments_are_counted_and_not_read(kind: str) -> None:
    """Whatever they are fixed to."""
    document = annotated(f"/Subtype/{kind}/Contents(Is this right?)", f"/Subtype/{kind}/Contents(I doubt it.)")
    assert texts(document) == [DRAWN]
    assert document.extent.found[Found.COMMENTS] == 2
    assert document.extent.left_out[Loss.COMMENTS] == 2


@pytest.mark.parametrize(
    "annotation",
    [
        "/Subtype/FreeText/Contents(Hidden words.)/F 2",
        "/Subtype/FreeText/Contents(Hidden words.)/F 32",
        "/Subtype/FreeText/Contents()",
        "/Subtype/FreeText",
        "/Subtype/Highlight",
        "/Subtype/Link/Contents(A link.)",
        f"/Subtype/FreeText/Contents({DRAWN})",
        f"/Subtype/FreeText/Contents({'x' * 200_000})",
    ],
)
def test_what_nobody_sees_and_what_is_drawn_already_is_left_out(annotation: str) -> None:
    """And a mark without words is no comment."""
    document = annotated(annotation)
    assert texts(document) == [DRAWN]
    assert Found.COMMENTS not in document.extent.found


def test_ten_thousand_typed_texts_are_read_in_part() -> None:
    """A page has limits."""
    document = annotated(*(f"/Subtype/FreeText/Contents(note {number} here)" for number in range(10_000)))
    assert 1000 < " ".join(texts(document)).count("note") <= 2000
