"""Documents in the admin: granting, revoking, explaining and deleting."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from adminsite.admin.documents import OPEN_AGAIN
from core.access.withdrawal import withdraw
from core.library.ingestion.store import save_description
from core.models import AuditEvent, DataSource, Document, RoleDocumentAccess, SyncItem, User
from core.testing import Cast, fetch_chunks, make_document

DOCUMENTS = "/admin/core/document/"


@pytest.fixture
def shelf(cast: Cast, fast: None) -> list[Document]:
    """Three documents, the first of which staff may read."""
    return [
        make_document("Crane notes", "The crane is green.", "It lifts ten tons.", roles=[cast.staff]),
        make_document("Pier notes", "The pier is long.", collection="Piers", document_type="manual"),
        make_document("Tide notes", "The tide is low."),
    ]


def grants() -> set[tuple[str, str]]:
    """Every grant as role and title."""
    return set(RoleDocumentAccess.objects.values_list("role__name", "document__title"))


def bulk(action: str, documents: list[Document], **more: Any) -> dict[str, Any]:
    """The form data of a bulk action."""
    return {"action": action, "_selected_action": [str(document.pk) for document in documents], **more}


def test_roles_are_written_as_they_are_called(root: Client, shelf: list[Document]) -> None:
    """In the list of documents too: a label of the theme would be in capitals alone."""
    listed = root.get(DOCUMENTS).content.decode()
    assert re.search(r'<td class="field-show_roles[^>]*>\s*staff\s*</td>', listed)
    assert "ID on arXiv" in root.get(f"{DOCUMENTS}{shelf[0].pk}/change/").content.decode()


def test_a_grant_is_confirmed_before_it_is_made(root: Client, cast: Cast, shelf: list[Document]) -> None:
    """The first page names the documents and what each role may read now, and changes nothing."""
    response = root.post(DOCUMENTS, bulk("grant_role", shelf[:2]))
    shown = response.content.decode()
    assert "2 documents" in shown
    assert "Crane notes" in shown
    assert "Tide notes" not in shown
    assert "staff – may read 1 of 2 now" in shown
    assert grants() == {("staff", "Crane notes")}


def test_roles_are_granted_and_revoked_together(
    root: Client, cast: Cast, shelf: list[Document], administrator: User
) -> None:
    """Confirmed, every chosen role gets or loses every chosen document, and the audit trail names who did it."""
    chosen = {"apply": "1", "roles": [str(cast.staff.pk), str(cast.owners.pk)]}
    assert root.post(DOCUMENTS, bulk("grant_role", shelf[:2], **chosen)).status_code == 302
    assert grants() == {(role, title) for role in ("owners", "staff") for title in ("Crane notes", "Pier notes")}
    assert {row.granted_by for row in RoleDocumentAccess.objects.filter(role=cast.owners)} == {administrator}
    root.post(DOCUMENTS, bulk("revoke_role", shelf, apply="1", roles=[str(cast.staff.pk)]))
    assert grants() == {("owners", "Crane notes"), ("owners", "Pier notes")}
    assert [(e.action, e.actor, len(e.details["documents"])) for e in AuditEvent.objects.order_by("created_at")][
        1:
    ] == [
        ("grant", administrator, 2),
        ("grant", administrator, 1),
        ("revoke", administrator, 2),
    ]


def test_all_that_a_filter_shows_can_be_granted_at_once(root: Client, cast: Cast, shelf: list[Document]) -> None:
    """Selecting across pages grants what the list was narrowed to, not only the rows on the page."""
    chosen = {"apply": "1", "select_across": "1", "roles": [str(cast.owners.pk)]}
    root.post(f"{DOCUMENTS}?q=notes&document_type__exact=page", bulk("grant_role", shelf[:1], **chosen))
    assert grants() == {("staff", "Crane notes"), ("owners", "Crane notes"), ("owners", "Tide notes")}


def test_no_role_chosen_is_no_grant(root: Client, shelf: list[Document]) -> None:
    """The page comes back and says so."""
    response = root.post(DOCUMENTS, bulk("grant_role", shelf, apply="1"))
    assert "This field is required" in response.content.decode()
    assert grants() == {("staff", "Crane notes")}


def test_who_may_not_change_grants_cannot(staff: Callable[..., Client], cast: Cast, shelf: list[Document]) -> None:
    """With the permission to change documents alone the action is not offered, and posting it does nothing."""
    desk = staff("core.view_document", "core.change_document", "core.add_roledocumentaccess")
    assert "grant_role" not in desk.get(DOCUMENTS).content.decode()
    desk.post(DOCUMENTS, bulk("grant_role", shelf, apply="1", roles=[str(cast.owners.pk)]))
    assert grants() == {("staff", "Crane notes")}


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ({"collection__id__exact": "Piers"}, {"Pier notes"}),
        ({"document_type__exact": "manual"}, {"Pier notes"}),
        ({"roles__id__exact": "staff"}, {"Crane notes"}),
        ({"q": "pier-notes"}, {"Pier notes"}),
        ({"document_date_from": "2024-01-01"}, {"Tide notes"}),
    ],
)
def test_the_list_is_filtered_and_searched(
    query: dict[str, str], titles: set[str], root: Client, cast: Cast, shelf: list[Document]
) -> None:
    """By collection, type, role, date and part of the source address."""
    ids = {"Piers": str(shelf[1].collection_id), "staff": str(cast.staff.pk)}
    Document.objects.filter(pk=shelf[2].pk).update(document_date="2024-05-01")
    Document.objects.filter(pk=shelf[1].pk).update(document_date="2023-05-01")
    listed = root.get(DOCUMENTS, {name: ids.get(value, value) for name, value in query.items()})
    assert {document.title for document in listed.context["cl"].result_list} == titles


def test_deleting_takes_the_text_along_and_is_recorded(
    root: Client, shelf: list[Document], administrator: User
) -> None:
    """The confirmation counts what goes; afterwards no chunk is left, and the audit trail keeps ids and counts."""
    gone = shelf[0]
    confirmation = root.get(f"{DOCUMENTS}{gone.pk}/delete/").content.decode()
    assert "The crane is green" not in confirmation
    assert root.post(f"{DOCUMENTS}{gone.pk}/delete/", {"post": "yes"}).status_code == 302
    root.post(DOCUMENTS, bulk("delete_selected", [shelf[1]], post="yes"))
    assert {document.title for document in Document.objects.all()} == {"Tide notes"}
    assert {chunk.document_id for chunk in fetch_chunks()} == {shelf[2].pk}
    events = AuditEvent.objects.filter(action="delete", object_type="document").order_by("created_at")
    assert [(e.actor, e.object_id, e.details["chunks"]) for e in events] == [
        (administrator, str(gone.pk), 2),
        (administrator, str(shelf[1].pk), 1),
    ]


def described(document: Document, **changes: Any) -> dict[str, Any]:
    """The form of a document's page as it is opened now, with changes."""
    return {
        "title": document.title,
        "collection": str(document.collection_id),
        "document_type": document.document_type,
        "source_url": document.source_url,
        "opened_version": document.version,
        "role_access-TOTAL_FORMS": 0,
        "role_access-INITIAL_FORMS": 0,
        **changes,
    }


