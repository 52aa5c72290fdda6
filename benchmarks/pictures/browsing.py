"""Move around the admin and the local page in a browser, and take pictures that are small."""

import io
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from benchmarks.pictures.product import Product

SIZE: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
ANSWERED_MS = 120_000  # the first answer waits for the models to be loaded
_COLOURS = 256
_ADMIN = "admin@example.com"
_GAP_PX = 18  # between pictures that are put side by side


def open_page(
    browser: Browser,
    *,
    size: ViewportSize = SIZE,
    scheme: Literal["light", "dark"] = "light",
) -> Page:
    """Open an empty page in a context of its own; nothing in it moves."""
    context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce", locale="en-GB")
    return context.new_page()


def open_admin(
    browser: Browser,
    product: Product,
    *,
    size: ViewportSize = SIZE,
    scheme: Literal["light", "dark"] = "light",
) -> Page:
    """Open the dashboard as the administrator of the sample library."""
    page = open_page(browser, size=size, scheme=scheme)
    page.goto(f"{product.url}/admin/")
    page.locator("input[name=username], input[name=login]").fill(_ADMIN)
    page.locator("input[name=password]").fill(product.password)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    return page


def open_local_page(browser: Browser, product: Product, person: str) -> Page:
    """Open the page that stands in for Slack, as the person of this name."""
    page = open_page(browser)
    page.goto(product.local_page)
    page.get_by_label("You are").select_option(label=person)
    expect(page.locator("#channel[inert]")).to_have_count(0)
    expect(page.locator("#person option:checked")).to_have_text(person)
    return page


def ask_in_channel(page: Page, channel: str, question: str) -> None:
    """Ask in a channel of the local page."""
    page.get_by_role("navigation").get_by_role("button", name=channel, exact=True).click()
    field = page.get_by_label(f"Message #{channel}")
    field.fill(f"@Footnote {question}")
    field.press("Enter")


def ask_directly(page: Page, question: str) -> Locator:
    """Ask in direct messages of the local page, and return the answer."""
    page.get_by_role("navigation").get_by_role("button", name="Footnote", exact=True).click()
    field = page.get_by_label("Message Footnote")
    field.fill(question)
    field.press("Enter")
    return wait_for_answer(page)


def wait_for_answer(page: Page) -> Locator:
    """Return Footnote's newest reply in the open thread, once it has its buttons."""
    thread = page.get_by_role("log", name="Messages of the thread")
    expect(thread.get_by_role("button", name="This answer helped").last).to_be_visible(timeout=ANSWERED_MS)
    return thread.get_by_role("article").last


def take(page: Page, *, full_page: bool = False) -> Image.Image:
    """Return a picture of what the page shows, without the focus and once its letters are loaded."""
    page.wait_for_load_state()
    page.evaluate("document.activeElement?.blur(); document.fonts.ready")
    page.wait_for_timeout(500)  # charts draw themselves
    return Image.open(io.BytesIO(page.screenshot(full_page=full_page))).convert("RGB")


def put_beside(pictures: list[Image.Image]) -> Image.Image:
    """Return one picture of several, side by side on white."""
    width = sum(one.width for one in pictures) + _GAP_PX * (len(pictures) - 1)
    together = Image.new("RGB", (width, max(one.height for one in pictures)), "white")
    left = 0
    for one in pictures:
        together.paste(one, (left, 0))
        left += one.width + _GAP_PX
    return together


def save(picture: Image.Image, path: Path) -> int:
    """Write a picture with at most 256 colours as PNG, and return its size in bytes."""
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    return path.stat().st_size
