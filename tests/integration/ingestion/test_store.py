"""Writing documents into the library."""

import datetime as dt
from dataclasses import replace

import pytest

from core.errors import CorpusModelError
from core.library.embedding import use
from core.library.ingestion.chunking import CUT
from core.library.ingestion.document import Block, ParsedDocument
from core.library.ingestion.store import store
from core.library.retrieval.search import passage_of
from core.models import CUT_AS, AuditEvent, Chunk, Collection, CollectionRole, Document, RoleDocumentAccess
from core.models.row_security import bypass_row_security
from core.testing import Cast, HashingProvider, fetch_chunks

DAY = dt.date(2024, 1, 2)
pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """A collection whose documents the staff receives."""
    collection = Collection.objects.create(name="Manuals")
    CollectionRole.objects.create(collection=collection, role=cast.staff)
    return collection


def parsed(*texts: str, **fields: object) -> ParsedDocument:
    """A document of one section per text."""
    blocks = tuple(Block(text=text, chapter="Use", section=f"S{n}", page_number=n) for n, text in enumerate(texts, 1))
    return ParsedDocument(**{"title": "Lift", "blocks": blocks, **fields})  # type: ignore[arg-type]


def test_a_document_with_its_chunks_and_grants(cast: Cast, shelf: Collection) -> None:
    """Every field arrives; who reads is the collection's roles and those given; the audit row has ids and counts."""
    document = store(
        parsed("Press the button.", "Turn the key.", document_type="manual", document_date=dt.date(2024, 1, 2)),
        collection=shelf,
        source="Manuals/lift.md",
        content_hash="a" * 64,
        roles=[cast.owners],
        by=cast.alice,
    )
    document.refresh_from_db()
    assert (document.title, document.document_type, document.version, document.chunk_count) == ("Lift", "manual", 1, 2)
    chunks = fetch_chunks(document)
    assert [(c.content, c.section_title, c.page_number, c.start_offset) for c in chunks] == [
        ("Press the button.", "S1", 1, 0),
        ("Turn the key.", "S2", 2, 19),
    ]
    assert {c.embedding_model for c in chunks} == {"hashing-test-double"}
    assert chunks[0].source_reference == "Chapter Use, Section S1, Page 1"
    assert set(document.roles.all()) == {cast.owners, cast.staff}
    assert set(RoleDocumentAccess.objects.values_list("granted_by", flat=True)) == {cast.alice.pk}
    event = AuditEvent.objects.get(action="ingest")
    assert (event.actor, event.object_id) == (cast.alice, str(document.pk))
    assert event.details == {"collection": str(shelf.pk), "version": 1, "chunks": 2}


def test_what_was_cut_in_an_earlier_way_is_cut_anew(cast: Cast, shelf: Collection) -> None:
    """It happens when the same content is ingested again, not before; its grants stay."""

    def again() -> Document:
        return store(parsed("Press the button."), collection=shelf, source="k", content_hash="a" * 64)

    first = again()
    [chunk] = fetch_chunks(first)
    assert again().version == 1
    with bypass_row_security():
        Chunk.objects.update(metadata={CUT_AS: CUT - 1})
    document = again()
    [cut] = fetch_chunks(document)
    assert (document.pk, document.version, cut.metadata) == (first.pk, 2, {CUT_AS: CUT, "page": 1})
    assert cut.pk != chunk.pk
    assert set(document.roles.all()) == {cast.staff}


def test_where_a_chunk_goes_on_to_another_page_is_kept(shelf: Collection) -> None:
    """And comes back with the passage, so that a quote is cited by its own page."""
    blocks = (
        Block(text="Press the button", page_number=7),
        Block(text="until it lights.", page_number=8, continues=True),
        Block(text="Turn the key.", section="Keys", page_number=8),
    )
    document = store(ParsedDocument(title="Lift", blocks=blocks), collection=shelf, source="k", content_hash="a" * 64)
    chunks = fetch_chunks(document)
    assert [(c.content, c.page_number, c.metadata) for c in chunks] == [
        ("Press the button until it lights.", 7, {"cut": CUT, "page": 7, "later_pages": [[17, 8]]}),
        ("Turn the key.", 8, {"cut": CUT, "page": 8}),
    ]
    found = passage_of(chunks[0], 0.5, 0.5, 1)
    assert [found.page_at(found.content.index(word)) for word in ("Press", "button", "until", "lights")] == [7, 7, 8, 8]


def test_the_same_source_again_replaces_and_keeps_the_grants(cast: Cast, shelf: Collection) -> None:
    """The row stays, with its id and a grant given by hand; the old text is gone."""
    first = store(parsed("Old text."), collection=shelf, source="k", content_hash="a" * 64)
    RoleDocumentAccess.objects.create(role=cast.owners, document=first)
    second = store(parsed("New text.", title="Lift 2"), collection=shelf, source="k", content_hash="b" * 64)
    second.refresh_from_db()
    assert (second.pk, second.version, second.title) == (first.pk, 2, "Lift 2")
    assert [chunk.content for chunk in fetch_chunks()] == ["New text."]
    assert set(second.roles.all()) == {cast.owners, cast.staff}
    assert list(
        AuditEvent.objects.filter(object_type="document").values_list("action", flat=True).order_by("created_at")
    ) == [
        "ingest",
        "replace",
    ]


