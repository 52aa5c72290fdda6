"""A server on this machine that receives spans over OTLP, as a collector does."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider

from core.infrastructure.tracing import spans
from core.infrastructure.tracing.export import start


class Received:
    """The received bodies as they are, and the spans in them."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    @property
    def spans(self) -> list[Any]:
        """All spans, in the order in which they ended."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [
            scope for request in requests for resource in request.resource_spans for scope in resource.scope_spans
        ]
        return [span for scope in scopes for span in scope.spans]

    def names(self) -> set[str]:
        """The names of the spans."""
        return {span.name for span in self.spans}


@contextmanager
def receiver(*, status: int = 200, delay_s: float = 0.0) -> Iterator[tuple[str, Received]]:
    """The address of a collector that answers so, and what it receives."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(delay_s)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/traces", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def traced(endpoint: str) -> Iterator[Callable[[], None]]:
    """Within the block this process is traced into an endpoint. Gives what sends all that has ended."""
    provider: TracerProvider = start("footnote-test", OTLPSpanExporter(endpoint=endpoint, timeout=2))
    try:
        yield lambda: provider.force_flush() and None
    finally:
        spans.use(None)
        provider.shutdown()


def attributes_of(span: Any) -> dict[str, Any]:
    """A span's attributes as Python has them."""
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}
