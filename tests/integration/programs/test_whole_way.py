"""The official client connects by itself, asks, refreshes and is disconnected."""

from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pytest_django import Settings

from core.models import AuditEvent, ConnectedProgram, Conversation, User
from core.programs.connections import Ending, end
from core.testing import Cast, fetch_chunks
from tests.integration.mcp.conftest import MODES, given
from tests.integration.programs.conftest import BACK, Flow, Program, sent_back
from tests.integration.rest.conftest import CANTEEN, CANTEEN_QUESTION, VAULT_QUESTION, Library

pytestmark = pytest.mark.django_db(transaction=True)


class Kept:
    """The client's own storage."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep the tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return who the client is."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep who the client is."""
        self.client = client_info


class Agent:
    """The SDK's client, with a person's browser for the page of consent."""

    def __init__(self, flow: Flow, client_id: str | None) -> None:
        self.flow, self.client_id, self.kept = flow, client_id, Kept()
        self.back: dict[str, str] = {}
        self.consents = 0

    async def _open(self, address: str) -> None:
        def press() -> dict[str, str]:
            path = address.removeprefix(self.flow.site)
            return sent_back(self.flow.press(path, self.flow.browser.get(path)))

        self.consents += 1
        self.back = await anyio.to_thread.run_sync(press)

    async def _come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**{name: self.back.get(name) for name in ("code", "state", "iss")})

    def session(self, talk: Callable[[Client], Any], mode: str = "auto") -> Any:
        """Return what `talk` gives, called with a connected client."""

        async def run() -> Any:
            auth = OAuthClientProvider(
                self.flow.resource,
                OAuthClientMetadata(redirect_uris=[BACK], client_name="Example Agent"),
                self.kept,
                self._open,
                self._come_back,
                client_metadata_url=self.client_id,
            )
            async with (
                httpx2.AsyncClient(auth=auth, timeout=90) as http,
                Client(streamable_http_client(self.flow.resource, http_client=http), mode=mode) as client,
            ):
                return await talk(client)

        return anyio.run(run)

    def call(self, tool: str, mode: str = "auto", **arguments: Any) -> Any:
        """Return the result of one call, in a session of its own."""
        return self.session(lambda client: client.call_tool(tool, arguments), mode)


@pytest.fixture
def agent(flow: Flow, program: Program) -> Agent:
    """The program, which nobody has connected yet."""
    return Agent(flow, program.client_id)


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_connects_and_asks(mode: str, agent: Agent, library: Library, cast: Cast) -> None:
    """It finds the way from the address of MCP alone; the person reads what they may, and it is asked as them."""
    answered = given(agent.call("ask", mode, question=CANTEEN_QUESTION))
    assert answered["answer"] == f"{CANTEEN} [1]"
    assert agent.consents == 1
    refused = given(agent.call("ask", mode, question=VAULT_QUESTION))
    assert {one["chunk_id"] for one in refused["retrieved"]} <= {str(c.pk) for c in fetch_chunks(library.canteen)}
    assert agent.consents == 1
    assert Conversation.objects.get(pk=answered["conversation_id"]).user == cast.bob
    connection = ConnectedProgram.objects.get()
    assert (connection.user, connection.host, connection.name) == (cast.bob, "program.example", "Example Agent")
    assert connection.last_used_at is not None


def test_the_official_client_refreshes_without_asking_the_person(agent: Agent) -> None:
    """An hour later it has other tokens, of the same connection."""
    agent.call("search", query="canteen")
    first = agent.kept.tokens
    assert first
    assert first.refresh_token
    refreshed = agent.flow.refresh(first.refresh_token).json()
    agent.kept.tokens = OAuthToken(**refreshed)
    assert given(agent.call("search", query="canteen"))["results"]
    assert agent.consents == 1
    assert refreshed["refresh_token"] != first.refresh_token
    assert agent.flow.message(first.access_token).status_code == 401


def test_who_disconnects_in_the_middle_of_a_session_is_obeyed(agent: Agent, cast: Cast) -> None:
    """The next message is refused; the program has to ask the person again, who does not answer."""

    async def talk(client: Client) -> None:
        await client.call_tool("search", {"query": "canteen"})
        await anyio.to_thread.run_sync(disconnect)
        await client.call_tool("search", {"query": "canteen"})

    def disconnect() -> None:
        connection = ConnectedProgram.objects.get()
        end(connection, Ending.PERSON, by=cast.bob)
        agent.flow.browser.cookies.clear()  # whoever is asked again is not signed in

    with pytest.raises((MCPError, AssertionError, ExceptionGroup)):
        agent.session(talk)
    assert agent.consents == 2
    assert not ConnectedProgram.objects.exists()


def test_the_official_client_registers_where_that_is_on(flow: Flow, settings: Settings) -> None:
    """Without a document of its own; it becomes a public client, and its connection says that nobody vouches."""
    settings.MCP_REGISTRATION = True
    settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "DCR_ENABLED": True}
    agent = Agent(flow, None)
    assert given(agent.call("search", query="canteen"))["results"]
    assert agent.kept.client
    assert agent.kept.client.token_endpoint_auth_method == "none"
    assert agent.kept.client.client_secret is None
    assert ConnectedProgram.objects.get().host == ""


def test_beginning_and_end_are_in_the_audit_trail(agent: Agent, cast: Cast) -> None:
    """With ids and no token, name or address."""
    agent.call("search", query="canteen")
    connection = ConnectedProgram.objects.get()
    tokens = agent.kept.tokens
    assert tokens
    assert agent.flow.revoke(tokens.access_token).status_code == 200
    rows = AuditEvent.objects.filter(object_type="connectedprogram").order_by("created_at")
    assert [(row.action, row.actor_id, row.object_id) for row in rows] == [
        ("create", cast.bob.pk, str(connection.pk)),
        ("delete", None, str(connection.pk)),
    ]
    assert [row.details for row in rows] == [
        {"user": str(cast.bob.pk), "scopes": ["ask"], "days": 90, "channel": "", "people": 0},
        {"user": str(cast.bob.pk), "scopes": ["ask"], "reason": "revoked by the program"},
    ]


@pytest.mark.parametrize("away", ["deactivated", "deleted"])
def test_a_person_who_is_away_takes_the_program_along(away: str, flow: Flow, cast: Cast) -> None:
    """The next message is refused, and nothing can be refreshed."""
    tokens = flow.connect()
    assert flow.message(tokens["access_token"]).status_code == 200
    if away == "deleted":
        User.objects.filter(pk=cast.bob.pk).delete()
    else:
        User.objects.filter(pk=cast.bob.pk).update(is_active=False)
    assert flow.message(tokens["access_token"]).status_code == 401
    assert flow.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
