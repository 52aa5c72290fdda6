"""A source that a test fills and asks."""

import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.policy import Policy
from core.library.sync.connector import Access, Connector, Listed
from core.library.sync.kinds import kind_of
from tests.integration.sync.served import MARKUP


@dataclass(frozen=True, kw_only=True)
class Served:
    """A source with nothing in it."""

    kind: str
    settings: dict[str, Any]
    secrets: dict[str, str] = field(default_factory=dict)
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    refused: dict[str, str] | None = None  # secrets that the server refuses; None: there are none
    at: Callable[[int], dict[str, Any]] | None = None  # settings for another port; None: there is no server
    folders: tuple[Path, ...] = ()

    def connect(
        self, *, secrets: Mapping[str, str] | None = None, access: Access | None = None, **other: Any
    ) -> Connector:
        """The source, with other settings on top of its own."""
        kind = kind_of(self.kind)
        settings = kind.settings.model_validate(self.settings | other)
        return kind.connect(settings, self.secrets if secrets is None else secrets, access or self.access())

    def access(self, **other: Any) -> Access:
        """Build its access: the loopback address, and files of one megabyte."""
        policy = Policy(allowed=lambda address: address == ipaddress.ip_address("127.0.0.1"))
        return Access(**{"max_mb": 1, "policy": policy, "folders": self.folders, "markup": MARKUP} | other)


def listed(connector: Connector) -> dict[str, Listed]:
    """Return a source's listed items, by key."""
    return {one.key: one for one in connector.list() if isinstance(one, Listed)}


def left_out(connector: Connector) -> dict[str, str]:
    """Return the items that a source leaves out, with the reasons."""
    return {one.name: one.reason for one in connector.list() if isinstance(one, LeftOut)}


class _Quiet(WSGIRequestHandler):
    def log(self, type: str, message: str, *arguments: object) -> None:  # noqa: A002 - its name there
        pass


@contextmanager
def serving(application: Any, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """The port on which a WSGI application answers."""
    server = make_server(host, 0, application, threaded=True, request_handler=_Quiet, ssl_context=tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield server.port
    server.shutdown()
    thread.join()
    server.server_close()
