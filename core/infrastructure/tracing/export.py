"""Sending spans to an OTLP endpoint, over HTTP, from a thread of its own.

The provider is ours alone. OpenTelemetry's global one is TruLens's, whose spans hold questions and answers: nothing of
that one comes here, and `Guard` lets nothing out that is not one of our spans with our attributes.
"""

import atexit
import logging
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.infrastructure.tracing import spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

logger = logging.getLogger(__name__)

SCOPE = "footnote"
# The standard variables, which the SDK reads itself together with those beside them.
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_LAST_MOMENT_MS = 2_000  # for what is left at the end of a process


def set_up(service: str) -> "TracerProvider | None":
    """Trace this process if an endpoint is set; service: its name there, unless OTEL_SERVICE_NAME has another.

    Without an endpoint nothing of OpenTelemetry is loaded.
    """
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return None
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().casefold() == "true":
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    # What cannot be sent is said there with addresses and answers of whatever listens; we say that it was not.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    return start(service, OTLPSpanExporter())


def start(service: str, exporter: "SpanExporter") -> "TracerProvider":
    """Trace this process into an exporter, behind the guard."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class Ids(RandomIdGenerator):
        """Ids of a row's trace where they are planned."""

        def generate_trace_id(self) -> int:
            ids = spans.planned.get()
            return ids[0] if ids else super().generate_trace_id()

        def generate_span_id(self) -> int:
            ids = spans.planned.get()
            return ids[1] if ids else super().generate_span_id()

    name = os.environ.get("OTEL_SERVICE_NAME") or service
    provider = TracerProvider(
        resource=Resource.create({"service.name": name}), id_generator=Ids(), shutdown_on_exit=False
    )
    provider.add_span_processor(BatchSpanProcessor(_make_guard(exporter)))
    spans.use(provider.get_tracer(SCOPE))  # type: ignore[arg-type] # the SDK's own
    atexit.register(_end_export, provider)
    return provider


def _end_export(provider: "TracerProvider") -> None:
    """Send what is left, and wait no longer than a moment for an endpoint that is away."""
    spans.use(None)
    for processor in provider._active_span_processor._span_processors:
        batch = getattr(processor, "_batch_processor", None)
        if batch is not None:
            batch.shutdown(timeout_millis=_LAST_MOMENT_MS)


def may_leave(span: "ReadableSpan") -> bool:
    """Return True if a span is one of ours and holds nothing but what ours may hold."""
    is_ours = span.instrumentation_scope is not None and span.instrumentation_scope.name == SCOPE
    is_known = span.name in spans.NAMES or span.name.startswith(spans.PREFIXES)
    has_words = bool(span.events or span.links or span.status.description)
    return is_ours and is_known and not has_words and set(span.attributes or {}) <= spans.KEYS


def _make_guard(exporter: "SpanExporter") -> "SpanExporter":
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Guard(SpanExporter):
        """Lets out what may leave. A failure is logged by its kind and hurts nobody."""

        def __init__(self) -> None:
            self._fails = False

        def export(self, batch: "Sequence[ReadableSpan]") -> "SpanExportResult":
            ours = [span for span in batch if may_leave(span)]
            if len(ours) < len(batch):
                logger.error("spans_left_out", extra={"spans": len(batch) - len(ours)})
            result = exporter.export(ours) if ours else SpanExportResult.SUCCESS
            failed = result is not SpanExportResult.SUCCESS
            if failed and not self._fails:
                logger.warning("traces_not_sent", extra={"spans": len(ours)})  # once, until it works again
            self._fails = failed
            return result

        def shutdown(self) -> None:
            exporter.shutdown()

    return Guard()
