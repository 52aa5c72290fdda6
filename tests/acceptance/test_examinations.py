"""Examining a model and deciding about it in a real browser; a scripted server of chat completions stands in for it."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from core.models import ModelExamination, User
from core.quality.examination.running import run_examination
from core.testing import make_cast, make_document
from tests.acceptance.browser import chromium, take_picture
from tests.integration.answers.chat_server import completion, serving

PASSWORD = "correct horse battery staple"
KILN = "Firing temperature: 1,240 degrees\nCooling time: 14 hours\nFuel: natural gas"
POOL = "Deposit: 75 euros\nOpening time: 7 in the morning\nTelephone: 555 0117"

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def site(transactional_db: None, fast: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> LiveServer:
    """A web process, a small library, and an administrator who may read it."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that makes the rows
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    settings.MODEL_ADMISSION, settings.LLM_MODEL, settings.LLM_RETRIES = "required", "llamafile/tiny-1b", 0
    settings.EXAMINATION_QUESTIONS, settings.READER = 6, "none"
    cast = make_cast()
    make_document("Kiln card", KILN, roles=[cast.staff], section="Kiln")
    make_document("Pool card", POOL, roles=[cast.staff], section="Pool")
    User.objects.filter(pk=cast.bob.pk).update(is_staff=True, is_superuser=True)
    cast.bob.refresh_from_db()
    cast.bob.set_password(PASSWORD)
    cast.bob.save()
    return LiveServer("127.0.0.1")


def _sign_in(page: Page, site: LiveServer) -> None:
    page.goto(f"{site.url}/admin/core/modelexamination/")
    page.get_by_label("Email").fill("bob@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.locator("form button[type=submit]").first.click()
    page.wait_for_url("**/admin/core/modelexamination/")


def test_a_model_is_examined_admitted_refused_and_stopped(site: LiveServer, settings: Any) -> None:
    """Each step is a button, and the page says what answers people meanwhile."""
    complaints: list[str] = []
    with serving() as chats, chromium() as browser:
        chats.compose = lambda request: completion("The cooling time is 14 hours.")
        settings.LLM_API_BASE = chats.address
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        _sign_in(page, site)
        expect(page.locator("#standing")).to_contain_text("answers nobody yet")
        take_picture(page, "1-not-examined")
        page.get_by_role("button", name="Examine").click()
        expect(page.locator("#progress")).to_contain_text("The worker begins")
        take_picture(page, "2-waiting")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("It was stopped before it began.")).to_be_visible()

        page.goto(f"{site.url}/admin/core/modelexamination/")
        page.get_by_role("button", name="Examine again").click()
        expect(page.locator("#progress")).to_be_visible()
        run_examination(ModelExamination.objects.get(state="waiting").pk)
        # The page loads itself again: to ask for that here too would break off one of the two.
        expect(page.locator("#figures")).to_contain_text("Without a model", timeout=20_000)
        expect(page.locator("#questions")).to_contain_text("Expected: ")
        take_picture(page, "3-examined")
        page.get_by_role("button", name="Let it answer").click()
        expect(page.get_by_text("The model answers from now on.")).to_be_visible()
        take_picture(page, "4-admitted")
        page.get_by_role("button", name="Refuse it").click()
        expect(page.get_by_text("The model answers nobody.")).to_be_visible()
        page.goto(f"{site.url}/admin/core/modelexamination/")
        expect(page.locator("#standing")).to_contain_text("it was refused")
        take_picture(page, "5-refused")
    assert complaints == []
