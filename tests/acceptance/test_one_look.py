"""Signing in, opening a document and the admin in a real browser: one look, readable, and with a keyboard."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from core.models import Document, User
from core.testing import make_cast, make_document
from tests.acceptance.axe import SCHEME, is_as_wide_as_its_window
from tests.acceptance.browser import chromium, sign_in, take_picture
from tests.integration.asked import make_question

PASSWORD = "correct horse battery staple"
READABLE = 4.5  # the least contrast of text that WCAG 2.2 asks for at level AA
# Contrast of an element's colour with the first background behind it that is not transparent.
CONTRAST = """(element, part) => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = element, ground = "rgb(255, 255, 255)";
  for (; behind; behind = behind.parentElement) {
    const colour = getComputedStyle(behind).backgroundColor;
    if (parts(colour).length === 3) { ground = colour; break; }
  }
  const [dark, bright] = [light(getComputedStyle(element, part).color), light(ground)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}"""
# A chart is a picture to the browser; its library knows in which colours it drew the letters.
LETTERS = """canvas => {
  const chart = Chart.getChart(canvas);
  const axes = Object.values(chart.scales).map(scale => scale.options.setContext(scale.getContext(0)).ticks.color);
  return [...axes, ...chart.legend.legendItems.map(item => item.fontColor)];
}"""
PAINT = "(canvas, colour) => { canvas.style.color = colour; }"

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def document(transactional_db: None, fast: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Document:
    """A document that Bob, an administrator, may read."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that makes the rows
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    cast = make_cast()
    User.objects.filter(pk=cast.bob.pk).update(is_staff=True, is_superuser=True)
    cast.bob.refresh_from_db()
    cast.bob.set_password(PASSWORD)
    cast.bob.save()
    return make_document("Kiln card", "Firing temperature: 1,240 degrees", roles=[cast.staff], section="Kiln")


def _check(page: Page, *texts: str) -> None:
    """Each of these texts can be read, the page is not wider than the window, and its letters are the admin's."""
    for text in texts:
        shown = page.get_by_text(text, exact=True).first
        expect(shown).to_be_visible()
        assert shown.evaluate(CONTRAST) >= READABLE, text
    assert is_as_wide_as_its_window(page)
    assert page.evaluate("getComputedStyle(document.body).fontFamily").strip('"').startswith("Inter")


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1400, "light"),
        (390, "dark"),
        pytest.param(1400, "dark", marks=pytest.mark.slow),
        pytest.param(390, "light", marks=pytest.mark.slow),
    ],
)
def test_pages_are_of_one_look_and_can_be_read(
    document: Document, width: int, scheme: Literal["light", "dark"]
) -> None:
    """And the first stop of the keyboard leads past the navigation."""
    site = LiveServer("127.0.0.1")
    with chromium() as browser:
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.goto(f"{site.url}/documents/{document.pk}/")
        _check(page, "Footnote", "Sign in as an administrator")
        take_picture(page, f"sign-in-{width}-{scheme}")
        page.get_by_text("Sign in as an administrator").click()
        page.get_by_label("Email").fill("bob@example.com")
        page.get_by_label("Password").fill(PASSWORD)
        page.locator("form button[type=submit]").first.click()
        page.wait_for_url(f"**/documents/{document.pk}/")
        _check(page, "Footnote", "Kiln card", "Kiln")
        take_picture(page, f"document-{width}-{scheme}")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the document")).to_be_focused()

        page.goto(f"{site.url}/admin/core/collection/{document.collection_id}/delete/")
        _check(page, "What you can do instead", "The documents of this collection", "Change this collection")
        take_picture(page, f"delete-{width}-{scheme}")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        take_picture(page, f"skip-{width}-{scheme}")
        page.keyboard.press("Enter")
        page.wait_for_url("**#content")

        page.goto(f"{site.url}/admin/core/document/")
        hints = page.locator("input[placeholder]:visible").all()
        assert hints
        assert [one.evaluate(CONTRAST, "::placeholder") >= READABLE for one in hints] == [True] * len(hints)
    site.stop()


def _open_reports(page: Page, site: LiveServer) -> None:
    """Look at the figures of the day of make_question, as Bob."""
    sign_in(page.context, site.url, User.objects.get(email="bob@example.com"))
    page.goto(f"{site.url}/admin/core/querylog/reports/?since=2026-03-01&until=2026-03-03")


def test_letters_of_charts_can_be_read_in_both_schemes(document: Document) -> None:
    """And when the scheme changes while the page is open."""
    make_question(User.objects.get(email="bob@example.com"))
    site = LiveServer("127.0.0.1")
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme="light").new_page()
        _open_reports(page, site)
        for scheme in ("light", "dark"):
            page.evaluate(SCHEME, scheme == "dark")
            page.wait_for_timeout(300)
            charts = page.locator("canvas.chart").all()
            letters = {colour for chart in charts for colour in chart.evaluate(LETTERS)}
            assert letters
            for colour in letters:
                charts[0].evaluate(PAINT, colour)
                assert charts[0].evaluate(CONTRAST) >= READABLE, (scheme, colour)
            take_picture(page, f"charts-1400-{scheme}")
    site.stop()


def test_tables_are_cards_on_a_telephone(document: Document) -> None:
    """Nothing is cut off, and each cell is named as its column is, with a capital first."""
    make_question(User.objects.get(email="bob@example.com"))
    site = LiveServer("127.0.0.1")
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 390, "height": 900}).new_page()
        _open_reports(page, site)
        assert page.locator(".fn-report").evaluate("table => table.scrollWidth <= table.clientWidth")
        _check_names_of_cells(page, "Questions", "Median s")
        take_picture(page, "cards-of-a-report-390-light")
        page.goto(f"{site.url}/admin/core/document/")
        _check_names_of_cells(page, "Title", "Document date", "May be read by")
        take_picture(page, "cards-of-a-list-390-light")
    site.stop()


def _check_names_of_cells(page: Page, *expected: str) -> None:
    """These are among the names, all begin with a capital or a sign, and the style sheet changes none."""
    named = page.locator("[data-label]:visible").all()
    names = [one.get_attribute("data-label") or "" for one in named]
    assert set(expected) <= set(names)
    assert not [name for name in names if name[:1].islower()]
    drawn = {one.evaluate("cell => getComputedStyle(cell, '::before').textTransform") for one in named}
    assert drawn == {"none"}
