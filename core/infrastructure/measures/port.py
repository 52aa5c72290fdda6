"""A page with this process's figures, for processes that serve nothing else: the bot and the worker."""

import hmac
import logging
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client import generate_latest as render
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from core.infrastructure.measures.families import REGISTRY

logger = logging.getLogger(__name__)

_Start = Callable[[str, list[tuple[str, str]]], Any]


class SandboxDisk(Collector):
    """The room that is left where files are read and copies are kept for a moment."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One value."""
        usage = shutil.disk_usage(tempfile.gettempdir())
        yield GaugeMetricFamily(
            "footnote_sandbox_free_bytes", "Free on the disk of the folder for temporary files.", value=usage.free
        )
        yield GaugeMetricFamily("footnote_sandbox_size_bytes", "Size of that disk.", value=usage.total)


def is_allowed(given: str, token: str) -> bool:
    """Return True if an Authorization header has the token as a bearer token."""
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def serve(host: str, port: int, *, token: str, with_disk: bool = False) -> WSGIServer | None:
    """Show the figures at http://host:port/metrics from a thread of its own. None where that cannot be.

    token: what a request has to bring as a bearer token; without one everybody who reaches the port may read.
    with_disk: also the room in the folder for temporary files.
    A port that is taken is no reason not to work: it is logged.
    """
    registry = CollectorRegistry()
    for collector in (REGISTRY, ProcessCollector(registry=None), PlatformCollector(registry=None)):
        registry.register(collector)
    if with_disk:
        registry.register(SandboxDisk())
    try:
        server = make_server(host, port, _make_page(registry, token), handler_class=_Silent)
    except (OSError, OverflowError) as error:
        logger.error("metrics_port_unusable", extra={"port": port, "error": type(error).__name__})
        return None
    threading.Thread(target=server.serve_forever, daemon=True, name="metrics").start()
    return server


class _Silent(WSGIRequestHandler):
    """Requests are read in time, and leave no lines of their own on standard error."""

    timeout = 5  # seconds for a request to come; there is one thread

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Nothing."""


def _make_page(registry: CollectorRegistry, token: str) -> Callable[[dict[str, Any], _Start], Iterable[bytes]]:
    def page(environ: dict[str, Any], start: _Start) -> Iterable[bytes]:
        is_asked = environ.get("PATH_INFO") == "/metrics" and environ.get("REQUEST_METHOD") in ("GET", "HEAD")
        if not is_asked or (token and not is_allowed(str(environ.get("HTTP_AUTHORIZATION", "")), token)):
            start("404 Not Found", [("Content-Type", "text/plain"), ("Content-Length", "0")])
            return []
        figures = render(registry)
        start("200 OK", [("Content-Type", CONTENT_TYPE_LATEST), ("Content-Length", str(len(figures)))])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [figures]

    return page
