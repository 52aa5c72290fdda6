"""EPUB: pages in the order of the spine, chapters from the contents."""

import datetime as dt

import pytest

from core.errors import EncryptedFileError
from core.library.ingestion.parsers import parse
from tests.unit.ingestion.files import epub

METADATA = "<dc:title>The  Harbour</dc:title><dc:creator>Ada Writer</dc:creator><dc:date>2024-02-03</dc:date>"
PAGES = {
    "text/one.xhtml": "<h2>Arriving</h2><p>Ring the bell.</p><h3>At night</h3><ul><li>Show a lamp</li></ul>",
    "text/two.xhtml": "<p>Pay the keeper.</p>",
}
NAV = '<li><a href="text/one.xhtml#top">Arriving</a></li><li><a href="text/two.xhtml">Fees</a></li>'


def test_chapters_come_from_the_contents() -> None:
    """A page that begins with its chapter's name does not say it twice; the book states its title and author."""
    [document] = parse(epub(PAGES, nav=NAV, metadata=METADATA), "b.epub").documents
    assert (document.title, document.document_date) == ("The Harbour", dt.date(2024, 2, 3))
    assert document.full_citation == "Ada Writer (2024). The Harbour."
    assert [(block.chapter, block.section, block.text) for block in document.blocks] == [
        ("Arriving", "", "Ring the bell."),
        ("Arriving", "At night", "- Show a lamp"),
        ("Fees", "", "Pay the keeper."),
    ]


def test_a_book_without_contents_has_its_own_headings() -> None:
    """And its file's name where it states no title."""
    [document] = parse(epub({"a.xhtml": "<h1>One</h1><p>Words.</p>"}), "my_book.epub").documents
    assert (document.title, [(block.chapter, block.text) for block in document.blocks]) == (
        "My book",
        [("One", "Words.")],
    )


@pytest.mark.parametrize(("locked", "is_refused"), [("OEBPS/a.xhtml", True), ("OEBPS/fonts/a.otf", False)])
def test_a_locked_book_is_refused(locked: str, is_refused: bool) -> None:
    """A book is refused where its pages are encrypted; fonts often are in books that anybody may read."""
    encryption = f'<encryption><EncryptedData><CipherReference URI="{locked}"/></EncryptedData></encryption>'
    parts = {"META-INF__encryption_dot_xml": encryption.encode()}
    content = epub({"a.xhtml": "<p>Words.</p>"}, **parts)
    if is_refused:
        with pytest.raises(EncryptedFileError, match=r"b\.epub is protected"):
            parse(content, "b.epub")
    else:
        assert parse(content, "b.epub").documents[0].blocks[0].text == "Words."
