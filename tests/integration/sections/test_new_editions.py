"""New editions of documents with restricted sections: followed where they are recognised, closed where they are not."""

import datetime as dt

import pytest

from core import api
from core.errors import IngestionError, InvalidFilterError, NotFoundError
from core.library.ingestion.store import save_description
from core.models import (
    AuditEvent,
    Chunk,
    Collection,
    Document,
    RoleDocumentAccess,
    SectionPart,
    SectionRule,
    User,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks
from tests.integration.sections.files import (
    HOLIDAYS,
    WARNINGS,
    handbook,
    has_any,
    ingest,
    read_as,
    split_now,
    texts_of,
    workbook,
)

pytestmark = pytest.mark.usefixtures("fast")
TRUCKS = "Trucks are parked behind the hall with their noses to the wall, and keys are handed in at the gate at night."


@pytest.fixture
def book(cast: Cast, shelf: Collection, admin: User, fast: None) -> Document:
    """The handbook, of which owners alone read the section for supervisors."""
    document = ingest(handbook(), "handbook.md", shelf)
    api.restrict_section(document.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    return document


def again(book: Document, **changed: str) -> Document:
    """Ingest another edition of the handbook."""
    stored = ingest(handbook(**changed), "handbook.md", book.collection)
    assert stored.pk == book.pk
    for document in Document.objects.filter(part_of=book):
        assert document.version == stored.version
        assert len(fetch_chunks(document)) == document.chunk_count
    assert len(fetch_chunks(stored)) == Document.objects.get(pk=book.pk).chunk_count
    return stored


def noted(book: Document) -> SectionPart:
    """Return what is noted of the one part of a document."""
    return SectionPart.objects.get(part__part_of=book)


def test_the_same_heading_restricts_whatever_is_below_it_now(cast: Cast, book: Document) -> None:
    """Nothing is to be decided, the part is the same row, and who was closed out is not again."""
    part, since = noted(book).part_id, RoleDocumentAccess.objects.get(document=book, role=cast.staff).since_version
    again(book, warnings=TRUCKS)
    assert not has_any(read_as(cast.bob), ["Trucks", "brought to the gate"])
    assert has_any(read_as(cast.alice), ["Trucks"])
    assert (noted(book).part_id, noted(book).state) == (part, "recognised")
    assert RoleDocumentAccess.objects.get(document=book, role=cast.staff).since_version == since


def test_a_section_is_followed_to_its_new_heading(cast: Cast, admin: User, book: Document) -> None:
    """By what it says, also when some of it is new, and in the edition after that."""
    for number in range(2):
        again(book, heading="For team leads", warnings=WARNINGS.replace("ten", "twelve"), last=f"Edition {number}.")
        assert not has_any(read_as(cast.bob))
        assert has_any(read_as(cast.bob), ["thirty days"])
        assert has_any(read_as(cast.alice), ["two witnesses"])
        assert noted(book).state == "recognised"
        assert noted(book).names == ["For team leads", "For team leads > Dismissal"]
    assert not api.list_undecided_parts(by=admin)


def test_a_section_that_is_gone_closes_the_document_until_somebody_decides(
    cast: Cast, admin: User, book: Document
) -> None:
    """In each later edition too; and once it is opened, later ones are open."""
    gone = f"# Handbook\n\n## Holidays\n\n{HOLIDAYS}\n".encode()
    for content in (gone, gone + b"\nMore."):
        ingest(content, "handbook.md", book.collection)
        assert texts_of(Document.objects.get(pk=book.pk)) == ""
        assert read_as(cast.bob) == ""
        assert has_any(read_as(cast.alice), ["thirty days"])
    [open_part] = api.list_undecided_parts(by=admin)
    assert (open_part.document_id, open_part.is_all) == (book.pk, True)
    assert {section.state for section in api.list_sections(book.pk, by=admin)} == {"unrecognised"}
    api.decide_unrecognised(open_part.part_id, "gone", by=admin)
    assert has_any(read_as(cast.bob), ["thirty days"])
    assert not SectionRule.objects.exists()
    assert not api.list_undecided_parts(by=admin)
    again(book, heading="Else", last="Open.")
    assert has_any(read_as(cast.bob), ["Open."])


def test_the_section_is_named_where_it_was_not_recognised(cast: Cast, admin: User, book: Document) -> None:
    """Then the rest is open again, and the rule speaks of the new heading from then on."""
    again(book, heading="For team leads", warnings=TRUCKS)
    assert read_as(cast.bob) == ""
    [open_part] = api.list_undecided_parts(by=admin)
    with pytest.raises(InvalidFilterError):
        api.decide_unrecognised(open_part.part_id, "section", pattern="No such heading", by=admin)
    api.decide_unrecognised(open_part.part_id, "section", pattern="For team leads", by=admin)
    assert has_any(read_as(cast.bob), ["thirty days"])
    assert not has_any(read_as(cast.bob), ["Trucks", "brought to the gate"])
    assert has_any(read_as(cast.alice), ["Trucks"])
    assert [(rule.pattern, rule.document_id) for rule in SectionRule.objects.all()] == [("For team leads", book.pk)]
    again(book, heading="For team leads", warnings="All of it is new.", last="Edition 3.")
    assert has_any(read_as(cast.bob), ["Edition 3."])
    assert not has_any(read_as(cast.bob), ["All of it"])
    with pytest.raises(NotFoundError):
        api.decide_unrecognised(noted(book).part_id, "gone", by=admin)
    assert "decide_section" in AuditEvent.objects.values_list("action", flat=True)


def test_what_is_kept_closed_stays_closed(cast: Cast, admin: User, book: Document) -> None:
    """Nobody is asked again, and later editions are for the same readers as a whole."""
    again(book, heading="For team leads", warnings=TRUCKS)
    api.decide_unrecognised(noted(book).part_id, "keep", by=admin)
    assert not api.list_undecided_parts(by=admin)
    again(book, heading="For supervisors", last="Edition 3.")
    assert read_as(cast.bob) == ""
    assert not api.list_undecided_parts(by=admin)


def test_text_that_moves_into_an_open_section_closes_that_one(cast: Cast, admin: User, book: Document) -> None:
    """Until somebody says that it may be read there, or that it may not."""
    moved = {
        "warnings": TRUCKS,
        "holidays": f"{HOLIDAYS}\n\nSupervisors may approve overtime of up to ten hours a week.",
    }
    again(book, **moved)
    assert not has_any(read_as(cast.bob), ["ten hours", "thirty days", "Trucks"])
    assert has_any(read_as(cast.bob), ["canteen opens"])
    [open_part] = api.list_undecided_parts(by=admin)
    states = {section.name: str(section.state) for section in api.list_sections(book.pk, by=admin)}
    assert states["Holidays"] == "unrecognised"
    assert states["For supervisors"] == "recognised"
    assert states["Canteen"] == "open"
    again(book, **moved, last="Edition 3.")
    assert not has_any(read_as(cast.bob), ["ten hours"])
    api.decide_unrecognised(open_part.part_id, "gone", by=admin)
    assert has_any(read_as(cast.bob), ["ten hours"])
    assert not has_any(read_as(cast.bob), ["Trucks"])
    again(book, **moved, last="Edition 4.")
    assert has_any(read_as(cast.bob), ["ten hours"])
    assert has_any(read_as(cast.bob), ["Edition 4."])
    assert not api.list_undecided_parts(by=admin)


def test_moved_text_that_is_kept_closed_is_not_asked_about_again(cast: Cast, admin: User, book: Document) -> None:
    """And a later decision about another section leaves it closed."""
    moved = {"holidays": f"{HOLIDAYS}\n\nSupervisors may approve overtime of up to ten hours a week."}
    again(book, **moved)
    api.decide_unrecognised(noted(book).part_id, "keep", by=admin)
    again(book, **moved, last="Warnings are written in the presence of two witnesses and kept in the locked cabinet.")
    [open_part] = api.list_undecided_parts(by=admin)
    api.decide_unrecognised(open_part.part_id, "gone", by=admin)
    assert has_any(read_as(cast.bob), ["canteen opens"])
    assert not has_any(read_as(cast.bob), ["ten hours"])


def test_a_rule_of_a_collection_fails_closed_where_it_has_parted_a_document(
    cast: Cast, admin: User, shelf: Collection
) -> None:
    """Others that never had such a section stay open, and a decision is about the one document alone."""
    rule = api.add_rule(shelf.pk, "sheet", "Salaries", [cast.owners.pk], by=admin)
    plan = ingest(workbook(), "plan.xlsx", shelf)
    other = ingest(handbook(), "handbook.md", shelf)
    split_now()
    assert not has_any(read_as(cast.bob), ["Anna"])
    stored = ingest(b"# Plan\n\n## Shifts\n\nNo sheets any more.\n", "plan.md", shelf, source="plan.xlsx")
    assert stored.pk == plan.pk
    assert not has_any(read_as(cast.bob), ["No sheets"])
    assert has_any(read_as(cast.bob), ["thirty days"])
    [open_part] = api.list_undecided_parts(by=admin)
    api.decide_unrecognised(open_part.part_id, "gone", by=admin)
    assert has_any(read_as(cast.bob), ["No sheets"])
    assert SectionRule.objects.get().pk == rule
    ingest(b"# Plan\n\n## Shifts\n\nNo sheets at all.\n", "plan.md", shelf, source="plan.xlsx")
    assert has_any(read_as(cast.bob), ["No sheets at all"])
    assert not Document.objects.filter(part_of=other).exists()


def test_a_section_that_a_rule_names_first_in_a_later_edition_closes_the_editions_before(
    cast: Cast, admin: User, shelf: Collection
) -> None:
    """They may have had the same under another name."""
    api.add_rule(shelf.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    document = ingest(handbook(heading="Notes"), "handbook.md", shelf)
    assert has_any(read_as(cast.bob))
    ingest(handbook(), "handbook.md", shelf)
    assert not has_any(read_as(cast.bob))
    since = dict(RoleDocumentAccess.objects.filter(document=document).values_list("role__name", "since_version"))
    assert since == {"owners": 1, "staff": 2}


def test_the_same_text_and_another_description_leave_the_parts_as_they_are(cast: Cast, book: Document) -> None:
    """What is unchanged is no new edition; a new title is one of all rows, and is searched with their passages."""
    again(book)
    assert Document.objects.get(pk=book.pk).version == 2
    document = Document.objects.get(pk=book.pk)
    document.title, document.document_date = "House rules", dt.date(2026, 5, 4)
    save_description(document, ["title", "document_date"])
    part = noted(book).part
    assert (part.version, part.document_date) == (3, dt.date(2026, 5, 4))
    assert part.title == "House rules: For supervisors, For supervisors > Dismissal"
    with bypass_row_security():
        contexts = list(Chunk.objects.values_list("context", flat=True))
    assert all(context.startswith("House rules\n") for context in contexts)
    assert not has_any(read_as(cast.bob))


def test_a_document_keeps_its_restrictions_in_another_collection(cast: Cast, admin: User, shelf: Collection) -> None:
    """A rule of the collection that it leaves becomes one of its own, and those of the new one hold as well."""
    api.add_rule(shelf.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    document = ingest(handbook(), "handbook.md", shelf)
    other = Collection.objects.create(name="Other")
    api.add_rule(other.pk, "heading", "Canteen", [], by=admin)
    document.collection = other
    save_description(document, ["collection"])
    assert not has_any(read_as(cast.bob), ["two witnesses", "canteen opens"])
    assert has_any(read_as(cast.bob), ["thirty days"])
    assert has_any(read_as(cast.alice), ["two witnesses"])
    assert SectionRule.objects.get(document=document).pattern == "For supervisors"


def test_a_part_is_nobodys_place(cast: Cast, book: Document) -> None:
    """Neither a file of the same content nor one that is called like it goes there."""
    part = noted(book).part
    ingest(handbook(), "other-folder/handbook.md", book.collection)
    with pytest.raises(IngestionError, match="such a name"):
        ingest(b"# Handbook\n\nMine.\n", "handbook.md", book.collection, source=part.source)
    part.refresh_from_db()
    assert has_any(texts_of(part))
    assert Document.objects.filter(part_of=None).count() == 1
