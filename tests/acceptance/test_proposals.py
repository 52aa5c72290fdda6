"""From a gap to a change, in a real browser: where, the text, how it looks, and what becomes of it."""

from uuid import UUID

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core.models import ContentGap, Document, ProposalWords, ProposedChange, SourceContradiction
from core.models.row_security import bypass_row_security
from core.quality.proposals.sending import send
from core.testing import Cast, make_cast
from tests.acceptance.axe import NARROW, WIDE, find_serious, is_as_wide_as_its_window
from tests.acceptance.browser import opened_by, take_picture
from tests.integration.asked import give_right
from tests.integration.contradictions.pairs import keep_price_lists
from tests.integration.proposals import (
    ANSWER,
    ASKED,
    FILE,
    HANDBOOK,
    URL,
    Taken,
    let_propose,
    make_file,
    make_gap,
    make_source,
    register_source,
)

LONG = FILE.replace("## Parental", "".join(f"Rule {number} of leave.\n\n" for number in range(200)) + "## Parental")

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Taken:
    """The source that takes changes."""
    return register_source(monkeypatch)


@pytest.fixture
def cast(transactional_db: None, settings: Settings, fast: None, source: Taken) -> Cast:
    """The cast, of which Alice may propose changes."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    cast = make_cast()
    let_propose(cast.alice, "view_contradictions")
    return cast


@pytest.fixture
def gap(cast: Cast) -> ContentGap:
    """A gap of three people's questions."""
    return make_gap(ASKED, cast.alice, cast.bob, cast.charlie)


@pytest.fixture
def handbook(cast: Cast) -> Document:
    """A long document that lacks what was asked for."""
    return make_file(text=LONG, roles=[cast.staff])


def _look_at(page: Page, name: str) -> None:
    """Nothing serious is wrong with the page, on a desk and on a telephone, light and dark, and it fits both."""
    for size, width in ((NARROW, "390"), (WIDE, "1300")):
        page.set_viewport_size(size)
        page.evaluate("isDark => document.documentElement.classList.toggle('dark', isDark)", width == "390")
        take_picture(page, f"proposal-{name}-{width}")
        assert is_as_wide_as_its_window(page), (name, width)
        assert list(find_serious(page, f"{name} {width}")) == []


def test_from_a_gap_to_a_merge_request(
    browser: Browser, site: LiveServer, cast: Cast, gap: ContentGap, handbook: Document, source: Taken
) -> None:
    """Each step leads to the next; the file opens at the passage, and what is sent is what was seen."""
    with opened_by(cast.alice, browser, site, reverse("admin:core_contentgap_change", args=[gap.pk])) as page:
        _look_at(page, "gap")
        page.get_by_role("link", name="Propose a change").click()
        expect(page.get_by_role("listitem").filter(has_text=HANDBOOK)).to_contain_text("Merge request at Handbook")
        page.get_by_label("Words of its title").fill("nothing of the kind")
        page.get_by_role("button", name="Find").click()
        expect(page.get_by_text("No other document that you may read")).to_be_visible()
        _look_at(page, "where")
        page.get_by_role("link", name=f"Change {HANDBOOK}").click()

        text = page.get_by_label("The whole file")
        expect(text).to_have_value(LONG)
        page.wait_for_function("field => field.scrollTop > 1000", arg=text.element_handle())  # once its script has run
        _look_at(page, "write")
        page.get_by_role("button", name="Look at the change").click()
        expect(page.get_by_role("alert")).to_contain_text("Nothing is changed yet.")
        page.get_by_label("Title").fill("Say how long parental leave is")
        text.fill(LONG + f"\n{ANSWER}\n")
        _look_at(page, "refused")
        page.get_by_role("button", name="Look at the change").click()

        expect(page.locator("ins")).to_have_text(["+", f"+{ANSWER}"])
        expect(page.get_by_text("3 people asked: How many weeks")).to_be_visible()
        _look_at(page, "look")
        page.get_by_role("button", name="Change").click()
        expect(text).to_have_value(LONG + f"\n{ANSWER}\n")
        page.get_by_role("button", name="Look at the change").click()
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("Waiting to be sent")).to_be_visible()
        _look_at(page, "waiting")
        send(UUID(str(ProposedChange.objects.get().pk)), is_last_try=True)
        [change] = source.changes
        assert (change.title, change.text) == ("Say how long parental leave is", LONG + f"\n{ANSWER}\n")

        page.reload()
        expect(page.get_by_role("link", name=URL)).to_have_attribute("rel", "noopener")
        _look_at(page, "proposed")
        page.get_by_role("link", name="All proposed changes").click()
        expect(page.get_by_role("listitem").filter(has_text=HANDBOOK)).to_contain_text("3 people had asked")
        _look_at(page, "list")
        page.get_by_role("link", name=HANDBOOK).click()
        page.get_by_role("link", name="A content gap").click()
        expect(page.get_by_role("link", name=HANDBOOK).last).to_be_visible()
        _look_at(page, "gap-with-one")


