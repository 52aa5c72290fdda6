"""From the matrix to a checked change and its yes, in a real browser; and the pages around it."""

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core import api
from core.access.audiences import asker_for, audience_of
from core.models import ChangeCheck, ChangeLimit, Document, User
from core.quality.change_checks import running
from core.quality.change_checks.trying import try_change
from core.testing import Cast, make_cast, make_document
from tests.acceptance.axe import NARROW, WIDE, find_serious, is_as_wide_as_its_window
from tests.acceptance.browser import opened_by, take_picture

CANTEEN = "The canteen opens at half past eleven and closes at two."
POOL = "Opening time: 7 in the morning\nDeposit: 75 euros\nTelephone: 555 0117"

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def cast(transactional_db: None, settings: Settings, fast: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The cast, of which Alice administers everything. Questions are asked in this process."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS, settings.READER = ["127.0.0.1"], "none"

    def ask(check: ChangeCheck) -> None:
        rows = ChangeCheck.objects.filter(pk=check.pk)
        try_change(check, chosen=lambda total: rows.update(total=total, asked=total), done=lambda count: None)

    monkeypatch.setattr(running, "_ask_in_child", ask)
    cast = make_cast()
    User.objects.filter(pk=cast.alice.pk).update(is_staff=True, is_superuser=True)
    cast.alice.refresh_from_db()
    return cast


@pytest.fixture
def canteen(cast: Cast) -> Document:
    """A document that Bob asked about, beside one of which the library writes questions of its own."""
    document = make_document("Canteen", CANTEEN, roles=[cast.staff])
    make_document("Pool card", POOL, roles=[cast.staff], section="Pool")
    for question in ("When does the canteen close?", "When does the canteen open?", "What does the sauna cost?"):
        api.ask(question, asker=asker_for(cast.bob), audience=audience_of([cast.bob.pk]))
    return document


def look_at(page: Page, name: str) -> None:
    """Nothing serious is wrong with the page, on a desk and on a telephone, light and dark, and it fits both."""
    for size in (NARROW, WIDE):
        page.set_viewport_size(size)
        for scheme in ("light", "dark"):
            page.evaluate("isDark => document.documentElement.classList.toggle('dark', isDark)", scheme == "dark")
            take_picture(page, f"change-{name}-{size['width']}-{scheme}")
        assert is_as_wide_as_its_window(page), (name, size)
        assert list(find_serious(page, f"{name} {size['width']}")) == []
    page.evaluate("document.querySelectorAll('details').forEach(part => part.open = false)")


def test_from_the_matrix_to_a_yes(browser: Browser, site: LiveServer, cast: Cast, canteen: Document) -> None:
    """The change is looked at first; the page says whose answers vanish, and yes makes it."""
    address = f"{reverse('admin:core_role_matrix')}?collection={canteen.collection_id}"
    with opened_by(cast.alice, browser, site, address) as page:
        page.get_by_label("Choose: staff, Canteen").check()
        page.get_by_role("button", name="Take away …").click()
        look_at(page, "confirm")
        page.get_by_role("button", name="Check first what it does to answers").click()
        expect(page.get_by_text("The worker begins when")).to_be_visible()
        look_at(page, "waiting")
        check = ChangeCheck.objects.get()
        running.run_check(check.pk)
        expect(page.get_by_role("heading", name="By question")).to_be_visible()  # the page looks again by itself
        expect(page.get_by_role("row").filter(has_text=cast.bob.display_name)).to_contain_text("3")
        expect(page.get_by_role("listitem").filter(has_text="When does the canteen close?")).to_contain_text(
            "no longer answered"
        )
        look_at(page, "looked-at")
        page.locator("#decision summary", has_text="Yes").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("Yes makes the change of grants at once")).to_be_visible()
        page.get_by_role("button", name="Yes, put it live").click()
        expect(page.get_by_text("The change is live.")).to_be_visible()
        page.get_by_role("link", name="All changes before they are live").click()
        expect(page.get_by_role("row").filter(has_text="Take 1 document away")).to_contain_text("live")
        look_at(page, "list")
    assert not Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=canteen.pk).exists()


def test_a_limit_holds_a_change_until_somebody_decides(
    browser: Browser, site: LiveServer, cast: Cast, canteen: Document
) -> None:
    """Set in the admin; the change then waits, the home page says so, and no leaves everything as it was."""
    with opened_by(cast.alice, browser, site, reverse("admin:core_changecheck_changelist")) as page:
        expect(page.get_by_text("A change is listed here once its answers are checked")).to_be_visible()
        look_at(page, "empty")
        page.get_by_role("link", name="Limits").first.click()
        grants = page.get_by_role("group", name="Grants")
        grants.get_by_label("Check before it is live").check()
        grants.get_by_label("From so many documents").fill("1")
        grants.get_by_label("Most answers that get worse").fill("200")
        page.get_by_role("button", name="Save all").click()
        expect(page.get_by_text("Nothing was saved.")).to_be_visible()
        look_at(page, "limits-refused")
        expect(grants.get_by_label("From so many documents")).to_have_value("1")
        grants.get_by_label("Most answers that get worse").fill("5")
        page.get_by_role("button", name="Save all").click()
        expect(page.get_by_text("The limits are saved.")).to_be_visible()
        look_at(page, "limits")

        page.goto(f"{site.url}{reverse('admin:core_role_matrix')}?collection={canteen.collection_id}")
        page.get_by_label("Choose: staff, Canteen").check()
        page.get_by_role("button", name="Take away …").click()
        expect(page.get_by_text("The limit of grants has so many documents checked")).to_be_visible()
        page.get_by_role("button", name="Check and take away").click()
        running.run_check(ChangeCheck.objects.get().pk)
        page.get_by_role("link", name="its check").click()
        expect(page.locator("#crossed")).to_contain_text("the limit is 5 %.")
        look_at(page, "held")
        page.goto(f"{site.url}/admin/")
        page.get_by_role("link", name="Decide now").click()
        page.get_by_role("link", name="Take 1 document away").click()
        page.locator("#decision summary", has_text="No").click()
        page.get_by_role("button", name="No, drop it").click()
        expect(page.get_by_text("Declined: the change is not made.")).to_be_visible()
    assert ChangeLimit.objects.get(kind="grants").most_worse == 5
    assert Document.objects.visible_to(cast.audience(cast.bob)).filter(pk=canteen.pk).exists()


def test_thresholds_are_checked_without_a_script(
    browser: Browser, site: LiveServer, cast: Cast, canteen: Document
) -> None:
    """The form says what to correct, the check what would be lost."""
    address = reverse("admin:core_querylog_thresholds")
    with opened_by(cast.alice, browser, site, address) as page:
        look_at(page, "thresholds")
    with opened_by(cast.alice, browser, site, address, java_script_enabled=False, viewport=NARROW) as page:
        page.get_by_label("Answers from").fill("0.1")
        page.get_by_label("Closest passages from").fill("0.2")
        page.get_by_role("button", name="Check first").click()
        expect(page.get_by_text("Closest passages cannot begin above")).to_be_visible()
        page.get_by_label("Answers from").fill("1")
        page.get_by_role("button", name="Check first").click()
        running.run_check(ChangeCheck.objects.get().pk)
        page.reload()
        expect(page.get_by_role("heading", name="By person")).to_be_visible()
        take_picture(page, "change-thresholds-checked-without-script")
