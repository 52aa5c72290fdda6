"""Rules for sections of stored documents: made, changed, removed and previewed, through the front door."""

from uuid import uuid4

import pytest

from core import api
from core.access.grants import grant
from core.errors import InvalidFilterError, NotFoundError
from core.models import (
    AuditEvent,
    Chunk,
    Collection,
    Document,
    Role,
    RoleDocumentAccess,
    SectionPart,
    SectionRule,
    User,
)
from core.models.row_security import bypass_row_security
from core.testing import Cast, fetch_chunks
from core.values.sections import SectionState
from tests.integration.sections.files import (
    SECRETS,
    handbook,
    has_any,
    ingest,
    page,
    read_as,
    split_now,
    texts_of,
    workbook,
)

pytestmark = pytest.mark.usefixtures("fast")


@pytest.fixture
def book(shelf: Collection, fast: None) -> Document:
    """The handbook, open to all of its readers."""
    return ingest(handbook(), "handbook.md", shelf)


def part_of(document: Document) -> Document:
    """Return the one part of a document, as it is stored now."""
    return Document.objects.get(part_of=document)


def test_a_restricted_chapter_is_read_by_its_readers_alone(cast: Cast, admin: User, book: Document) -> None:
    """Bob loses it with what is below it, Alice reads on; nothing is embedded anew, and nothing is lost."""
    before = {chunk.pk: chunk.content for chunk in fetch_chunks()}
    assert has_any(read_as(cast.bob))
    api.restrict_section(book.pk, "heading", "for supervisors", [cast.owners.pk], by=admin)
    assert not has_any(read_as(cast.bob))
    assert "thirty days" in read_as(cast.bob)
    assert "canteen opens" in read_as(cast.bob)
    assert all(secret in read_as(cast.alice) for secret in SECRETS)
    assert {chunk.pk: chunk.content for chunk in fetch_chunks()} == before
    part = part_of(book)
    assert part.title == "Handbook: For supervisors, For supervisors > Dismissal"
    assert (part.version, Document.objects.get(pk=book.pk).version) == (2, 2)
    for document in Document.objects.all():
        chunks = fetch_chunks(document)
        assert [chunk.chunk_index for chunk in chunks] == list(range(document.chunk_count))
        assert {chunk.document_number for chunk in chunks} == {document.number}


def test_who_loses_a_section_has_the_editions_before_closed(cast: Cast, admin: User, book: Document) -> None:
    """Quotes of the first edition may be of the section: they are for those whom the rule names."""
    api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    since = dict(RoleDocumentAccess.objects.filter(document=book).values_list("role__name", "since_version"))
    assert since == {"owners": 1, "staff": 2}
    assert RoleDocumentAccess.objects.get(document=part_of(book)).role == cast.owners


def test_a_sheet_and_a_labelled_section_are_restricted(cast: Cast, admin: User, shelf: Collection) -> None:
    """By the sheet's name and by the label, each in files of their kind; the rest stays open."""
    book, yard = ingest(workbook(), "plan.xlsx", shelf), ingest(page(), "yard.html", shelf)
    api.restrict_section(book.pk, "sheet", "SALARIES", [cast.owners.pk], by=admin)
    api.restrict_section(yard.pk, "label", "Confidential", [cast.owners.pk], by=admin)
    seen = read_as(cast.bob)
    assert not has_any(seen, ["Anna", "5,200", "next door", "two millions"])
    assert has_any(seen, ["Early"])
    assert has_any(seen, ["1920"])
    assert has_any(seen, ["ring at the gate"])
    assert "6,100" in read_as(cast.alice)
    assert "two millions" in read_as(cast.alice)
    sections = {section.name: section for section in api.list_sections(book.pk, by=admin)}
    assert sections["Salaries"].kind == "sheet"
    assert [role.name for role in sections["Salaries"].readers] == ["owners"]
    assert sections["Salaries"].state is SectionState.RECOGNISED
    assert [role.name for role in sections["Shifts"].readers] == ["owners", "staff"]
    assert (sections["Shifts"].state, sections["Shifts"].part_id) == (SectionState.OPEN, None)


