"""Test the pages on who reads sections: lists, previews before anything is done, decisions, and whom they are for."""

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from core import api
from core.access.audiences import audience_of
from core.models import Collection, CollectionRole, Document, Role, SectionPart, SectionRule, User, UserRole
from core.testing import Cast, fetch_chunks
from tests.integration.rows import multiply
from tests.integration.sections.files import HOLIDAYS, SECRETS, WARNINGS, handbook, has_any, ingest, read_as, split_now

pytestmark = pytest.mark.usefixtures("fast")
LIST, MATRIX = "/admin/core/sectionrule/", "/admin/core/role/matrix/"
PLAN = "/admin/core/sectionrule/plan/"
SEES = ("core.view_role", "core.view_document", "core.view_collection")
DECIDES = (*SEES, "core.decide_who_reads")
GONE = f"# Handbook\n\n## Holidays\n\n{HOLIDAYS}\n".encode()
RULE = {"kind": "heading", "pattern": "For supervisors"}
Staff = Callable[..., Client]


@pytest.fixture
def shelf(cast: Cast) -> Collection:
    """A collection whose documents staff and owners receive; a third role reads nothing there."""
    Role.objects.create(name="divers")
    collection = Collection.objects.create(name="Rules")
    for role in (cast.staff, cast.owners):
        CollectionRole.objects.create(collection=collection, role=role)
    return collection


@pytest.fixture
def book(shelf: Collection, fast: None) -> Document:
    """The handbook, open to all of its readers."""
    return ingest(handbook(), "handbook.md", shelf)


@pytest.fixture
def desk(staff: Staff) -> Client:
    """Let somebody in who decides who reads, and reads nothing."""
    return staff(*DECIDES)


@pytest.fixture
def restricted(cast: Cast, administrator: User, book: Document) -> Document:
    """The handbook, of which owners alone read the section for supervisors."""
    api.restrict_section(book.pk, "heading", "For supervisors", [cast.owners.pk], by=administrator)
    return book


def shown(browser: Client, address: str, **narrowed: str) -> str:
    """Return a page's words and tags, with single spaces."""
    response = browser.get(address, narrowed)
    assert response.status_code == 200, (response.status_code, address)
    return " ".join(response.content.decode().split())


def sections_of(document: Document) -> str:
    """Return the address of a document's sections."""
    return reverse("admin:core_sectionrule_document", args=[document.pk])


def rules_of(collection: Collection) -> str:
    """Return the address of a collection's rules."""
    return reverse("admin:core_sectionrule_collection", args=[collection.pk])


def plan(browser: Client, act: str, **fields: object) -> str:
    """Press a button that previews something, and return the page that it leads to."""
    response = browser.post(PLAN, {"act": act, **fields})
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def confirm(browser: Client, act: str, **fields: object) -> str:
    """Do what was previewed, and return the page that it leads back to."""
    response = browser.post(PLAN, {"act": act, **fields, "confirmed": "1"}, follow=True)
    assert response.status_code == 200
    assert response.redirect_chain
    return " ".join(response.content.decode().split())


def reads(person: User, document: Document) -> bool:
    """Return True if a person may read a document, by the rule."""
    return Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()


def test_a_document_lists_its_sections_and_roles_that_do_not_read_it_are_closed(
    cast: Cast, desk: Client, book: Document
) -> None:
    """In their order, with passages and readers, and no words of them; each opens the form with it chosen."""
    page = shown(desk, sections_of(book))
    assert page.index('scope="row">Holidays<') < page.index('scope="row">For supervisors<')
    assert "owners, staff" in page
    assert not has_any(page, SECRETS)
    divers = Role.objects.get(name="divers")
    [box] = re.findall(rf'<input[^>]*name="roles"[^>]*value="{divers.pk}"[^>]*>', page)
    assert "disabled" in box
    assert "divers (0 people) – does not read this document: grant it first" in page
    [open_box] = re.findall(rf'<input[^>]*name="roles"[^>]*value="{cast.staff.pk}"[^>]*>', page)
    assert "disabled" not in open_box
    [chosen] = [one for one in re.findall(r'href="\?section=([^"#]+)#restrict"', page) if one.endswith("supervisors")]
    assert "selected" in shown(desk, f"{sections_of(book)}?section={chosen}")
    assert 'href="' + reverse("admin:core_document_list_sections", args=[book.pk]) in shown(
        desk, reverse("admin:core_document_change", args=[book.pk])
    )


