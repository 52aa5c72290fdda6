"""Test that the admin shows how much of a file was read."""

from django.test import Client

from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.extent import Extent, Found, Loss
from core.library.ingestion.store import store
from core.models import Collection, Document
from core.testing import Cast, make_document

DOCUMENTS = "/admin/core/document/"


def put_in(title: str, extent: Extent) -> Document:
    """A document that was read so far."""
    shelf, _ = Collection.objects.get_or_create(name="Piers")
    parsed = ParsedDocument(title=title, blocks=(Block(text=f"{title} says this.", page_number=2),), extent=extent)
    return store(parsed, collection=shelf, source=title, content_hash=title)


def test_the_page_of_a_document_says_what_was_left_out_and_why(root: Client, cast: Cast, fast: None) -> None:
    """In numbers and plain words; of an earlier one that it is not known."""
    extent = Extent(found={Found.PAGES: 1204, Found.PICTURES: 3}, left_out={Loss.SCANNED_PAGES: 1, Loss.COMMENTS: 2})
    shown = root.get(f"{DOCUMENTS}{put_in('Pier', extent).pk}/change/").content.decode()
    assert "1,204 pages, 3 pictures" in shown
    assert "1 page that is a picture (text recognition is not installed); 2 comments (resolved, or its" in shown
    whole = root.get(f"{DOCUMENTS}{put_in('Quay', Extent()).pk}/change/").content.decode()
    assert "2 pages" in whole
    assert "nothing that is known of" in whole
    earlier = make_document("Tide", "The tide is low.")
    assert "not known: it was ingested before" in root.get(f"{DOCUMENTS}{earlier.pk}/change/").content.decode()


def test_documents_are_listed_by_what_was_left_out(root: Client, cast: Cast, fast: None) -> None:
    """The most first; those of which nothing is known are told apart from those without a loss."""
    few = put_in("Few", Extent(left_out={Loss.PICTURES: 2}))
    none = put_in("None", Extent())
    many = put_in("Many", Extent(left_out={Loss.PICTURES: 7, Loss.CHARTS: 1}))
    unknown = make_document("Tide", "The tide is low.")
    columns = root.get(DOCUMENTS).context["cl"].list_display
    place = columns.index("show_left_out_count")
    listed = root.get(DOCUMENTS, {"o": f"-{place}"})
    found = [(document.pk, document.left_out_count) for document in listed.context["cl"].result_list]
    assert found == [(many.pk, 8), (few.pk, 2), (none.pk, 0), (unknown.pk, None)]
    assert "not known" in listed.content.decode()


def test_the_same_file_in_again_completes_the_counts(cast: Cast, fast: None) -> None:
    """Without another edition: its words are the same."""
    before = put_in("Pier", Extent())
    Document.objects.update(extent=None, left_out_count=None)
    after = put_in("Pier", Extent(left_out={Loss.PICTURES: 2}))
    assert (after.pk, after.version, after.left_out_count) == (before.pk, 1, 2)