@pytest.mark.parametrize("size", [pytest.param(WIDE, marks=pytest.mark.slow), NARROW], ids=["wide", "narrow"])
def test_without_a_script_it_is_the_same(
    browser: Browser,
    site: LiveServer,
    cast: Cast,
    gap: ContentGap,
    handbook: Document,
    size: dict[str, int],
) -> None:
    """Forms alone lead all the way, and to taking it back."""
    address = reverse("admin:core_contentgap_change", args=[gap.pk])
    with opened_by(cast.alice, browser, site, address, viewport=size, java_script_enabled=False) as page:
        page.get_by_role("link", name="Propose a change").click()
        page.get_by_role("link", name=f"Change {HANDBOOK}").click()
        page.get_by_label("The whole file").fill(LONG + f"\n{ANSWER}\n")
        take_picture(page, f"proposal-without-script-{size['width']}")
        page.get_by_role("button", name="Look at the change").click()
        expect(page.locator("ins")).to_have_text(["+", f"+{ANSWER}"])
        page.get_by_role("button", name="Send").click()
        row = ProposedChange.objects.get()
        with bypass_row_security():
            assert ProposalWords.objects.get(proposal=row.pk).text == LONG + f"\n{ANSWER}\n"
        page.get_by_role("button", name="Withdraw").click()
        expect(page.get_by_text("Withdrawn").first).to_be_visible()
    assert ProposedChange.objects.get().state == "withdrawn"


def test_a_new_edition_is_shown_beside_what_was_written(
    browser: Browser, site: LiveServer, cast: Cast, gap: ContentGap, handbook: Document
) -> None:
    """Keep what was written, and go on from there."""
    address = reverse("admin:core_proposedchange_write", kwargs={"gap": gap.pk, "document_id": handbook.pk})
    with opened_by(cast.alice, browser, site, address) as page:
        page.get_by_label("The whole file").fill(f"{FILE}\n{ANSWER}\n")
        Document.objects.filter(pk=handbook.pk).update(version=2)
        page.get_by_role("button", name="Look at the change").click()
        expect(page.get_by_role("alert")).to_contain_text("new edition since you began")
        expect(page.get_by_role("region", name="The new edition")).to_contain_text("Rule 199 of leave.")
        expect(page.get_by_label("The whole file")).to_have_value(f"{FILE}\n{ANSWER}\n")
        _look_at(page, "outdated")
        page.get_by_role("button", name="Look at the change").click()
        expect(page.locator("del").first).to_be_visible()
        _look_at(page, "look-with-deletions")


def test_from_a_contradiction_and_where_nothing_can_be_changed(browser: Browser, site: LiveServer, cast: Cast) -> None:
    """The card of a pair leads there too; where no document can be changed, it is said what would help."""
    pair = keep_price_lists([cast.staff], [cast.staff])
    give_right(cast.alice, "view_datasource")
    address = reverse("admin:core_sourcecontradiction_change", args=[pair.pk])
    with opened_by(cast.alice, browser, site, address) as page:
        _look_at(page, "pair")
        page.get_by_role("link", name="Propose a change").click()
        expect(page.get_by_role("status")).to_contain_text("An administrator can allow proposed changes")
        _look_at(page, "where-nothing")
        make_source("Wiki")
        page.reload()
        page.get_by_role("link", name="Write a new one in Wiki").click()
        page.get_by_label("Title").fill("What a berth costs")
        page.get_by_label("Path of the new file").fill("prices.md")
        page.get_by_label("Text of the new document").fill("# Prices\n\nA berth costs 31 euros.")
        _look_at(page, "write-new")
        page.get_by_role("button", name="Look at the change").click()
        expect(page.locator("ins")).to_have_text(["+# Prices", "+", "+A berth costs 31 euros."])
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("prices.md").first).to_be_visible()
    assert SourceContradiction.objects.get().proposals.count() == 1
