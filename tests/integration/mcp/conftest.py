"""Two documents, and what the SDK's client hears of them over HTTP."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from core.models import AuthToken, User
from core.testing import Cast, make_document
from tests.integration.rest.conftest import CANTEEN, VAULT, Library

Calls = Sequence[tuple[str, dict[str, Any]]]
MODES = ("legacy", "auto")  # the handshake of protocols up to 2025-11-25, and what the SDK prefers


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> None:
    """The client speaks plain http."""
    settings.SECURE_SSL_REDIRECT = False


def make_library(cast: Cast) -> Library:
    """Alice alone may read about the vault, Bob too about the canteen; the canteen has two passages."""
    vault = make_document(
        "Zanzibar vault rules", VAULT, roles=[cast.owners], collection="Zanzibar shelf", section="Lockwork section"
    )
    more = "The canteen of the harbour office serves lentil soup on Fridays."
    return Library(vault=vault, canteen=make_document("Canteen rules", CANTEEN, more, roles=[cast.staff]))


@pytest.fixture
def library(cast: Cast, fast: None) -> Library:
    """The two documents."""
    return make_library(cast)


@pytest.fixture
def address(transactional_db: None, _plain_http: None) -> Iterator[str]:
    """The address of MCP at a running web process."""
    server = LiveServer("127.0.0.1")
    yield f"{server.url}/mcp"
    server.stop()


class HttpPerson:
    """A person whose client speaks to the web process with a token."""

    def __init__(self, address: str, user: User) -> None:
        self.address, self.user = address, user
        self.row, self.token = AuthToken.objects.create(user)

    def session(self, talk: Callable[[Client], Any], mode: str = "auto", **headers: str) -> Any:
        """Return the result of `talk`, called with a connected client of the SDK."""

        async def run() -> Any:
            own = {"Authorization": f"Bearer {self.token}", **headers}
            async with httpx2.AsyncClient(headers=own, timeout=30) as http:
                transport = streamable_http_client(self.address, http_client=http)
                async with Client(transport, mode=mode) as client:
                    return await talk(client)

        return anyio.run(run)

    def call(self, tool: str, mode: str = "auto", **arguments: Any) -> CallToolResult:
        """The result of one call."""
        return self.session(lambda client: client.call_tool(tool, arguments), mode)


def given(result: CallToolResult) -> dict[str, Any]:
    """The JSON that a call gave."""
    assert not result.is_error, result.content
    return dict(result.structured_content)


def told(result: CallToolResult) -> str:
    """The message of a call that was refused."""
    assert result.is_error
    assert result.structured_content is None
    return "".join(block.text for block in result.content)