def test_every_section_that_is_listed_can_be_restricted_by_what_is_listed(admin: User, book: Document) -> None:
    """The kind and pattern of a view name exactly that section, with what is below it."""
    for section in api.list_sections(book.pk, by=admin):
        matched = api.preview_rule(section.kind, section.pattern, document_id=book.pk, by=admin)
        assert matched.document_count == 1
        assert matched.documents[0].sections[0] == section.name
    assert not SectionRule.objects.exists()


def test_a_rule_of_a_collection_splits_what_is_there_and_what_comes(
    cast: Cast, admin: User, shelf: Collection, book: Document
) -> None:
    """The worker splits what is there, and counts; what is ingested is never open."""
    ingest(workbook(), "plan.xlsx", shelf)
    rule = api.add_rule(shelf.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    later = ingest(handbook(last="This is another one."), "second.md", shelf)
    assert not has_any(texts_of(later))
    [view] = api.list_section_rules(collection_id=shelf.pk, by=admin)
    assert (view.rule_id, view.waiting, view.documents) == (rule, 2, 1)
    assert split_now() == 2
    [view] = api.list_section_rules(document_id=book.pk, by=admin)
    assert (view.waiting, view.documents, view.undecided) == (0, 2, 0)
    assert not has_any(read_as(cast.bob))
    assert read_as(cast.alice).count("two witnesses") == 2
    api.remove_rule(rule, by=admin)
    assert not has_any(read_as(cast.bob) + read_as(cast.alice))
    assert split_now() == 2
    assert read_as(cast.bob).count("two witnesses") == 2
    assert not Document.objects.exclude(part_of=None).exists()


def test_where_two_rules_name_a_section_both_decide(cast: Cast, admin: User, book: Document) -> None:
    """The roles that both name read it; each rule can go again."""
    outer = api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk, cast.staff.pk], by=admin)
    inner = api.restrict_section(book.pk, "heading", "Dismissal", [cast.owners.pk], by=admin)
    assert has_any(read_as(cast.bob), ["two witnesses"])
    assert not has_any(read_as(cast.bob), ["brought to the gate"])
    assert SectionPart.objects.count() == 2
    api.remove_rule(inner, by=admin)
    assert has_any(read_as(cast.bob), ["brought to the gate"])
    assert SectionPart.objects.count() == 1
    api.remove_rule(outer, by=admin)
    assert not SectionPart.objects.exists()
    assert Document.objects.get().chunk_count == len(fetch_chunks())


def test_a_role_that_a_rule_names_later_reads_from_then_on(cast: Cast, admin: User, book: Document) -> None:
    """No edition before is opened to it, and one that is named no more loses them all."""
    rule = api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    RoleDocumentAccess.objects.filter(document=book).update(since_version=1)
    api.restrict_section(book.pk, "heading", "FOR SUPERVISORS", [cast.owners.pk, cast.staff.pk], by=admin)
    assert SectionRule.objects.get().pk == rule
    part = part_of(book)
    grants = dict(RoleDocumentAccess.objects.filter(document=part).values_list("role__name", "since_version"))
    assert grants == {"owners": 1, "staff": 2}
    assert has_any(read_as(cast.bob))
    api.change_rule(rule, [cast.staff.pk], by=admin)
    part.refresh_from_db()
    assert part.version == 3
    since = dict(RoleDocumentAccess.objects.filter(document=book).values_list("role__name", "since_version"))
    assert since == {"owners": 3, "staff": 1}
    assert RoleDocumentAccess.objects.get(document=part).role == cast.staff
    api.change_rule(rule, [], by=admin)
    assert not has_any(read_as(cast.alice) + read_as(cast.bob))


