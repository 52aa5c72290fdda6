"""Choosing, fetching, taking and deciding about a model of this machine, in a real browser.

The hub is a server of the loopback address, and a program in the place of llama.cpp's serves what was fetched.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from adminsite.admin import model_setups
from core.llm.local_model.machine import Machine
from core.llm.local_model.registration import find_registered
from core.models import ModelExamination, ModelSetup
from core.operations import model_setup
from core.operations.model_setup import run_setup
from core.quality.examination.running import run_examination
from core.testing import make_cast, make_document
from tests.acceptance.axe import NARROW, SCHEME, WIDE, find_serious
from tests.acceptance.browser import PICTURES, shared_chromium, take_picture
from tests.integration.answers.chat_server import completion, serving
from tests.unit.local_model.files import make_gguf
from tests.unit.local_model.hub import Hub
from tests.unit.local_model.offering import TINY, offering

PAUSE, PIECE = 500_000, 1 << 16  # bytes: where the hub pauses, and that are read at a time
ITSELF = 20_000  # milliseconds within which a page that shows progress has loaded itself again
PASSWORD = "correct horse battery staple"
KILN = "Firing temperature: 1,240 degrees\nCooling time: 14 hours\nFuel: natural gas"
POOL = "Deposit: 75 euros\nOpening time: 7 in the morning\nTelephone: 555 0117"
SIZES = {"desk": WIDE, "telephone": NARROW}

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> Iterator[Hub]:
    """A hub with one model, and a machine that it fits on."""
    machine = Machine(cores=4, memory=8_000_000_000, accelerator="")
    for module in (model_setups, model_setup):
        monkeypatch.setattr(module, "look_at_machine", lambda: machine)
    monkeypatch.setattr(model_setup, "_SIGN_EVERY_S", 0.0)
    settings.LLM_MODEL = "extractive/sentences"
    with offering(monkeypatch, settings, tmp_path / "home") as at:
        yield at


@pytest.fixture
def site(
    transactional_db: None, fast: None, settings: Any, monkeypatch: pytest.MonkeyPatch, at: Hub
) -> Iterator[LiveServer]:
    """A web process, a small library, and an administrator who may read it."""
    monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that makes the rows
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    settings.EXAMINATION_QUESTIONS, settings.READER, settings.LLM_RETRIES = 6, "none", 0
    cast = make_cast()
    make_document("Kiln card", KILN, roles=[cast.staff], section="Kiln")
    make_document("Pool card", POOL, roles=[cast.staff], section="Pool")
    cast.bob.is_staff = cast.bob.is_superuser = True
    cast.bob.set_password(PASSWORD)
    cast.bob.save()
    site = LiveServer("127.0.0.1")
    yield site
    site.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with shared_chromium() as launched:
        yield launched


@contextmanager
def opened(browser: Browser, site: LiveServer) -> Iterator[Page]:
    """The page of local models, for an administrator; nothing in it breaks the policy of the admin."""
    complaints: list[str] = []
    with browser.new_context(viewport=WIDE) as context:
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(f"{site.url}/admin/core/modelsetup/")
        page.get_by_label("Email").fill("bob@example.com")
        page.get_by_label("Password").fill(PASSWORD)
        page.locator("form button[type=submit]").first.click()
        page.wait_for_url("**/admin/core/modelsetup/")
        yield page
    assert complaints == []


@contextmanager
def worker() -> Iterator[None]:
    """Do what waits, as the worker does, in a thread; at the end of the block it has ended."""

    def work() -> None:
        run_setup(ModelSetup.objects.get(state="waiting").pk)
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join(timeout=60)
    assert not thread.is_alive()


def work() -> None:
    """Do what waits, to its end."""
    with worker():
        pass


def look(page: Page, name: str) -> None:
    """Assert that a page fits a desk and a telephone, and that axe finds nothing serious.

    Its pictures, in light and in dark, are kept where somebody wants them.
    """
    for size, viewport in SIZES.items():
        page.set_viewport_size(viewport)
        for scheme in ("light", "dark") if PICTURES else ():
            page.evaluate(SCHEME, scheme == "dark")
            take_picture(page, f"{name}-{size}-{scheme}")
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not wide, f"{name} is wider than a {size}"
    page.evaluate(SCHEME, False)
    page.set_viewport_size(WIDE)
    assert list(find_serious(page, name)) == []


def restart(settings: Any) -> None:
    """Read at the start what is set up, as the settings do."""
    registered = find_registered(settings.FOOTNOTE_HOME)
    assert registered is not None
    settings.LOCAL_MODEL, settings.LLM_MODEL = registered, registered.model
    settings.LLM_API_BASE = registered.address


def test_a_model_is_fetched_cancelled_resumed_examined_admitted_and_refused(
    browser: Browser, site: LiveServer, at: Hub, settings: Any
) -> None:
    """From the list of models to the decision, in the pages alone; only starting anew is done beside them."""
    with opened(browser, site) as page:
        expect(page.locator("#machine")).to_contain_text("4 cores, 8.0 GB of memory free")
        expect(page.locator("#tiny-1b")).to_contain_text("MIT")
        look(page, "1-list")
        page.get_by_role("button", name="Fetch").click()
        expect(page.locator("#progress")).to_contain_text("The worker begins within seconds.")

        at.pauses_after = PAUSE
        with worker():
            expect(page.locator("#progress")).to_contain_text("% fetched", timeout=ITSELF)
            share = round(100 * (PAUSE // PIECE * PIECE) / len(TINY))
            expect(page.locator("#progress .fn-score-fill")).to_have_attribute("style", f"width: {share}%")
            page.get_by_role("button", name="Cancel").click()
            expect(page.locator("#progress")).to_contain_text("It is being cancelled.")
            at.goes_on.set()
        expect(page.locator("#reason")).to_contain_text("It was cancelled, and nothing was set up.", timeout=ITSELF)
        look(page, "3-cancelled")

        at.pauses_after = None
        page.get_by_role("button", name="Go on fetching").click()
        work()
        assert at.ranges[0] is None
        assert str(at.ranges[1]).startswith("bytes=")
        expect(page.locator("#next")).to_contain_text("Start Footnote anew", timeout=ITSELF)
        look(page, "4-set-up")
        restart(settings)
        page.reload()
        expect(page.locator("#next")).to_contain_text("It answers nobody yet. It was not examined.")
        _examine_and_decide(page, site, settings)


def _examine_and_decide(page: Page, site: LiveServer, settings: Any) -> None:
    """Go on to the examination, and let the model answer, and refuse it."""
    with serving() as chats:
        chats.compose = lambda request: completion("The cooling time is 14 hours.")
        settings.LLM_API_BASE = chats.address
        page.get_by_role("link", name="Examine").click()
        expect(page.locator("#standing")).to_contain_text("answers nobody yet")
        page.get_by_role("button", name="Examine").click()
        expect(page.locator("#progress")).to_be_visible()
        run_examination(ModelExamination.objects.get(state="waiting").pk)
        expect(page.locator("#figures")).to_contain_text("Without a model", timeout=ITSELF)
        page.goto(f"{site.url}/admin/core/modelsetup/")
        expect(page.locator("#registered")).to_contain_text("Its last examination: examined, to be decided.")
        page.get_by_role("link", name="Model examinations").last.click()
        page.get_by_role("link", name="llamafile/tiny-1b").first.click()
        page.get_by_role("button", name="Let it answer").click()
        expect(page.get_by_text("The model answers from now on.")).to_be_visible()
        page.goto(f"{site.url}/admin/core/modelsetup/")
        expect(page.locator("#registered")).to_contain_text("It answers: an administrator let it in.")
        look(page, "5-admitted")
        page.go_back()
        page.get_by_role("button", name="Refuse it").click()
        page.goto(f"{site.url}/admin/core/modelsetup/")
        expect(page.locator("#registered")).to_contain_text("Its last examination: refused.")


def test_a_bad_hash_and_a_broken_network_are_said_and_nothing_is_set_up(
    browser: Browser, site: LiveServer, at: Hub, settings: Any
) -> None:
    """The same button tries again."""
    with opened(browser, site) as page:
        at.content = TINY[:-1] + b"!"
        page.get_by_role("button", name="Fetch").click()
        work()
        expect(page.locator("#reason")).to_contain_text("not the one that was announced", timeout=ITSELF)
        look(page, "6-bad-hash")

        at.content, at.breaks_after = TINY, 300_000
        page.get_by_role("button", name="Fetch again").click()
        work()
        expect(page.locator("#reason")).to_contain_text("bytes are kept: fetch again to go on from there.")
        page.goto(f"{site.url}/admin/core/modelsetup/")
        expect(page.locator("#tiny-1b")).to_contain_text("26 % fetched")  # four pieces
        assert find_registered(settings.FOOTNOTE_HOME) is None


def test_a_file_of_the_server_is_taken_or_refused_in_words(
    browser: Browser, site: LiveServer, at: Hub, settings: Any, tmp_path: Path
) -> None:
    """Cut off, of an architecture that the server program does not know, and whole."""
    files = {
        "cut-1b.gguf": (make_gguf()[:-100], "cut off: 100 bytes"),
        "starling-1b.gguf": (
            make_gguf({"general.architecture": "starling", "starling.context_length": 4096}),
            "(starling)",
        ),
    }
    with opened(browser, site) as page:
        page.get_by_role("link", name="Take a file of the server").click()
        page.get_by_label("Path of the file").fill("/etc/passwd")
        page.get_by_role("button", name="Check and set up").click()
        expect(page.get_by_text("its name has to end in .gguf")).to_be_visible()
        look(page, "7-file")
        for name, (content, said) in files.items():
            (tmp_path / name).write_bytes(content)
            _take(page, site, tmp_path / name)
            expect(page.locator("#reason")).to_contain_text(said, timeout=ITSELF)
        assert find_registered(settings.FOOTNOTE_HOME) is None
        (tmp_path / "mine-1b.gguf").write_bytes(TINY)
        _take(page, site, tmp_path / "mine-1b.gguf")
        expect(page.locator("#next")).to_contain_text("llamafile/mine-1b", timeout=ITSELF)
    assert at.ranges == []


def _take(page: Page, site: LiveServer, file: Path) -> None:
    """Name a file in the form, and let the worker take it."""
    page.goto(f"{site.url}/admin/core/modelsetup/file/")
    page.get_by_label("Path of the file").fill(str(file))
    page.get_by_role("button", name="Check and set up").click()
    expect(page.locator("#progress")).to_be_visible()
    work()
