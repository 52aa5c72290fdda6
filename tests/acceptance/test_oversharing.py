"""From a risk that too many read something to its end, in a real browser; and the pages around it."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core.models import Document, Role, SensitivePlace, SlackWorkspace, User, UsergroupRole, UserRole, forget_shown
from core.quality.oversharing.refreshing import refresh_all
from core.quality.oversharing.widening import note_reach
from core.testing import Cast, fetch_chunks, make_cast, make_document
from tests.acceptance.axe import NARROW, WIDE, find_serious, is_as_wide_as_its_window
from tests.acceptance.browser import opened_by, take_picture
from tests.integration.oversharing.people import HIDDEN, WIFI, give, look, make_people, make_shelf

PAY = "Mara Fink earns 92000 euros a year since the spring, and Ole Brandt earns 61000 euros."
LIST, SECRETS = "admin:core_oversharingrisk_changelist", "admin:core_oversharingrisk_secrets"

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def cast(transactional_db: None, settings: Settings, fast: None) -> Cast:
    """The cast, of which Alice administers everything, in a library of which every kind of risk is found."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS, settings.READER = ["127.0.0.1"], "none"
    forget_shown()
    cast = make_cast()
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True, is_superuser=True)
    cast.alice.refresh_from_db()
    crowd = make_people("crowd", 40)
    reports = make_shelf("Reports", 3, read_by=cast.owners)
    note_reach(timezone.localdate() - dt.timedelta(days=6))
    give(crowd, *reports[:2])
    give(crowd, make_shelf("Personnel", 12, read_by=cast.owners)[3])
    give(crowd, make_document("Network", WIFI, roles=[cast.staff]), _make_pay(cast))
    board = make_people("board", 2)
    make_shelf("Minutes", 2, read_by=board)
    mapping = UsergroupRole.objects.create(team_id="T1", usergroup_id="S1", handle="all", role=board)
    UserRole.objects.bulk_create(UserRole(user=user, role=board, usergroup=mapping) for user in crowd.users.all())
    SlackWorkspace.objects.meet("T9", "Harbour")
    SlackWorkspace.objects.filter(team_id="T9").update(decided_at=timezone.now())
    SlackWorkspace.objects.get(team_id="T9").roles.add(cast.staff)
    look()
    document = Document.objects.get(title="Pay list")
    [chunk] = fetch_chunks(document)
    for words in ("Mara Fink earns 92000 euros", "Ole Brandt earns 61000 euros"):
        start = PAY.index(words)
        SensitivePlace.objects.create(
            document=document,
            document_version=1,
            subject="pay",
            chunk_id=chunk.pk,
            start=start,
            end=start + len(words),
            strength=0.9,
        )
    refresh_all()
    return cast


def _make_pay(cast: Cast) -> Document:
    return make_document("Pay list", PAY, roles=[cast.owners], section="Since the spring")


def look_at(page: Page, name: str) -> None:
    """Nothing serious is wrong with the page, on a desk and on a telephone, light and dark, and it fits both."""
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.evaluate("isDark => document.documentElement.classList.toggle('dark', isDark)", scheme == "dark")
            take_picture(page, f"oversharing-{name}-{size['width']}-{scheme}")
        assert is_as_wide_as_its_window(page), (name, size)
        faults = list(find_serious(page, f"{name} {size['width']}"))
        assert faults == [], "\n".join(faults)