def test_a_preview_says_what_is_restricted_and_for_whom(
    cast: Cast, admin: User, shelf: Collection, book: Document
) -> None:
    """By documents, sections, roles and people; and it changes nothing."""
    ingest(page(), "yard.html", shelf)
    found = api.preview_rule("heading", "*supervisors*", collection_id=shelf.pk, roles=[cast.owners.pk], by=admin)
    assert (found.checked, found.document_count, found.section_count) == (2, 1, 2)
    assert found.documents[0].document_id == book.pk
    assert found.documents[0].sections == ("For supervisors", "For supervisors > Dismissal")
    assert [(one.role.name, one.documents, one.people) for one in found.losing] == [("staff", 1, 1)]
    labelled = api.preview_rule("label", "confidential", collection_id=shelf.pk, by=admin)
    assert [one.title for one in labelled.documents] == ["Yard"]
    assert not SectionRule.objects.exists()


def test_nobody_else_sees_or_changes_anything(cast: Cast, admin: User, book: Document) -> None:
    """Who may not decide who reads is told what somebody is told of what is not there."""
    rule = api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    part = part_of(book)
    attempts = (
        lambda: api.list_sections(book.pk, by=cast.alice),
        lambda: api.list_section_rules(by=cast.alice),
        lambda: api.list_undecided_parts(by=cast.alice),
        lambda: api.preview_rule("heading", "For*", document_id=book.pk, by=cast.alice),
        lambda: api.restrict_section(book.pk, "heading", "Holidays", [], by=cast.alice),
        lambda: api.add_rule(book.collection_id, "heading", "Holidays", [], by=cast.alice),
        lambda: api.change_rule(rule, [], by=cast.alice),
        lambda: api.remove_rule(rule, by=cast.alice),
        lambda: api.decide_unrecognised(part.pk, "gone", by=cast.alice),
        lambda: api.list_sections(part.pk, by=admin),
        lambda: api.restrict_section(part.pk, "heading", "Dismissal", [], by=admin),
        lambda: api.restrict_section(book.pk, "heading", "Holidays", [uuid4()], by=admin),
        lambda: api.decide_unrecognised(part.pk, "gone", by=admin),
        lambda: api.change_rule(uuid4(), [], by=admin),
        lambda: api.remove_rule(uuid4(), by=admin),
        lambda: api.add_rule(uuid4(), "heading", "Holidays", [], by=admin),
    )
    for attempt in attempts:
        with pytest.raises(NotFoundError):
            attempt()
    for kind, pattern in (("heading", "***"), ("heading", " "), ("word", "x"), ("heading", "No such heading")):
        with pytest.raises(InvalidFilterError):
            api.restrict_section(book.pk, kind, pattern, [], by=admin)
    assert SectionRule.objects.count() == 1


def test_each_change_is_in_the_audit_trail_without_words(cast: Cast, admin: User, book: Document) -> None:
    """By ids and numbers: no heading, no label, no title."""
    rule = api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    api.remove_rule(rule, by=admin)
    events = AuditEvent.objects.filter(actor=admin).order_by("created_at")
    assert [event.action for event in events] == [
        "restrict_section",
        "split_sections",
        "open_section",
        "split_sections",
    ]
    assert not any("upervisors" in str(event.details) for event in events)
    assert events[1].details["closed_to"] == [str(cast.staff.pk)]


def test_grants_of_the_document_are_those_of_its_sections(cast: Cast, admin: User, book: Document) -> None:
    """Who is given the document after all reads the section where the rule names their role."""
    leads = Role.objects.create(name="leads")
    cast.charlie.roles.add(leads)
    api.restrict_section(book.pk, "heading", "For supervisors", [leads.pk], by=admin)
    assert not has_any(read_as(cast.charlie))
    grant(leads, [book], by=admin)
    assert has_any(read_as(cast.charlie))


def test_what_full_text_finds_a_passage_by_stays(cast: Cast, admin: User, book: Document) -> None:
    """The headings and the title are searched with it, in a part as before."""
    contexts = {chunk.pk: chunk.context for chunk in fetch_chunks()}
    api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=admin)
    with bypass_row_security():
        assert dict(Chunk.objects.values_list("pk", "context")) == contexts
