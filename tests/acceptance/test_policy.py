"""The admin, its charts, the sign-in pages and the REST page in a real browser: none breaks its own security policy."""

from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core.models import Conversation, Document, User
from core.testing import make_cast, make_document
from tests.acceptance.browser import chromium
from tests.integration.asked import make_question

PASSWORD = "correct horse battery staple"


@pytest.fixture
def site(transactional_db: None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> LiveServer:
    """A web process with a document, and an administrator who has asked something."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that makes the rows
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    make_question(User.objects.create_superuser("dana@example.org", PASSWORD), day=timezone.localdate())
    cast = make_cast()
    make_document("Canteen rules", "The canteen opens at noon.", roles=[cast.staff])
    return LiveServer("127.0.0.1")


def _visit(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")


def _watched(context: BrowserContext, complaints: list[str]) -> Page:
    """A new tab, which hands on what is complained of in it."""

    def note(said: ConsoleMessage) -> None:
        if said.type == "error" or "Security" in said.text:
            complaints.append(f"{said.location.get('url')}: {said.text}")

    tab = context.new_page()
    tab.on("console", note)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    return tab


@pytest.mark.usefixtures("fast")
def test_no_page_breaks_its_policy(site: LiveServer, tmp_path: Path) -> None:
    """A violation of the policy would be in the browser's console, and the page would miss something."""
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("Noon.")
    complaints: list[str] = []
    tabs: list[Page] = []
    document, conversation = Document.objects.get(), Conversation.objects.get()
    try:
        with chromium() as browser:
            page = _watched(browser.new_context(), complaints)
            _visit(page, f"{site.url}/admin/")
            page.get_by_label("Email").fill("dana@example.org")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Log in").click()
            page.get_by_text("Scores, times, the library and alerts").click()
            expect(page.locator("canvas").first).to_be_visible()
            for path in (
                "core/document/",
                f"core/document/{document.pk}/change/",
                "core/document/grant/",
                "core/auditevent/",
                "core/user/add/",
                "core/user/deciders/",
                "core/querylog/thresholds/",
                "core/querylog/reports/",
                "core/role/matrix/",
                "core/role/preview/",
                "core/role/unused/",
                f"core/conversation/{conversation.pk}/change/",
                "core/contentgap/",
                "core/verifiedanswer/add/",
                "core/modelsetup/",
                "core/modelsetup/file/",
                "core/evaluationrun/start/",
                "core/slackworkspace/",
                "second-factor/",
                "second-factor/app/",
            ):
                tabs.append(_watched(page.context, complaints))
                tabs[-1].goto(f"{site.url}/admin/{path}")
            _visit(page, f"{site.url}/admin/core/ingestionjob/add/")
            files = [{"name": name, "mimeType": "text/plain", "buffer": b"Noon."} for name in ("a.txt", "b.txt")]
            page.locator("input[type=file]").set_input_files(files)  # type: ignore[arg-type]
            expect(page.locator("[data-files-label]")).to_have_text("2 chosen: a.txt, b.txt")
            for tab in tabs:
                tab.wait_for_load_state("networkidle")
            _visit(page, f"{site.url}/api/v1/docs")
            expect(page.get_by_role("heading", name="Footnote")).to_be_visible()
    finally:
        site.stop()
    assert [said for said in complaints if "404" not in said] == []
