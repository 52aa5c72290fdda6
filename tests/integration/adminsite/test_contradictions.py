"""Test the page of contradictions: what it shows to whom, what each button does, and where it opens."""

import re
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from core.models import AuditEvent, Collection, Document, Role, SourceContradiction, User, UserRole
from core.testing import Cast
from tests.integration.contradictions.pairs import COSTS_24, COSTS_31, QUESTION, keep_price_lists
from tests.integration.rows import multiply

LIST = "admin:core_sourcecontradiction_changelist"
LOOKS, DECIDES = "core.view_contradictions", "core.manage_contradictions"


@pytest.fixture
def kept(cast: Cast, fast: None) -> SourceContradiction:
    """Keep a pair of which staff may read both, and owners one more."""
    return keep_price_lists([cast.staff], [cast.staff])


@pytest.fixture
def desk(cast: Cast, staff: Callable[..., Client]) -> Client:
    """Let somebody of the role staff in, who may decide."""
    browser = staff(LOOKS, DECIDES)
    join(cast.staff)
    return browser


def join(*roles: Role) -> User:
    """Give the person at the desk roles."""
    person = User.objects.get(email="desk@example.com")
    for role in roles:
        UserRole.objects.create(user=person, role=role)
    return person


def shown(browser: Client, **narrowed: str) -> str:
    """Return the page of the list."""
    response = browser.get(reverse(LIST), narrowed)
    assert response.status_code == 200
    return response.content.decode()


def act(browser: Client, kept: SourceContradiction, name: str, **fields: str) -> int:
    """Press a button; the status of the answer."""
    address = reverse("admin:core_sourcecontradiction_act", args=[kept.pk])
    return browser.post(address, {"act": name, **fields}).status_code


def test_a_card_has_both_quotes_and_opens_each_at_it(desk: Client, kept: SourceContradiction) -> None:
    """The newer one first; the value is marked, on the card as on the page of the document."""
    page = shown(desk)
    assert QUESTION in page
    newer, older = "One night at a berth costs <mark>31 euros</mark>.", "A berth costs <mark>24 euros</mark> per night."
    assert page.index(newer) < page.index(older)
    for document, quote in ((kept.newer_id, COSTS_31), (kept.older_id, COSTS_24)):
        [address] = set(re.findall(rf'href="({reverse("document", args=[document])}\?at=[^"]+)"', page))
        opened = desk.get(address)
        assert opened.status_code == 200
        assert quote in opened.content.decode()
        assert "Go to the quote" in opened.content.decode()


def test_the_buttons_do_what_they_say(desk: Client, kept: SourceContradiction) -> None:
    """Each leads back to the list as it was narrowed, and leaves its row in the audit trail."""
    assert act(desk, kept, "both", reason="") == 302
    assert "Say in a few words why both hold" in shown(desk)
    assert act(desk, kept, "one", side="older") == 302
    assert QUESTION not in shown(desk)
    assert "This one holds." in shown(desk, state="one_holds")
    assert act(desk, kept, "open") == 302
    response = desk.post(
        reverse("admin:core_sourcecontradiction_act", args=[kept.pk]),
        {"act": "both", "reason": "Winter and summer.", "state": "all", "page": "1"},
    )
    assert response.headers["Location"] == f"{reverse(LIST)}?state=all&page=1"
    assert "Both hold: Winter and summer." in shown(desk, state="all")
    assert act(desk, kept, "shred") == 404
    assert act(desk, kept, "one", side="third") == 404
    done = AuditEvent.objects.filter(object_type="sourcecontradiction").order_by("created_at")
    assert [event.details["state"] for event in done] == ["one_holds", "open", "both_hold"]


def test_an_owner_can_be_asked_where_one_may_read_both(desk: Client, cast: Cast, kept: SourceContradiction) -> None:
    """And else there is no button, and no way around it."""
    assert "Ask Alice" not in shown(desk)
    assert act(desk, kept, "ask", side="older") == 302
    assert "Nobody who may read both documents owns this one." in shown(desk)
    Document.objects.filter(pk=kept.older_id).update(owner=cast.alice)
    assert "Ask Alice" in shown(desk)
    assert act(desk, kept, "ask", side="older") == 302
    assert "Alice was asked on" in shown(desk)


