"""Doors through which a section could be seen or counted: pages, files, lists, searches, quotes."""

import datetime as dt
import io
from pathlib import Path

import pytest
from django.utils import timezone
from docx import Document as WordFile
from pytest_django import Settings

from core import api
from core.access.audiences import audience_of
from core.asking.history.opening import open_document
from core.errors import NotFoundError
from core.library.retrieval.chunk_lookup import passage_in_place
from core.models import Collection, Document, SectionPart, User
from core.testing import Cast, fetch_chunks
from tests.integration.buckets import keep_in
from tests.integration.sections.files import SECRETS, handbook, has_any, ingest, keep_original, workbook

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def book(cast: Cast, shelf: Collection, admin: User, fast: None) -> Document:
    """The handbook, of which owners alone read the section for supervisors."""
    document = ingest(handbook(), "handbook.md", shelf)
    api.restrict_section(document.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    return document


def test_a_document_opens_with_what_its_reader_may_read(cast: Cast, book: Document) -> None:
    """In its order, for each; and the part by itself for those of the section alone."""
    alice, bob = cast.audience(cast.alice), cast.audience(cast.bob)
    whole = [part.text for part in open_document(book.pk, audience=alice).parts]
    shown = [part.text for part in open_document(book.pk, audience=bob).parts]
    assert [chunk.content for chunk in sorted(fetch_chunks(), key=lambda chunk: chunk.start_offset)] == whole
    assert shown == [text for text in whole if not has_any(text)]
    assert len(whole) - len(shown) == 2
    assert open_document(book.pk, audience=cast.audience(cast.alice, cast.bob)).parts == tuple(
        open_document(book.pk, audience=bob).parts
    )
    part = SectionPart.objects.get().part
    assert all(has_any(one.text) for one in open_document(part.pk, audience=alice).parts)
    with pytest.raises(NotFoundError):
        open_document(part.pk, audience=bob)


def test_nothing_counts_what_may_not_be_read(cast: Cast, book: Document) -> None:
    """Neither lists nor the places of passages tell that there is more."""
    for person in (cast.alice, cast.bob):
        audience = audience_of([person.pk])
        assert api.readable_documents(audience).total == 1
        assert [shelf.documents for shelf in api.readable_collections(audience)] == [1]
        assert len(api.new_documents(audience, since=timezone.now() - dt.timedelta(days=1))) == 1
    bob = cast.audience(cast.bob)
    shown = [chunk for chunk in fetch_chunks(book) if not has_any(chunk.content)]
    places = [passage_in_place(chunk.pk, audience=bob) for chunk in shown]
    assert [place.position for place in places] == [1, 2, 3]
    assert {place.chunk_count for place in places} == {3}
    assert [place.next_chunk_id for place in places] == [shown[1].pk, shown[2].pk, None]


def test_a_search_finds_a_section_for_its_readers_alone(cast: Cast, book: Document) -> None:
    """Also where the question names the document."""
    from core.types import Filters

    for filters in (None, Filters(source="Handbook")):
        found = api.search("Who may approve overtime?", audience=cast.audience(cast.alice), filters=filters)
        assert any(has_any(passage.content) for passage in found.passages)
        found = api.search("Who may approve overtime?", audience=cast.audience(cast.bob), filters=filters)
        assert found.passages
        assert not any(has_any(passage.content) for passage in found.passages)


def test_the_file_is_there_for_those_alone_who_may_read_all_of_it(
    cast: Cast, shelf: Collection, admin: User, settings: Settings, tmp_path: Path
) -> None:
    """To others it is as if none were kept, on the page as for who knows its address."""
    keep_in(settings, "core.library.originals.storage.AtomicFileStorage", location=tmp_path / "originals")
    document = ingest(handbook(), "handbook.md", shelf)
    keep_original(handbook(), document)
    alice, bob = cast.audience(cast.alice), cast.audience(cast.bob)
    assert api.find_original(document.pk, audience=bob).name == "handbook.md"
    rule = api.restrict_section(document.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    assert api.find_original(document.pk, audience=alice).name == "handbook.md"
    assert api.open_document(document.pk, audience=alice).original is not None
    for audience in (bob, cast.audience(cast.alice, cast.bob)):
        assert api.open_document(document.pk, audience=audience).original is None
        with pytest.raises(NotFoundError):
            api.find_original(document.pk, audience=audience)
    with pytest.raises(NotFoundError):
        api.find_original(SectionPart.objects.get().part_id, audience=alice)
    api.remove_rule(rule, by=admin)
    assert api.find_original(document.pk, audience=bob).name == "handbook.md"


def test_a_chapter_of_a_word_file_is_restricted(cast: Cast, shelf: Collection, admin: User) -> None:
    """With all of its sections, as in any other format."""
    file = WordFile()
    file.add_heading("Rules", 0)
    file.add_heading("For all", 1)
    file.add_paragraph("The gate is closed at ten.")
    file.add_heading("For supervisors", 1)
    file.add_heading("Warnings", 2)
    file.add_paragraph("Warnings need two witnesses.")
    out = io.BytesIO()
    file.save(out)
    document = ingest(out.getvalue(), "rules.docx", shelf)
    api.restrict_section(document.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    texts = [part.text for part in open_document(document.pk, audience=cast.audience(cast.bob)).parts]
    assert texts == ["The gate is closed at ten."]
    texts = [part.text for part in open_document(document.pk, audience=cast.audience(cast.alice)).parts]
    assert texts == ["The gate is closed at ten.", "Warnings need two witnesses."]


def test_a_document_goes_with_its_parts(cast: Cast, shelf: Collection, admin: User, book: Document) -> None:
    """Deleted or cited, a part is of its document."""
    plan = ingest(workbook(), "plan.xlsx", shelf)
    api.restrict_section(plan.pk, "sheet", "Salaries", [], by=admin)
    book.delete()
    assert not any(has_any(chunk.content, SECRETS) for chunk in fetch_chunks())
    Document.objects.filter(pk=plan.pk).delete()
    assert not fetch_chunks()
    assert not SectionPart.objects.exists()
