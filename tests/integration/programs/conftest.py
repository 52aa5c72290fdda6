"""A program with a document of its own, the browser of a person who connects it, and what the two may send."""

import base64
import hashlib
import json
import re
import secrets
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
import pytest
from django.core.cache import cache
from django.test import Client as WebClient
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from adminsite.programs.client_documents import Fetcher
from core.library.ingestion.sources.policy import Policy
from core.models import User
from core.testing import Cast
from tests.integration.mcp.conftest import make_library
from tests.integration.rest.conftest import Library
from tests.integration.sync.servers.names import Certificate
from tests.integration.sync.servers.served import serving

HOST = "program.example"
BACK = "http://127.0.0.1:41234/callback"
# Shared by all clients: reading the certificates of the machine anew takes 50 ms of each request.
TLS = ssl.create_default_context()


class TrustingFetcher(Fetcher):
    """The product's, which may ask the one server of the tests, by its name."""

    policy = Policy()


@dataclass
class Program:
    """The responses of the program's server, and the number of its requests."""

    client_id: str = ""
    document: dict[str, Any] = field(default_factory=dict)
    body: bytes | None = None  # in place of the document
    status: str = "200 OK"
    headers: list[tuple[str, str]] = field(default_factory=list)
    asked: int = 0

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """Answer one request."""
        self.asked += 1
        start(self.status, [("Content-Type", "application/json"), *self.headers])
        return [json.dumps(self.document).encode() if self.body is None else self.body]


@pytest.fixture(autouse=True)
def _plain_http(settings: Settings) -> Iterator[None]:
    """The clients speak plain http; nothing is kept of other tests' documents."""
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = False
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def program(tmp_path: Path, settings: Settings) -> Iterator[Program]:
    """A program whose document can be had, over TLS, under a name."""
    certificate, served = Certificate(HOST, tmp_path), Program()
    with serving(served, tls=certificate.server()) as port:
        served.client_id = f"https://{HOST}:{port}/client.json"
        served.document = {
            "client_id": served.client_id,
            "client_name": "Example Agent",
            "redirect_uris": [BACK, "https://agent.example/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_method": "none",
        }
        TrustingFetcher.policy = Policy(
            resolver=lambda host, port: ["127.0.0.1"] if host == HOST else ["10.0.0.1"],
            allowed=lambda address: address.is_loopback,
            ssl_context=ssl.create_default_context(cafile=str(certificate.file)),
            seconds=5,
        )
        fetcher = f"{TrustingFetcher.__module__}.{TrustingFetcher.__name__}"
        settings.OAUTH2_PROVIDER = {**settings.OAUTH2_PROVIDER, "CIMD_METADATA_FETCHER": fetcher}
        yield served


@pytest.fixture
def site(transactional_db: None, _plain_http: None) -> Iterator[str]:
    """The address of a running web process."""
    server = LiveServer("127.0.0.1")
    yield server.url
    while Flow.opened:
        Flow.opened.pop().close()
    server.stop()


@pytest.fixture
def library(cast: Cast, fast: None) -> Library:
    """Alice alone may read about the vault, Bob too about the canteen."""
    return make_library(cast)


@dataclass
class Flow:
    """One attempt to connect: the program's secrets, and the browser of a person."""

    site: str
    client_id: str
    person: User | None
    back: str = BACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(default_factory=lambda: secrets.token_urlsafe(12))

    opened: ClassVar[list[httpx2.Client]] = []  # browsers, closed when the web process stops

    def __post_init__(self) -> None:
        self.browser = httpx2.Client(base_url=self.site, timeout=90, verify=TLS)
        self.opened.append(self.browser)
        if self.person is not None:
            signed_in = WebClient()
            signed_in.force_login(self.person)
            self.browser.cookies.set("sessionid", signed_in.cookies["sessionid"].value)

    @property
    def resource(self) -> str:
        """The address of MCP."""
        return f"{self.site}/mcp"

    def address(self, **changed: str | None) -> str:
        """Return the address of the page of consent; None leaves a parameter out."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.back,
            "state": self.state,
            "scope": "ask",
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "resource": self.resource,
            **changed,
        }
        return "/oauth/authorize?" + urlencode({name: value for name, value in asked.items() if value is not None})

    def look(self, **changed: str | None) -> httpx2.Response:
        """Open the page of consent."""
        return self.browser.get(self.address(**changed))

    def answer(self, choice: str = "allow", **changed: str | None) -> httpx2.Response:
        """Open the page, and press a button."""
        page = self.look(**changed)
        assert page.status_code == 200, page.text
        return self.press(self.address(**changed), page, choice)

    def press(self, address: str, page: httpx2.Response, choice: str = "allow") -> httpx2.Response:
        """Press a button of a page that was opened."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert token
        return self.browser.post(address, data={"csrfmiddlewaretoken": token[1], choice: "yes"})

    def code(self) -> str:
        """Have the person allow it, and return the code."""
        return sent_back(self.answer())["code"]

    def redeem(self, code: str, **changed: str | None) -> httpx2.Response:
        """Redeem a code."""
        given = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.back,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
            "resource": self.resource,
            **changed,
        }
        return self.post("/oauth/token", **given)

    def refresh(self, token: str, **changed: str | None) -> httpx2.Response:
        """Refresh a token."""
        given = {"grant_type": "refresh_token", "refresh_token": token, "client_id": self.client_id, **changed}
        return self.post("/oauth/token", **given)

    def revoke(self, token: str, **changed: str | None) -> httpx2.Response:
        """Give a token back."""
        return self.post("/oauth/revoke", token=token, client_id=self.client_id, **changed)

    def post(self, path: str, **given: str | None) -> httpx2.Response:
        """Send a form, as the program: without the browser's cookies."""
        sent = {name: value for name, value in given.items() if value is not None}
        return httpx2.post(self.site + path, data=sent, timeout=90, verify=TLS)

    def connect(self) -> dict[str, Any]:
        """Go the whole way, and return the tokens."""
        response = self.redeem(self.code())
        assert response.status_code == 200, response.text
        return dict(response.json())

    def message(self, token: str | None, method: str = "tools/list", path: str = "/mcp") -> httpx2.Response:
        """Send a message of MCP."""
        headers = {"Accept": "application/json, text/event-stream"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        body = {"jsonrpc": "2.0", "id": 1, "method": method}
        return httpx2.post(self.site + path, json=body, headers=headers, timeout=90, verify=TLS)


def sent_back(response: httpx2.Response) -> dict[str, str]:
    """Return what the browser brings back to the program."""
    assert response.status_code == 302, response.text
    return dict(parse_qsl(urlsplit(response.headers["location"]).query))


def error_of(response: httpx2.Response) -> tuple[int, str, str]:
    """Return the status, the code and the words of a refusal at the addresses of tokens."""
    told = response.json()
    return response.status_code, told["error"], told.get("error_description", "")


@pytest.fixture
def flow(site: str, program: Program, cast: Cast, library: Library) -> Flow:
    """Bob connects the program."""
    return Flow(site, program.client_id, cast.bob)