def test_a_section_is_restricted_once_it_was_seen_who_loses_it(cast: Cast, desk: Client, book: Document) -> None:
    """The first page names roles, people and sections, and changes nothing."""
    chosen = {"document": str(book.pk), **RULE, "roles": [str(cast.owners.pk)]}
    before = plan(desk, "restrict", **chosen)
    assert "read by owners alone" in before
    assert "<b>staff</b>: in 1 document, 1 person" in before
    assert "For supervisors &gt; Dismissal" in before
    assert not SectionRule.objects.exists()
    assert has_any(read_as(cast.bob))
    after = confirm(desk, "restrict", **chosen)
    assert "The section is restricted." in after
    assert "Heading “For supervisors”" in after
    assert not has_any(read_as(cast.bob))
    assert has_any(read_as(cast.alice))
    assert SectionRule.objects.get().created_by == User.objects.get(email="desk@example.com")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a section from the list, or write what it is called."),
        ({"kind": "heading", "pattern": "Salaries"}, "No section of this document is called that."),
        ({"kind": "heading", "pattern": "**"}, "Name a heading, a sheet or a label."),
        ({"kind": "odd", "pattern": "Pay"}, "Select a valid choice."),
        ({"section": "heading:Nowhere"}, "Select a valid choice."),
        ({**RULE, "roles": ["divers"]}, "Load the page again, or grant the role the document first."),
        ({**RULE, "roles": [str(uuid4())]}, "Load the page again, or grant the role the document first."),
    ],
)
def test_what_cannot_be_used_is_said_and_nothing_is_done(
    desk: Client, book: Document, fields: dict[str, object], said: str
) -> None:
    """In the form, which keeps what was given; also where somebody confirms it unseen."""
    if fields.get("roles") == ["divers"]:
        fields = {**fields, "roles": [str(Role.objects.get(name="divers").pk)]}
    assert said in plan(desk, "restrict", document=str(book.pk), **fields)
    assert said in plan(desk, "restrict", document=str(book.pk), **fields, confirmed="1")
    assert not SectionRule.objects.exists()


def test_a_rule_is_changed_and_removed_where_it_is_listed(cast: Cast, desk: Client, restricted: Document) -> None:
    """Each is previewed: who reads it then, and who gains by removing it."""
    rule = str(SectionRule.objects.get().pk)
    page = shown(desk, sections_of(restricted))
    assert f'id="rule-{rule}"' in page
    assert "Read by owners, where they may read the document." in page
    changed = {"rule": rule, "roles": [str(cast.owners.pk), str(cast.staff.pk)]}
    assert "New among them: staff." in plan(desk, "change", **changed)
    assert not has_any(read_as(cast.bob))
    assert "Changed, at once." in confirm(desk, "change", **changed)
    assert has_any(read_as(cast.bob))
    assert "nobody reads these sections then" in plan(desk, "change", rule=rule)
    confirm(desk, "change", rule=rule)
    assert not has_any(read_as(cast.alice))
    preview = plan(desk, "remove", rule=rule)
    assert "Who then reads them" in preview
    assert "<b>staff</b>: in 1 document, 2 people" in preview
    assert SectionRule.objects.exists()
    assert "The rule is removed." in confirm(desk, "remove", rule=rule)
    assert has_any(read_as(cast.bob))
    assert desk.post(PLAN, {"act": "remove", "rule": rule}).status_code == 404


def test_a_collections_rule_is_followed_until_the_worker_has_split_all(
    cast: Cast, desk: Client, book: Document, shelf: Collection
) -> None:
    """The page says how many wait, and asks for nothing but that again, until none is left."""
    rule = {"collection": str(shelf.pk), **RULE, "roles": [str(cast.owners.pk)]}
    assert "No rule yet." in shown(desk, rules_of(shelf))
    preview = plan(desk, "add", **rule)
    assert "The worker splits the documents below." in preview
    assert "1 section" in preview or "2 sections in 1 document" in preview
    confirm(desk, "add", **rule)
    page = shown(desk, rules_of(shelf))
    assert "1 still waits" in page
    assert 'hx-get="?progress=1"' in page
    assert has_any(read_as(cast.bob))
    assert split_now() == 1
    progress = shown(desk, rules_of(shelf), progress="1")
    assert "All documents here are split by these rules." in progress
    assert "hx-get" not in progress
    assert "<html" not in progress
    assert not has_any(read_as(cast.bob))
    assert "Change it with Rules" in shown(desk, sections_of(book))
    nothing = plan(desk, "add", **{**rule, "pattern": "Salaries"})
    assert "No document here has such a section now" in nothing