def test_changing_a_document_records_which_parts(root: Client, shelf: list[Document]) -> None:
    """The audit trail names the fields, not their values."""
    document = shelf[0]
    form = described(document, title="Crane manual", document_type="manual")
    assert root.post(f"{DOCUMENTS}{document.pk}/change/", form).status_code == 302
    event = AuditEvent.objects.get(action="change")
    assert (event.object_id, event.details) == (str(document.pk), {"fields": ["title", "document_type"]})


def test_a_page_that_was_opened_before_another_version_came_is_refused(root: Client, shelf: list[Document]) -> None:
    """It would write the title of the confidential version onto the open one. Opened again, it is taken."""
    document, address = shelf[0], f"{DOCUMENTS}{shelf[0].pk}/change/"
    assert 'name="opened_version" value="1"' in root.get(address).content.decode()
    sent = described(document, document_type="manual")
    document.title = "Open crane notes"
    save_description(document, ["title"])
    for form in (sent, {name: value for name, value in sent.items() if name != "opened_version"}):
        refused = root.post(address, form)
        assert OPEN_AGAIN in refused.content.decode()
    document.refresh_from_db()
    assert (document.title, document.document_type, document.version) == ("Open crane notes", "page", 2)
    assert root.post(address, described(document, document_type="manual")).status_code == 302


