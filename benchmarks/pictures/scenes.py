"""Define the pictures: what each one shows, and how a person gets there."""

import re
from collections.abc import Callable
from pathlib import Path

from PIL.Image import Image
from playwright.sync_api import Browser, Page, expect

from benchmarks.pictures.browsing import (
    ANSWERED_MS,
    PHONE,
    ask_directly,
    ask_in_channel,
    open_admin,
    open_local_page,
    put_beside,
    take,
    wait_for_answer,
)
from benchmarks.pictures.product import Product

SHARED_DRIVE = "Shared drive"  # the name of the furnished data source
EYE_WASH = "How often is the eye-wash station in Bay 3 tested?"
LEAVE = "How many days of annual leave can be carried over?"
BICYCLES = "When is the bicycle shed locked?"
# Asked before any picture is made, so that lists and charts have something to show.
ASKED_BEFORE = (
    ("alice@example.com", LEAVE),
    ("alice@example.com", EYE_WASH),
    ("bob@example.com", "Who approves expenses of more than 500 euros?"),
    ("bob@example.com", "When does the sports club meet?"),
    ("alice@example.com", "When does the sports club meet?"),
    ("charlie@example.com", "Is there a company discount on gym membership?"),
    ("dana@example.com", "What did the Board decide about the lending rate in May 2025?"),
    ("dana@example.com", "Who repairs a cracked laptop screen?"),
)
_NOTICE_MS = 240_000  # a changed source is looked at a minute after it came
_SHED = "# Bicycle parking rules\n\n## Shed\n\nThe bicycle shed is locked at {} each evening.\n"


