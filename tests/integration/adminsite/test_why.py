"""Test the pages, and their CSV, that explain who may read a document, what a person may read, and why."""

import csv
import io
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from adminsite.admin.access.picture import MOST, OTHERS, draw
from core.access.grants import grant
from core.models import AuditEvent, Role, User, UserRole
from core.testing import Cast, make_document
from tests.integration.adminsite.conftest import CANARIES, World


def page(browser: Client, row: object, **parameters: str) -> str:
    """The page of a document's readers, or of what a person may read."""
    address = (
        f"/admin/core/user/{row.pk}/list_readable/"
        if isinstance(row, User)
        else f"/admin/core/document/{row.pk}/list_readers/"
    )
    answer = browser.get(address, parameters, follow=True)
    assert answer.status_code == 200, address
    return (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()


def test_a_documents_readers_are_named_with_their_ways(root: Client, world: World, cast: Cast) -> None:
    """Alice by her role, and not Bob; no word of the text."""
    said = page(root, world.vault)
    assert cast.alice.email in said
    assert cast.bob.email not in said
    assert "owners (given by hand)" in said
    assert "<svg" in said
    assert [canary for canary in CANARIES if canary in said] == []


def test_what_a_person_may_read_is_listed_with_its_reason(root: Client, world: World, cast: Cast) -> None:
    """Bob reads the canteen's rules through staff, and sees nothing of the vault's."""
    said = page(root, cast.bob)
    assert world.canteen.title in said
    assert world.vault.title not in said
    assert "staff (given by hand)" in said
    nothing = page(root, cast.charlie)
    assert "They may read nothing" in nothing
    assert world.canteen.title not in nothing


def test_csv_holds_the_same_cannot_be_a_formula_and_is_on_record(root: Client, cast: Cast, fast: None) -> None:
    """A title that a spreadsheet would calculate is text."""
    document = make_document("=HYPERLINK(1)", "Text.", roles=[cast.staff])
    rows = list(csv.reader(io.StringIO(page(root, cast.bob, csv="1"))))
    assert rows == [
        ["Document", "Collection", "Reads it by"],
        ["'=HYPERLINK(1)", "Test library", "staff (given by hand)"],
    ]
    readers = list(csv.reader(io.StringIO(page(root, document, csv="1"))))
    assert [row[1] for row in readers[1:]] == [cast.alice.email, cast.bob.email]
    exports = AuditEvent.objects.filter(action="export").order_by("created_at")
    assert [(event.object_id, event.details["of"]) for event in exports] == [
        (str(cast.bob.pk), "documents"),
        (str(document.pk), "readers"),
    ]


@pytest.mark.parametrize("lacking", ["core.view_user", "core.view_role", "core.view_document"])
def test_who_lacks_one_of_the_three_lists_is_shown_nothing(
    staff: Callable[..., Client], world: World, cast: Cast, lacking: str
) -> None:
    """It joins people, roles and documents."""
    needed = {"core.view_user", "core.view_role", "core.view_document"}
    browser = staff(*(needed - {lacking}))
    for address in (f"document/{world.vault.pk}/list_readers/", f"user/{cast.alice.pk}/list_readable/"):
        answer = browser.get(f"/admin/core/{address}", follow=True)
        assert b"given by hand" not in answer.content


def test_queries_do_not_grow_with_readers(
    root: Client, cast: Cast, fast: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """3,000 people in 60 roles that may all read a document."""
    document = make_document("Guide", "Text.")
    roles = Role.objects.bulk_create(Role(name=f"Role {number:03}") for number in range(60))
    for role in roles:
        grant(role, [document], by=None)
    people = User.objects.bulk_create(User(email=f"p{number:04}@example.com") for number in range(3_000))
    UserRole.objects.bulk_create(UserRole(user=person, role=roles[place % 60]) for place, person in enumerate(people))
    with django_assert_max_num_queries(20):
        said = page(root, document, page="2")
    assert "101 to 200 of 3000" in said
    with django_assert_max_num_queries(20):
        assert "1 document" in page(root, people[0])


def test_a_picture_of_many_boxes_joins_the_smallest() -> None:
    """No column has more than so many, and nothing is lost."""
    picture = draw([((f"group {n}", "role", "document"), n) for n in range(1, 30)])
    assert picture is not None
    left = [box for box in picture.boxes if box.x == picture.boxes[0].x]
    assert len(left) == MOST + 1
    assert left[-1].label == OTHERS
    assert sum(box.count for box in left) == sum(range(1, 30))
    assert draw([]) is None