def test_a_risk_is_found_narrowed_and_undone(browser: Browser, site: LiveServer, cast: Cast) -> None:
    """From the menu's entry to the list, by the matrix to the page of a risk, and by one click to fewer readers."""
    document = Document.objects.get(title="Pay list")
    with opened_by(cast.alice, browser, site, reverse("admin:core_role_matrix")) as page:
        page.get_by_role("link", name="Oversharing", exact=True).click()
        expect(page.get_by_role("row").filter(has_text="Network")).to_contain_text("it holds passwords")
        for words in (
            "its words look like pay of particular people",
            "The usergroup @all brings 40",
            "may read Reports",
        ):
            expect(page.get_by_role("row").filter(has_text=words)).to_have_count(1)
        expect(page.get_by_role("row").filter(has_text="The role crowd reads 1 of 12 documents")).to_have_count(1)
        look_at(page, "list")
        page.get_by_label("Search by name").fill("pay")
        page.get_by_role("button", name="Show").click()
        page.get_by_role("link", name="Narrow: Pay list").click()
        expect(page.get_by_text("Mara Fink earns 92000 euros", exact=True)).to_be_visible()
        look_at(page, "confidential")
        page.get_by_role("button", name="Count again").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("41 people now, then 1")).to_be_visible()
        expect(page.get_by_text("Nobody would be left who may read it.")).to_be_hidden()
        page.get_by_label("owners").check()
        expect(page.get_by_text("Nobody would be left who may read it.")).to_be_visible()
        page.get_by_role("button", name="Narrow", exact=True).click()
        expect(page.get_by_text("or tick that the last readers lose it, too.").first).to_be_visible()
        expect(page.get_by_label("Take the last readers away, too")).not_to_be_checked()
        look_at(page, "nobody")
        page.get_by_label("owners").uncheck()
        page.get_by_role("button", name="Narrow", exact=True).click()
        expect(
            page.get_by_text("1 grant taken away from crowd: 41 people might read it before, 1 may now.")
        ).to_be_visible()
        look_at(page, "narrowed")
        assert not document.role_access.filter(role__name="crowd").exists()
        page.reload()  # without the message, the page still says so
        page.get_by_role("link", name="Undo it for crowd").click()
        page.get_by_role("button", name="Grant").click()
        expect(page.get_by_text("1 grant made.")).to_be_visible()
    assert document.role_access.filter(role__name="crowd").exists()


def test_a_password_is_masked_until_it_is_meant_to_be_read(browser: Browser, site: LiveServer, cast: Cast) -> None:
    """With an error on the way, which keeps what was typed; then its page lists it, and masks it again."""
    with opened_by(cast.alice, browser, site, f"{reverse(LIST)}?kind=secret") as page:
        page.get_by_role("link", name="Network", exact=True).click()
        expect(page.locator("mark")).to_have_text("•" * len(HIDDEN))
        look_at(page, "secret")
        page.get_by_label("Why are they meant to be read?").fill("Guests need it")
        page.get_by_role("button", name="Meant to be read").click()
        expect(page.get_by_text("Choose the passwords or keys that are meant to be read.").first).to_be_visible()
        expect(page.get_by_label("Why are they meant to be read?")).to_have_value("Guests need it")
        look_at(page, "error")
        page.get_by_label("Meant to be read: place 1").check()
        page.get_by_role("button", name="Meant to be read").click()
        expect(page.locator("mark")).to_have_text(HIDDEN)
        page.goto(f"{site.url}{reverse(SECRETS)}")
        expect(page.get_by_role("row").filter(has_text="Guests need it")).to_contain_text("Network")
        assert HIDDEN not in page.content()
        look_at(page, "meant")
        page.get_by_role("row").filter(has_text="Guests need it").get_by_role("button", name="Mask again").click()
        expect(page.get_by_text("It is masked again")).to_be_visible()


def test_other_risks_are_decided_without_scripts(browser: Browser, site: LiveServer, cast: Cast) -> None:
    """Opens again what was right so, and reads what grew on pages of odd rights and of more readers."""
    with opened_by(cast.alice, browser, site, f"{reverse(LIST)}?kind=odd_group", java_script_enabled=False) as page:
        page.get_by_role("link", name="@all as board", exact=True).click()
        page.get_by_label("Why is it right so?").fill("The board is everybody")
        page.get_by_role("button", name="This is right so").click()
        expect(page.get_by_text("Noted that this is right so.")).to_be_visible()
        expect(page.get_by_text("The board is everybody")).to_be_visible()
        page.get_by_role("button", name="Open again").click()
        expect(page.get_by_text("Opened again.")).to_be_visible()
        page.get_by_role("button", name="Narrow", exact=True).click()
        expect(page.get_by_text("does not give the role board any more")).to_be_visible()
    assert Role.objects.get(name="board").users.count() == 2
    for kind, name in (("widened", "Reports"), ("odd_role", "Personnel 3")):
        with opened_by(cast.alice, browser, site, f"{reverse(LIST)}?kind={kind}") as page:
            page.get_by_role("link", name=name, exact=True).click()
            expect(page.get_by_role("heading", name="Narrow")).to_be_visible()
            look_at(page, kind)