class Scenes:
    """The pictures of one furnished installation."""

    def __init__(self, browser: Browser, product: Product, home: Path) -> None:
        """home: the folder of the installation; what is ingested for a picture is written there."""
        self._browser, self._product, self._home = browser, product, home

    def list_all(self) -> dict[str, Callable[[], Image]]:
        """Map the name of each picture's file to what makes it, in the order in which they are made."""
        return {
            "local-page.png": self.show_local_page,
            "opened-at-the-quote.png": self.open_at_quote,
            "changed-source.png": self.show_changed_source,
            "source-run.png": self.show_source_run,
            "dashboard.png": lambda: self.show_dashboard(self._admin()),
            "admin-dark.png": lambda: self.show_dashboard(open_admin(self._browser, self._product, scheme="dark")),
            "admin-phone.png": self.show_phone,
            "rights.png": lambda: self.show("auth/group/rights/"),
            "matrix.png": lambda: self.show("core/role/matrix/"),
            "who-may-read.png": self.show_readers,
            "before-a-grant.png": self.show_before_grant,
            "preview-as.png": self.show_preview,
            "conversation.png": self.show_conversation,
            "asked-as.png": self.show_asked_as,
            "content-gaps.png": lambda: self.show("core/contentgap/"),
            "admin-installations.png": lambda: self.show("bot/installation/", height=560),
            "admin-channel.png": self.show_channel,
            "admin-bots.png": lambda: self.show("core/slackbot/", height=520),
            "admin-usergroups.png": lambda: self.show("core/usergrouprole/", height=560),
        }

    def show(self, path: str, *, height: int = 900) -> Image:
        """Return a page of the admin. height: in pixels."""
        page = self._admin(height)
        page.goto(f"{self._product.url}/admin/{path}")
        return take(page)

    def show_local_page(self) -> Image:
        """Return the answer to a question that not everyone in its channel may have answered."""
        page = open_local_page(self._browser, self._product, "Alice Amadi")
        ask_in_channel(page, "general", EYE_WASH)
        offered = page.get_by_role("button", name="Answer only me, from everything that I may read")
        offered.click(timeout=ANSWERED_MS)
        quotes = page.get_by_role("button", name="Show the quoted passages")
        expect(quotes.last).to_be_visible(timeout=ANSWERED_MS)
        return take(page)

    def open_at_quote(self) -> Image:
        """Return a PDF, opened from a citation by a person who signs in on the way."""
        page = open_local_page(self._browser, self._product, "Alice Amadi")
        answer = ask_directly(page, "Where are the eye-wash stations installed?")
        address = answer.get_by_role("link", name=re.compile("Safety Manual")).first.get_attribute("href")
        page.goto(str(address))
        page.get_by_role("link", name="Sign in with Slack").click()
        page.get_by_role("button", name="Continue as Alice Amadi").click()
        expect(page.locator("mark, .fn-mark, .mark").first).to_be_visible()
        page.wait_for_timeout(1500)  # the viewer draws the page and scrolls to the quote
        return take(page)

    def show_changed_source(self) -> Image:
        """Return the notice below an answer whose document has changed."""
        self._ingest_shed("22:00")
        page = open_local_page(self._browser, self._product, "Alice Amadi")
        ask_in_channel(page, "workshops", BICYCLES)
        wait_for_answer(page)
        self._ingest_shed("20:30")
        notice = page.get_by_role("log", name="Messages of the thread").get_by_text("has changed").first
        expect(notice).to_be_visible(timeout=_NOTICE_MS)
        return take(page)

    def show_source_run(self) -> Image:
        """Return the page of a run that added documents."""
        page = self._admin(1000)
        page.goto(f"{self._product.url}/admin/core/syncrun/")
        page.locator("#result_list tbody th a").first.click()
        expect(page.locator("#result_list")).to_have_count(0)
        return take(page)

    def show_dashboard(self, page: Page) -> Image:
        """Return the dashboard with the figures of 30 days unfolded."""
        page.get_by_text("the last 30 days").first.click()
        page.wait_for_timeout(1500)
        return take(page, full_page=True)

    def show_phone(self) -> Image:
        """Return three pages of the admin on a telephone."""
        page = open_admin(self._browser, self._product, size=PHONE)
        taken = [take(page)]
        for path in ("core/role/matrix/", "core/query/"):
            page.goto(f"{self._product.url}/admin/{path}")
            taken.append(take(page))
        return put_beside(taken)

    def show_readers(self) -> Image:
        """Return who may read a document, and by which way."""
        page = self._admin()
        page.goto(f"{self._product.url}/admin/core/document/?q=Asking+Footnote")
        page.get_by_role("link", name="Asking Footnote").first.click()
        page.get_by_role("link", name="Who may read it").first.click()
        return take(page)

    def show_before_grant(self) -> Image:
        """Return what a grant would change, before it is made."""
        page = self._admin()
        page.goto(f"{self._product.url}/admin/core/role/matrix/")
        page.get_by_label("Choose: guest, Board minutes").check()
        page.get_by_role("button", name="Grant").first.click()
        return take(page)

    def show_preview(self) -> Image:
        """Return a question as somebody else would be told, with how it is decided."""
        page = self._admin()
        page.goto(f"{self._product.url}/admin/core/role/preview/")
        page.get_by_label("A person, by e-mail address").fill("bob@example.com")
        page.get_by_label("Ask as them").fill(LEAVE)
        page.get_by_role("button", name="Preview").click()
        page.get_by_text("This look is recorded.").scroll_into_view_if_needed(timeout=60_000)
        page.get_by_text("This look is recorded.").evaluate("element => element.scrollIntoView()")
        return take(page)

    def show_conversation(self) -> Image:
        """Return a question on the page of its conversation."""
        return take(self._open_question(self._admin()))

    def show_asked_as(self) -> Image:
        """Return a question that is asked again as its asker."""
        page = self._open_question(self._admin())
        page.get_by_role("button", name="Ask as its asker").first.click()
        expect(page.get_by_role("link", name="Back to the conversation")).to_be_visible(timeout=60_000)
        return take(page)

    def show_channel(self) -> Image:
        """Return the settings of a channel."""
        page = self._admin(1400)
        page.goto(f"{self._product.url}/admin/core/channelsetting/")
        page.locator("#result_list tbody th a").first.click()
        expect(page.locator("#result_list")).to_have_count(0)
        return take(page)

    def _admin(self, height: int = 900) -> Page:
        return open_admin(self._browser, self._product, size={"width": 1280, "height": height})

    def _open_question(self, page: Page) -> Page:
        page.goto(f"{self._product.url}/admin/core/query/?q=lending+rate")
        page.locator("#result_list tbody th a").first.click()
        expect(page.get_by_role("button", name="Replay").first).to_be_visible()
        return page

    def _ingest_shed(self, hour: str) -> None:
        path = self._home / "bicycle-parking.md"
        path.write_text(_SHED.format(hour))
        self._product.manage("ingest", str(path), "--grant", "staff", "--collection", "Staff handbook")