def test_what_was_not_recognised_comes_first_and_is_decided(
    cast: Cast, desk: Client, administrator: User, restricted: Document
) -> None:
    """On the front page, in the list and on the document; each way to decide does what it says."""
    ingest(GONE, "handbook.md", restricted.collection)
    part = str(SectionPart.objects.get().part_id)
    assert "In 1 document a restricted section could not be recognised" in shown(desk, "/admin/")
    listed = shown(desk, LIST, state="unrecognised")
    assert f"#part-{part}" in listed
    page = shown(desk, sections_of(restricted))
    assert "the whole document is restricted until you decide" in page
    assert "thirty days" not in page
    opened = plan(desk, "decide", part=part, decision="gone")
    assert "These roles then read it: <strong" in opened
    assert ">staff<" in opened
    named = {"part": part, "decision": "section", "kind": "heading", "pattern": "Holidays"}
    assert "What else waits for this decision" in plan(desk, "decide", **named)
    wrong = plan(desk, "decide", **{**named, "pattern": "Nothing of the kind"})
    assert "No section of this document is called that." in wrong
    assert not has_any(read_as(cast.bob), ["thirty days"])
    confirm(desk, "decide", part=part, decision="keep")
    assert "Not recognised: decide" not in shown(desk, sections_of(restricted))
    assert "could not be recognised" not in shown(desk, "/admin/")
    assert desk.post(PLAN, {"act": "decide", "part": part, "decision": "gone"}).status_code == 404


def test_words_found_elsewhere_are_told_apart_from_a_section_that_is_gone(
    cast: Cast, desk: Client, restricted: Document
) -> None:
    """The page names the section that has them; opening it leaves what the rule names restricted."""
    ingest(handbook(last=f"## Reminders\n\nRemember. {WARNINGS}"), "handbook.md", restricted.collection)
    page = shown(desk, sections_of(restricted))
    assert "stand in another section too: Reminders. It is restricted as well" in page
    assert not has_any(read_as(cast.bob))
    part = str(SectionPart.objects.get().part_id)
    assert "What the rules name stays restricted." in plan(desk, "decide", part=part, decision="gone")
    confirm(desk, "decide", part=part, decision="gone")
    assert has_any(read_as(cast.bob), ["two witnesses"])
    assert not has_any(read_as(cast.bob), ["brought to the gate"])


@pytest.mark.parametrize("decision", ["gone", "section"])
def test_a_decision_opens_what_it_says(cast: Cast, desk: Client, restricted: Document, decision: str) -> None:
    """All of the document, or all but the section that is named."""
    ingest(GONE + b"\n## Canteen\n\nThe canteen opens at noon.\n", "handbook.md", restricted.collection)
    part = str(SectionPart.objects.get().part_id)
    confirm(desk, "decide", part=part, decision=decision, kind="heading", pattern="Holidays")
    assert has_any(read_as(cast.bob), ["opens at noon"])
    assert has_any(read_as(cast.bob), ["thirty days"]) is (decision == "gone")


def test_the_list_has_all_rules_and_what_they_restrict(
    cast: Cast, desk: Client, restricted: Document, shelf: Collection
) -> None:
    """Narrowed by collection, reader and state; an address that makes no sense is refused."""
    page = shown(desk, LIST)
    assert "1 restricted part" in page
    assert "Heading “For supervisors”" in page
    assert "For supervisors; For supervisors &gt; Dismissal" in page
    other = Collection.objects.create(name="Else")
    for narrowed, there in (
        ({"collection": str(shelf.pk)}, True),
        ({"collection": str(other.pk)}, False),
        ({"role": str(cast.owners.pk)}, True),
        ({"role": str(cast.staff.pk)}, False),
        ({"state": "recognised"}, True),
        ({"state": "unrecognised"}, False),
    ):
        said = shown(desk, LIST, **narrowed)
        assert ("1 restricted part" in said) is there, narrowed
        assert ("None of these." in said) is not there, narrowed
    for wrong in ({"state": "open"}, {"collection": "x"}, {"role": "x"}):
        assert desk.get(LIST, wrong).status_code == 404
    moved = desk.get(reverse("admin:core_sectionrule_change", args=[SectionRule.objects.get().pk]))
    assert moved.headers["Location"] == f"{sections_of(restricted)}#rule-{SectionRule.objects.get().pk}"