def test_who_may_only_look_changes_nothing(cast: Cast, staff: Callable[..., Client], kept: SourceContradiction) -> None:
    """No buttons, and no way around them."""
    looking = staff(LOOKS)
    join(cast.staff)
    page = shown(looking)
    assert QUESTION in page
    assert "This one holds" not in page
    assert act(looking, kept, "one", side="newer") == 404
    assert SourceContradiction.objects.get().state == "open"


def test_who_may_read_one_side_is_told_as_if_there_were_none(cast: Cast, staff: Callable[..., Client]) -> None:
    """No card, no count, no collection to choose, and no page; with every right but the role."""
    kept = keep_price_lists([cast.staff], [cast.owners])
    browser = staff(LOOKS, DECIDES, "core.view_role", "core.view_document", "core.view_collection")
    join(cast.staff)
    page = shown(browser, state="all")
    assert "No contradictions." in page
    assert "All (0)" in page
    assert "Notices" not in page
    missing = browser.get(reverse("admin:core_sourcecontradiction_change", args=[Role.objects.first().pk]))  # type: ignore[union-attr]
    hidden = browser.get(reverse("admin:core_sourcecontradiction_change", args=[kept.pk]))
    assert (hidden.status_code, hidden.headers["Location"]) == (302, "/admin/")
    assert (missing.status_code, missing.headers["Location"]) == (302, "/admin/")
    assert act(browser, kept, "one", side="older") == 404
    join(cast.owners)
    page = shown(browser)
    assert QUESTION in page
    assert "read by owners" in page


def test_an_owner_has_the_page_without_a_permission(cast: Cast, staff: Callable[..., Client]) -> None:
    """And nobody else has: neither the page nor its entry in the menu."""
    kept = keep_price_lists([cast.staff], [cast.staff])
    browser = staff("core.view_gaps")
    person = join(cast.staff)
    assert browser.get(reverse(LIST)).status_code == 403
    assert browser.get(reverse("admin:core_sourcecontradiction_change", args=[kept.pk])).status_code == 403
    assert reverse(LIST) not in browser.get(reverse("admin:core_contentgap_changelist")).content.decode()
    Collection.objects.filter(name="Notices").update(owner=person)
    assert QUESTION in shown(browser)
    assert "This one holds" in shown(browser)


def test_the_list_is_narrowed_by_state_and_collection(desk: Client, kept: SourceContradiction) -> None:
    """Show what waits for a decision first; refuse an address that makes no sense."""
    notices = str(Collection.objects.get(name="Notices").pk)
    other = str(Collection.objects.create(name="Else").pk)
    for state, collection, there in (
        ("", "", True),
        ("open", notices, True),
        ("gone", "", False),
        ("all", other, False),
    ):
        assert (QUESTION in shown(desk, state=state, collection=collection)) is there, (state, collection)
    assert desk.get(reverse(LIST), {"state": "odd"}).status_code == 404
    assert desk.get(reverse(LIST), {"collection": "odd"}).status_code == 404
    assert QUESTION in shown(desk, page="0")
    assert "None of these." in shown(desk, page="9")


def test_an_empty_list_says_what_belongs_there(desk: Client, settings: Settings) -> None:
    """And why nothing comes, where nothing is looked for."""
    settings.READER = ""
    assert "Documents are compared with each other soon after they come, and by night." in shown(desk)
    settings.READER = "none"
    assert "Nothing is looked for without a reader" in shown(desk)
    settings.CONTRADICTIONS_ENABLED = False
    assert "CONTRADICTIONS_ENABLED is off" in shown(desk)


def test_the_queries_of_the_list_are_bounded_whatever_there_is(
    desk: Client, kept: SourceContradiction, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Their number does not grow with the pairs."""
    multiply(kept, 500, digest="md5(n::text)")
    with django_assert_max_num_queries(40):
        page = shown(desk)
    assert "501 contradictions" in page
    assert page.count("This one holds") == 40
