"""Debian's Chromium, without a window and without connections of its own."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from pytest_django.live_server_helper import LiveServer

from core.models import User
from tests.acceptance.axe import WIDE

PICTURES = os.environ.get("FOOTNOTE_PICTURES", "")  # a folder, for somebody who wants to look at the pages
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. The test is skipped where there is none."""
    if not Path(CHROMIUM).exists():
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        _close_stale_connections()
        yield launched
        launched.close()


def _close_stale_connections() -> None:
    """Close what is left of the last browser: while Playwright's loop runs, a thread has connections of its own.

    A restore may have ended them since (tests/flush.py). Django refuses to close one beside a loop unless told.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        connections.close_all()


@contextmanager
def shared_chromium() -> Iterator[Browser]:
    """The browser for all tests of a module: starting one takes a second or two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright's loop runs in the thread that makes the rows
        with chromium() as launched:
            yield launched


@contextmanager
def watched_page(browser: Browser, **options: Any) -> Iterator[Page]:
    """Open a page in a context of its own. What the browser complains about fails the test."""
    context = browser.new_context(**{"viewport": WIDE, **options})
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type in {"error", "warning"} else None)
    yield page
    context.close()
    assert complaints == []


@contextmanager
def opened_by(person: User, browser: Browser, site: LiveServer, address: str, **options: Any) -> Iterator[Page]:
    """Open an address of the web process as a person who is signed in, and watch the page."""
    with watched_page(browser, **options) as page:
        sign_in(page.context, site.url, person)
        page.goto(f"{site.url}{address}")
        yield page


def sign_in(context: BrowserContext, url: str, user: User) -> None:
    """Sign a person in at the web process at this address, without its form, which other tests fill in."""
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": url}])


def take_picture(page: Page, name: str) -> None:
    """Keep a picture of the whole page as NAME.png, where somebody wants pictures."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)