def test_the_matrix_has_a_row_for_each_part_without_boxes(cast: Cast, desk: Client, restricted: Document) -> None:
    """The document stays one of the collection; the part says who reads it, and cannot be chosen."""
    part = SectionPart.objects.get()
    page = shown(desk, MATRIX, collection=str(restricted.collection_id))
    [row] = re.findall(r'<tr class="fn-part">.*?</tr>', page)
    assert "For supervisors; For supervisors &gt; Dismissal" in row
    assert re.findall(r"</span>(may \w+)</span>", row) == ["may not", "may read", "may not"]  # divers, owners, staff
    assert "<input" not in row
    assert str(part.part_id) not in page
    assert "1 document<" in shown(desk, MATRIX)


def test_whom_it_is_not_for_is_told_of_no_section(cast: Cast, staff: Staff, restricted: Document) -> None:
    """Whoever sees titles and roles, and decides nothing: no page, no entry, no row, no name, no count."""
    looking = staff(*SEES, "core.view_user", "core.view_chunk", "core.view_reports")
    part, rule = SectionPart.objects.get().part_id, SectionRule.objects.get().pk
    for address in (LIST, sections_of(restricted), rules_of(restricted.collection), f"{LIST}{rule}/change/"):
        assert looking.get(address).status_code == 403, address
    assert looking.post(PLAN, {"act": "remove", "rule": str(rule), "confirmed": "1"}).status_code == 403
    assert looking.get(reverse("admin:core_document_list_sections", args=[restricted.pk])).status_code == 403
    assert (
        looking.get(reverse("admin:core_collection_list_section_rules", args=[restricted.collection_id])).status_code
        == 403
    )
    for address in (
        *(
            "/admin/",
            "/admin/core/document/",
            f"/admin/core/document/{restricted.pk}/change/",
            "/admin/core/collection/",
        ),
        *(f"{MATRIX}?collection={restricted.collection_id}", "/admin/search/?s=supervisors", "/admin/core/role/"),
        f"/admin/core/collection/{restricted.collection_id}/change/",
    ):
        page = looking.get(address).content.decode()
        assert "supervisors" not in page, address
        assert LIST not in page, address
        assert str(part) not in page, address
    hidden = looking.get(reverse("admin:core_document_change", args=[part]))
    missing = looking.get(reverse("admin:core_document_change", args=[uuid4()]))
    assert (hidden.status_code, hidden.headers["Location"]) == (missing.status_code, missing.headers["Location"])


def test_a_part_has_no_page_of_its_own(cast: Cast, desk: Client, staff: Staff, restricted: Document) -> None:
    """It leads to the sections of its document, its readers to the document; and nothing is done with it alone."""
    part = SectionPart.objects.get().part_id
    page = reverse("admin:core_document_change", args=[part])
    assert desk.get(page).headers["Location"] == sections_of(restricted)
    person = User.objects.get(email="desk@example.com")
    person.user_permissions.set(person.user_permissions.exclude(codename="decide_who_reads"))
    UserRole.objects.create(user=person, role=cast.owners)
    assert desk.get(page).headers["Location"] == reverse("admin:core_document_change", args=[restricted.pk])
    assert len(fetch_chunks(Document.objects.get(pk=part))) == Document.objects.get(pk=part).chunk_count


def test_the_queries_do_not_grow_with_what_is_restricted(
    cast: Cast,
    desk: Client,
    administrator: User,
    restricted: Document,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    """Neither with rules nor with sections, on each of the pages."""
    rule = SectionRule.objects.get()
    multiply(rule, 120, pattern="'For ' || n")
    addresses = (LIST, sections_of(restricted), rules_of(restricted.collection))
    addresses += (f"{MATRIX}?collection={restricted.collection_id}",)
    for address in addresses:
        with django_assert_max_num_queries(45):
            shown(desk, address)