def test_the_same_content_is_left_as_it_is(shelf: Collection) -> None:
    """Neither version nor chunks change, but what describes the document does."""
    first = store(parsed("Text."), collection=shelf, source="k", content_hash="a" * 64)
    [chunk] = fetch_chunks(first)
    again = store(parsed("Text.", document_type="manual"), collection=shelf, source="k", content_hash="a" * 64)
    assert (again.pk, again.version, again.document_type) == (first.pk, 1, "manual")
    assert [kept.pk for kept in fetch_chunks(again)] == [chunk.pk]


def test_a_moved_file_is_one_document(cast: Cast, shelf: Collection) -> None:
    """The same content under another key is not stored twice in its collection: id, chunks and grants stay."""
    first = store(parsed("Text."), collection=shelf, source="old/lift.md", content_hash="a" * 64)
    [chunk] = fetch_chunks(first)
    moved = store(parsed("Text."), collection=shelf, source="new/lift.md", content_hash="a" * 64)
    assert (moved.pk, moved.source, moved.version) == (first.pk, "new/lift.md", 1)
    assert [kept.pk for kept in fetch_chunks()] == [chunk.pk]
    assert set(moved.roles.all()) == {cast.staff}
    changed = store(parsed("Other."), collection=shelf, source="new/lift.md", content_hash="b" * 64)
    assert (changed.pk, changed.version) == (first.pk, 2)


def test_other_readers_make_another_document(cast: Cast, shelf: Collection) -> None:
    """Two files that say the same for now may say different things later: each keeps its own readers."""
    first = store(parsed("Text."), collection=shelf, source="a", content_hash="a" * 64)
    second = store(parsed("Text."), collection=shelf, source="b", content_hash="a" * 64, roles=[cast.owners])
    assert second.pk != first.pk
    assert (set(first.roles.all()), set(second.roles.all())) == ({cast.staff}, {cast.staff, cast.owners})
    RoleDocumentAccess.objects.filter(document=first).delete()
    third = store(parsed("Text."), collection=shelf, source="c", content_hash="a" * 64)
    assert third.pk not in {first.pk, second.pk}
    assert not first.roles.exists()


def test_another_title_or_date_makes_another_document(shelf: Collection) -> None:
    """They may come from the file's name, which then distinguishes two documents."""
    texts = (parsed("Text."), replace(parsed("Text."), title="Another"), replace(parsed("Text."), document_date=DAY))
    stored = [store(one, collection=shelf, source=str(n), content_hash="a" * 64) for n, one in enumerate(texts)]
    assert len({document.pk for document in stored}) == 3


def test_the_same_content_elsewhere_is_another_document(cast: Cast, shelf: Collection) -> None:
    """In another collection others read it; and a key that is there already goes before content that is."""
    first = store(parsed("Text."), collection=shelf, source="k", content_hash="a" * 64)
    other = Collection.objects.create(name="Secrets")
    second = store(parsed("Text."), collection=other, source="k2", content_hash="a" * 64, roles=[cast.owners])
    assert second.pk != first.pk
    assert (set(first.roles.all()), set(second.roles.all())) == ({cast.staff}, {cast.owners})
    third = store(parsed("Own."), collection=shelf, source="k3", content_hash="c" * 64)
    again = store(parsed("Text."), collection=shelf, source="k3", content_hash="a" * 64)
    assert again.pk == third.pk
    assert [chunk.content for chunk in fetch_chunks(again)] == ["Text."]
    assert Document.objects.count() == 3


def test_another_embedding_model_is_refused(shelf: Collection) -> None:
    """Vectors of two models are never mixed: the library stays as it is."""

    class Other(HashingProvider):
        name = "other"

    store(parsed("Text."), collection=shelf, source="k", content_hash="a" * 64)
    with use(Other()), pytest.raises(CorpusModelError, match="embedded by"):
        store(parsed("Text."), collection=shelf, source="k", content_hash="a" * 64)
    document = Document.objects.get()
    assert document.version == 1
    assert [chunk.embedding_model for chunk in fetch_chunks(document)] == ["hashing-test-double"]


def test_an_id_that_a_file_gives_itself_is_shown_and_makes_it_nothing_else(shelf: Collection) -> None:
    """Two files that claim one paper are two documents, and so is the paper itself."""
    stored = [
        store(parsed(f"{key}.", arxiv_id="2401.00001"), collection=shelf, source=key, content_hash=key[-1] * 64)
        for key in ("x", "y", "arxiv:2401.00001")
    ]
    assert len({document.pk for document in stored}) == 3
    assert {document.arxiv_id for document in Document.objects.all()} == {"2401.00001"}
    assert {chunk.content for chunk in fetch_chunks()} == {"x.", "y.", "arxiv:2401.00001."}


def test_what_is_embedded_has_the_headings(shelf: Collection) -> None:
    """The vector is that of headings and content; what is stored is the content alone."""
    seen: list[str] = []

    class Recording(HashingProvider):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            seen.extend(texts)
            return super().embed(texts)

    with use(Recording()):
        document = store(parsed("Press."), collection=shelf, source="k", content_hash="a" * 64)
    assert seen == ["Lift > Use > S1\nPress."]
    assert [chunk.content for chunk in fetch_chunks(document)] == ["Press."]


def test_a_long_key_is_still_one_key(shelf: Collection) -> None:
    """A path longer than the column is kept as its hash."""
    keys = {store(parsed("T."), collection=shelf, source="k" * 3000, content_hash="a" * 64).source for _ in range(2)}
    assert len(keys) == 1
    assert keys.pop().startswith("sha256:")
