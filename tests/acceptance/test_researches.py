"""The hour in which somebody needs a page: from a topic over its plan to a citation that opens, in a real browser."""

import datetime as dt
from collections.abc import Iterator
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core.asking.research.running import run_research
from core.models import Research, ResearchLine
from core.testing import Cast, make_cast, make_document
from tests.acceptance.axe import NARROW, WIDE, find_serious, is_as_wide_as_its_window
from tests.acceptance.browser import opened_by, sign_in, take_picture

CANTEEN = "The canteen in the harbour office opens at noon and closes at three."
PRICES = "Lunch in the canteen in the harbour office costs seven euros."

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def cast(transactional_db: None, settings: Settings, fast: None) -> Cast:
    """The cast, and documents that Alice may read, two of them of the topic."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    cast = make_cast()
    make_document("Harbour canteen prices", PRICES, roles=[cast.staff], document_date=dt.date(2025, 5, 1))
    make_document("Timetable", "The ferry to the island leaves at nine.", roles=[cast.staff])
    make_document("Harbour canteen rules", CANTEEN, roles=[cast.staff], section="Opening hours")
    return cast


@pytest.fixture
def page(browser: Browser, cast: Cast, site: LiveServer) -> Iterator[Page]:
    """The list of Alice's researches. What the browser complains about fails the test."""
    with opened_by(cast.alice, browser, site, "/research/") as page:
        yield page


def _look_at(page: Page, name: str) -> None:
    """Nothing serious is wrong with the page, on a desk and on a telephone, light and dark, and it fits both."""
    for size, width in ((NARROW, "390"), (WIDE, "1400")):
        page.set_viewport_size(size)
        take_picture(page, f"research-{name}-{width}")
        assert is_as_wide_as_its_window(page), (name, width)
        assert list(find_serious(page, f"{name} {width}")) == []


def test_from_a_topic_to_a_citation_that_opens(page: Page) -> None:
    """The plan is changed in place; what is found appears while it is asked, and the page at the end."""
    _look_at(page, "list")
    page.get_by_label("Topic").fill("the canteen of the harbour office")
    page.get_by_role("button", name="Plan it").click()

    questions = page.get_by_role("textbox", name="Question")
    expect(questions).to_have_count(2)
    _look_at(page, "plan")
    page.get_by_role("button", name="Move up").last.click()  # below the heading of the other
    headings = page.get_by_role("textbox", name="Heading")
    headings.first.fill("All about it")
    page.get_by_role("button", name="Strike out with its questions").last.click()  # a heading that has none by now
    expect(headings).to_have_count(1)
    page.get_by_role("button", name="Add a section").click()
    headings.last.fill("Night")
    questions.last.fill("Who guards the lighthouse at night?")
    page.get_by_role("button", name="Add a question below this heading").last.click()
    questions.last.fill("Is it struck out?")
    page.get_by_role("button", name="Strike out", exact=True).last.click()
    page.get_by_role("button", name="Start").click()

    expect(page.get_by_role("status")).to_have_text("Waiting to begin.")
    assert list(ResearchLine.objects.order_by("number").values_list("heading", "text")) == [
        ("All about it", "What does Harbour canteen prices say about canteen of the harbour office?"),
        ("All about it", "What does Harbour canteen rules say about Opening hours?"),
        ("Night", "Who guards the lighthouse at night?"),
    ]
    _look_at(page, "waiting")
    research: UUID = Research.objects.get().pk
    run_research(research)
    expect(page.get_by_role("link", name="Word document")).to_be_visible()  # without a reload
    expect(page.get_by_role("heading", level=2)).to_have_text(["All about it", "What could not be proven", "Sources"])
    expect(page.locator("section", has_text="What could not be proven")).to_contain_text("Who guards the lighthouse")
    _look_at(page, "page")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Word document").click()
    assert saved.value.suggested_filename == "the-canteen-of-the-harbour-office.docx"

    cited = page.locator("section", has_text="All about it").get_by_text(CANTEEN).get_by_role("link")
    cited.click()
    expect(page.locator("mark")).to_have_text(CANTEEN)
    page.get_by_role("link", name="Research").click()
    expect(page.get_by_role("listitem")).to_contain_text(["3 of 3 asked"])
    page.get_by_role("link", name="the canteen of the harbour office").click()
    page.get_by_text("Delete", exact=True).click()
    page.get_by_role("button", name="Delete this research").click()
    expect(page.get_by_role("status")).to_have_text("The research was deleted.")


def test_without_a_script_it_is_the_same(browser: Browser, cast: Cast, site: LiveServer) -> None:
    """Buttons send the form, and the browser looks again by itself."""
    context = browser.new_context(viewport=NARROW, java_script_enabled=False)
    sign_in(context, site.url, cast.alice)
    page = context.new_page()
    page.goto(f"{site.url}/research/")
    page.get_by_label("Topic").fill("the canteen of the harbour office")
    page.get_by_role("button", name="Plan it").click()
    page.get_by_role("button", name="Move up").last.click()
    page.get_by_role("textbox", name="Heading").first.fill("All about it")
    page.get_by_role("textbox", name="Heading").first.press("Enter")  # saves, and does nothing else
    expect(page.get_by_role("status")).to_have_text("The plan was saved.")
    assert set(ResearchLine.objects.values_list("heading", flat=True)) == {"All about it"}
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status")).to_have_text("Waiting to begin.")
    run_research(Research.objects.get().pk)
    expect(page.get_by_role("link", name="Markdown")).to_be_visible()
    context.close()