@pytest.mark.parametrize(
    ("email", "told"),
    [
        ("alice@example.com", "Because of: staff"),
        ("Charlie@Example.com", "This person has no role"),
        ("bob@example.com", "The account is inactive"),
        ("nobody@example.com", "Nobody has this e-mail address"),
    ],
)
def test_access_is_explained(root: Client, cast: Cast, shelf: list[Document], email: str, told: str) -> None:
    """For each person the page says whether they may read the document, and why."""
    User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    shown = root.post(f"{DOCUMENTS}{shelf[0].pk}/explain_access/", {"email": email}).content.decode()
    assert told in shown
    assert ("allowed" in shown) == (email == "alice@example.com")


def test_explaining_needs_a_document_and_the_right_to_see_people(
    root: Client, staff: Callable[..., Client], shelf: list[Document]
) -> None:
    """An unknown document is a 404; without the permission to view people the page is closed."""
    assert root.get(f"{DOCUMENTS}0b8f3a52-5a8f-4b55-9e59-0123456789ab/explain_access/").status_code == 404
    assert staff("core.view_document").get(f"{DOCUMENTS}{shelf[0].pk}/explain_access/").status_code == 403


def test_one_field_of_a_document_is_called_source(root: Client, shelf: list[Document]) -> None:
    """Name the origin of the text "Source", and the address otherwise."""
    page = root.get(f"{DOCUMENTS}{shelf[0].pk}/change/").context["adminform"]
    labels = [
        str(field.field["label"]) if isinstance(field.field, dict) else str(field.field.label)
        for part in page
        for line in part
        for field in line
    ]
    assert [label.casefold() for label in labels if label.casefold().startswith("source")] == ["source"]
    assert {"Web address", "Link"} <= set(labels)


def test_a_withdrawn_document_says_since_when_and_when_it_is_erased(
    root: Client, staff: Callable[..., Client], shelf: list[Document]
) -> None:
    """And names its data source, for who may look at sources; while that may answer again it is not erased."""
    piers = shelf[1]
    source = DataSource.objects.create(name="Pier papers", kind="folder", collection=piers.collection, erase_days=7)
    item = SyncItem.objects.create(source=source, key="piers.md", name="piers.md", is_stored=True, is_gone=True)
    Document.objects.filter(pk=piers.pk).update(data_source=source, sync_item=item)
    page = f"{DOCUMENTS}{piers.pk}/change/"
    before = root.get(page).content.decode()
    assert f'href="/admin/core/datasource/{source.pk}/change/" class="text-link">Pier papers<' in before
    assert "Nobody reads it" not in before
    withdraw([piers.pk])
    moment = dt.datetime(2024, 2, 27, 13, 5, tzinfo=timezone.get_current_timezone())
    Document.objects.filter(pk=piers.pk).update(withdrawn_at=moment)
    said = root.get(page).content.decode()
    assert "On 27 February 2024, 13:05. Nobody reads it, because it is gone at its source." in said
    assert "It is erased after 5 March 2024, 13:05" in said
    assert "nobody: withdrawn" in root.get(DOCUMENTS).content.decode()
    assert "Pier papers" not in staff("core.view_document").get(page).content.decode()
    SyncItem.objects.update(is_gone=False)
    unanswered = root.get(page).content.decode()
    assert "because its source could not be asked" in unanswered
    assert "erased after" not in unanswered


def test_a_document_that_was_handed_in_has_no_data_source(root: Client, shelf: list[Document]) -> None:
    """Its page says so."""
    assert "it was handed in" in root.get(f"{DOCUMENTS}{shelf[0].pk}/change/").content.decode()
