"""Share a browser among the tests of a module, and the web process that it asks."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from core.testing import Cast
from tests.acceptance.browser import shared_chromium

TIMEOUT_MS = 15_000  # on a machine with much else to do


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    expect.set_options(timeout=TIMEOUT_MS)
    with shared_chromium() as launched:
        yield launched


@pytest.fixture
def site(cast: Cast) -> Iterator[LiveServer]:
    """The web process."""
    served = LiveServer("127.0.0.1")
    yield served
    served.stop()
