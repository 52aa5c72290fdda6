"""Test the connections of each kind of server: to the checked address, under the server's name."""

import json
import re
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.errors import SourceError
from core.library.ingestion.sources.connections import open_socket
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Connector
from tests.integration.sync.servers import smb
from tests.integration.sync.servers.names import (
    INSIDE,
    OUTSIDE,
    Certificate,
    Listener,
    listening,
    needs_inside,
    resolving,
)
from tests.integration.sync.servers.served import Served, listed, serving
from tests.integration.sync.test_file_kinds import SERVERS

NAME = "files.example"
OVER_TLS = ("azure", "gcs", "git", "github", "s3", "webdav")
OUTSIDE_ALONE = Policy(allowed=lambda address: str(address) == OUTSIDE)


@pytest.fixture(params=SERVERS)
def named(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """A source of each kind with a document, whose settings name its server."""
    with import_module(f"tests.integration.sync.servers.{request.param}").serve(tmp_path) as found:
        found.put("a.md", b"one")
        yield replace(found, settings=_by_name(found.settings))


@pytest.fixture
def inside(named: Served) -> Iterator[Listener]:
    """A listener inside, on the port of the source's server."""
    port = named.settings.get("port") or re.findall(rf"{NAME}:(\d+)", json.dumps(named.settings))[0]
    with listening(INSIDE, int(port)) as found:
        yield found


def _by_name(settings: dict[str, Any]) -> dict[str, Any]:
    return dict(json.loads(json.dumps(settings).replace(OUTSIDE, NAME)))


def connect(served: Served, policy: Policy = OUTSIDE_ALONE) -> Connector:
    """A new connector, without connections."""
    return served.connect(access=served.access(policy=policy))


@needs_inside
def test_a_server_is_asked_by_its_name(named: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its documents are listed and loaded, at whichever of its addresses answers."""
    resolver = resolving(monkeypatch, NAME, [INSIDE, OUTSIDE])
    connector = connect(named, Policy(allowed=lambda address: str(address) in {INSIDE, OUTSIDE}))
    found = listed(connector)
    assert set(found) == {"a.md"}
    loaded = connector.load(found["a.md"], "")
    assert loaded is not None
    assert loaded.file.content == b"one"
    assert resolver.asked


@needs_inside
@pytest.mark.parametrize("later", [[INSIDE], [OUTSIDE, INSIDE], [INSIDE, OUTSIDE]])
def test_a_name_that_changes_its_address_leads_nowhere_inside(
    named: Served, inside: Listener, later: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address that was checked is the one that is connected to; each further connection is checked anew."""
    resolver = resolving(monkeypatch, NAME, [OUTSIDE], later)
    with suppress(SourceError):  # where one listing takes several connections
        assert set(listed(connect(named))) == {"a.md"}
    with pytest.raises(SourceError, match="is not on the public Internet"):
        list(connect(named).list())
    assert resolver.asked > 1
    assert inside.connections == 0


@needs_inside
def test_a_name_with_an_address_inside_is_not_asked(
    named: Served, inside: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the others are outside."""
    resolving(monkeypatch, NAME, [OUTSIDE, INSIDE])
    with pytest.raises(SourceError, match=f"{NAME} is not on the public Internet.*Intranet hosts"):
        list(connect(named).list())
    assert inside.connections == 0


def test_no_proxy_is_asked(named: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would resolve the name by itself; what the environment says of proxies is for other programs."""
    resolving(monkeypatch, NAME, [OUTSIDE])
    with listening(OUTSIDE) as proxy:
        for variable in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(variable, f"http://{OUTSIDE}:{proxy.port}")
            monkeypatch.setenv(variable.upper(), f"http://{OUTSIDE}:{proxy.port}")
        assert set(listed(connect(named))) == {"a.md"}
        assert proxy.connections == 0


class Told:
    """A server that knows nothing, and remembers by which name it was asked."""

    def __init__(self) -> None:
        self.hosts: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Any) -> list[bytes]:
        """Answer 404."""
        self.hosts.append(environ["HTTP_HOST"])
        start("404 Not Found", [("Content-Type", "text/plain")])
        return [b""]


@pytest.mark.parametrize("named", OVER_TLS, indirect=True)
@pytest.mark.parametrize("certified", [NAME, "other.example"])
def test_a_certificate_is_held_against_the_name(
    named: Served, certified: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name is what TLS asks for and what the server gets; a certificate for another name ends it."""
    resolving(monkeypatch, NAME, [OUTSIDE])
    certificate, told = Certificate(certified, tmp_path), Told()
    for variable in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE"):
        monkeypatch.setenv(variable, str(certificate.file))
    trusted = ssl.create_default_context(cafile=str(certificate.file))
    with serving(told, tls=certificate.server()) as port:
        assert named.at is not None
        settings = json.loads(json.dumps(_by_name(named.at(port))).replace("http://", "https://"))
        over_tls = replace(named, settings=settings, secrets=named.secrets if named.kind != "gcs" else {})
        with suppress(SourceError):
            list(connect(over_tls, replace(OUTSIDE_ALONE, ssl_context=trusted)).list())
    assert set(certificate.names) == {NAME}
    assert set(told.hosts) == ({f"{NAME}:{port}"} if certified == NAME else set())


def test_a_share_is_asked_for_by_the_name_of_its_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kerberos and the server's own checks take the name, not the address."""
    resolving(monkeypatch, NAME, [OUTSIDE])
    with smb.serve(tmp_path) as served:
        connector: Any = connect(replace(served, settings=_by_name(served.settings)))
        list(connector.list())
        connection = connector._store._connection
        assert connection.server_name == NAME
        assert [
            tree.share_name
            for session in connection.session_table.values()
            for tree in session.tree_connect_table.values()
        ] == [rf"\\{NAME}\HANDBOOKS"]


@needs_inside
def test_a_socket_is_opened_within_its_time() -> None:
    """All addresses of a name share it; what does not answer is an OSError, and no address is none."""
    with listening(OUTSIDE) as listener:
        with open_socket(lambda host, port: [INSIDE, OUTSIDE], NAME, listener.port, seconds=2) as opened:
            assert opened.getpeername() == (OUTSIDE, listener.port)
            assert opened.gettimeout() == 2
        port = listener.port
    with pytest.raises(OSError, match=r"\w"):
        open_socket(lambda host, port: [OUTSIDE], NAME, port, seconds=2)
