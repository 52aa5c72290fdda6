"""The local page is for this machine, and only while it is switched on."""

import importlib
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import clear_url_caches
from pytest_django import Settings

import adminsite.urls

PATHS = [
    "/local/",
    "/local/state",
    "/local/messages",
    "/local/commands",
    "/local/actions",
    "/local/shortcuts",
    "/local/home",
    "/local/chats",
    "/local/views/submit",
    "/local/views/close",
    "/local/api/auth.test",
    "/local/respond/token",
    "/local/files/F1/a.txt",
    "/local/.well-known/openid-configuration",
    "/local/openid/connect/authorize",
    "/local/openid/connect/keys",
    "/local/api/openid.connect.token",
    "/local/api/openid.connect.userInfo",
]

# What has a secret of its own: the bot's token, or the address.
OF_THE_BOT = ("/local/api/", "/local/respond/", "/local/files/", "/local/.well-known/", "/local/openid/connect/keys")
TOKEN = "a-token-for-tests"
HERE = {"HTTP_HOST": "127.0.0.1:8000"}

pytestmark = pytest.mark.django_db


def _client(*, let_in: bool = True) -> Client:
    client = Client()
    if let_in:
        client.get("/local/", {"token": TOKEN}, **HERE)  # type: ignore[arg-type]
    return client


def _status(path: str, **environ: str) -> int:
    return _client().get(path, **(HERE | environ)).status_code  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _any_host(settings: Settings) -> None:
    """The guard itself is on trial, not Django's list of hosts."""
    settings.ALLOWED_HOSTS = ["*"]


@pytest.mark.parametrize("path", PATHS)
def test_every_address_answers_this_machine(path: str) -> None:
    """A loopback address and a local name are let in; the others are of those that want POST, a token or more."""
    assert _status(path) in {200, 400, 401, 405}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "environ",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": "::ffff:192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_HOST": "footnote.example"},
        {"HTTP_HOST": "127.0.0.1.attacker.example"},
        {"HTTP_HOST": "localhost.attacker.example:8000"},
        {"HTTP_X_FORWARDED_FOR": "192.0.2.7"},
        {"HTTP_FORWARDED": "for=192.0.2.7"},
        {"HTTP_X_REAL_IP": "192.0.2.7"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
        {"HTTP_X_FORWARDED_HOST": "footnote.example"},
        {"HTTP_VIA": "1.1 proxy"},
    ],
    ids=lambda environ: "=".join(next(iter(environ.items()))),
)
def test_every_address_refuses_what_comes_from_elsewhere(path: str, environ: dict[str, str]) -> None:
    """Another machine, another name for this one, and what a proxy passes on are refused."""
    assert _status(path, **environ) == 403


@pytest.mark.parametrize("path", [path for path in PATHS if not path.startswith(OF_THE_BOT)])
@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?token={TOKEN}x"])
def test_a_browser_without_the_token_is_refused(path: str, query: str) -> None:
    """As that of somebody else on this machine, and a proxy that adds no header. The response says where to look."""
    refused = _client(let_in=False).get(path + query, **HERE)  # type: ignore[arg-type]
    assert refused.status_code == 403
    assert b"make run" in refused.content
    assert TOKEN.encode() not in refused.content


def test_the_token_lets_a_browser_in_and_leaves_the_address() -> None:
    """A cookie remembers it, which no script reads and no other site's page sends."""
    client = _client(let_in=False)
    entered = client.get("/local/", {"token": TOKEN}, **HERE)  # type: ignore[arg-type]
    assert (entered.status_code, entered["Location"]) == (302, "/local/")
    (cookie,) = entered.cookies.values()
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/local/")
    assert TOKEN not in cookie.value
    assert client.get("/local/", **HERE).status_code == 200  # type: ignore[arg-type]


def test_a_token_that_was_never_made_lets_nobody_in(settings: Settings) -> None:
    """Nothing given is not the same as nothing expected."""
    settings.LOCAL_PAGE_TOKEN = ""
    assert _client(let_in=False).get("/local/?token=", **HERE).status_code == 403  # type: ignore[arg-type]
    assert _status("/local/") == 403


@pytest.mark.parametrize(
    "environ",
    [
        {"REMOTE_ADDR": "::1", "HTTP_HOST": "[::1]:8000"},
        {"REMOTE_ADDR": "::ffff:127.0.0.1"},
        {"HTTP_HOST": "LOCALHOST:8000"},
    ],
    ids=str,
)
def test_the_ways_to_say_this_machine(environ: dict[str, str]) -> None:
    """IPv6, a mapped IPv4 address and the name in capitals all mean this machine."""
    assert _status("/local/", **environ) == 200


@pytest.mark.parametrize("path", PATHS)
def test_no_address_answers_when_the_page_is_off(path: str, settings: Settings) -> None:
    """Without LOCAL_PAGE there is nothing, even if the address were mounted."""
    settings.LOCAL_PAGE = False
    assert _status(path) == 404


def test_a_real_workspace_takes_the_page_away(settings: Settings) -> None:
    """The page signs its requests with a secret of its own, so it cannot be used beside a real Slack."""
    settings.SLACK_BOT_TOKEN = "xoxb-real"
    assert _status("/local/") == 404


@pytest.fixture
def addresses(settings: Settings) -> Iterator[None]:
    """Read the addresses of the web process anew, and once more as they are without the page."""
    yield
    settings.LOCAL_PAGE = False  # the tests of this folder have it on
    importlib.reload(adminsite.urls)
    clear_url_caches()


@pytest.mark.parametrize(("switched_on", "status"), [(True, 200), (False, 404)])
def test_the_page_is_mounted_only_when_it_is_switched_on(
    addresses: None, settings: Settings, *, switched_on: bool, status: int
) -> None:
    """The web process has it exactly when LOCAL_PAGE is set at start."""
    settings.LOCAL_PAGE = switched_on
    importlib.reload(adminsite.urls)
    settings.ROOT_URLCONF = "adminsite.urls"
    clear_url_caches()
    assert _status("/local/") == status
    assert ("local/" in [str(entry.pattern) for entry in adminsite.urls.urlpatterns]) is switched_on
