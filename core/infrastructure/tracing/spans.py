"""Trace a question, a job or a request in spans. Costs nothing until `export.set_up` has a tracer. Pure.

The context is our own, not OpenTelemetry's: TruLens records through that, with texts, and its records must neither hang
below ours nor ours below its. Spans hold ids, counts, times and short words of ours; `KEYS` names all that they may
hold, and what is no number or identifier is left out.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Tracer
    from opentelemetry.trace import Span

KEYS = frozenset(
    {
        *("request_id", "slack_event", "ingestion_job", "run", "job_id", "task", "attempt", "transport", "surface"),
        *("route", "method", "status", "outcome", "reason", "error", "model", "strategy"),
        *("citations", "completion_tokens", "documents", "dropped", "passages", "prompt_tokens", "texts"),
    }
)
NAMES = frozenset({"answer", "http.request", "job", "model.call", "slack.call", "slack.event", "sync.run"})
# Names of which the rest is one of a few words of ours.
PREFIXES = ("answer.", "ingestion.")

_VALUE = re.compile(r"[\w./:<>^$?*+()\[\]\\|-]{1,120}", re.ASCII)  # identifiers and routes: no sentence, no address

_tracer: "Tracer | None" = None
_current: ContextVar["Span | None"] = ContextVar("span", default=None)
planned: ContextVar[tuple[int, int] | None] = ContextVar("planned", default=None)  # ids of the next root


def use(tracer: "Tracer | None") -> None:
    """Trace with this tracer from now on; None: not at all."""
    global _tracer
    _tracer = tracer


def is_on() -> bool:
    """Return True if a tracer is set up."""
    return _tracer is not None


def current_trace_id() -> str:
    """Return the id of the trace that the block is in, 32 hexadecimal digits; empty where there is none."""
    span = _current.get()
    return f"{span.get_span_context().trace_id:032x}" if span else ""


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[None]:
    """The block is a part of the trace that it is in, or begins one. attributes: of KEYS; None is left out."""
    if _tracer is None:
        yield
        return
    begun = _start_span(_tracer, name, attributes, parent=_current.get())
    with _enter_span(begun):
        yield


@contextmanager
def span_of(row: UUID, name: str, **attributes: Any) -> Iterator[None]:
    """The block is a part of the trace of this row, which other processes continue or have begun."""
    if _tracer is None:
        yield
        return
    begun = _start_span(_tracer, name, attributes, parent=_make_remote(row))
    with _enter_span(begun):
        yield


def begin_trace(row: UUID, name: str, *, started: float, **attributes: Any) -> None:
    """Record the first span of the trace of this row: from `started` (time.time()) until now."""
    if _tracer is None:
        return
    token = planned.set(ids_of(row))
    try:
        begun = _start_span(_tracer, name, attributes, parent=None, started=started)
    finally:
        planned.reset(token)
    begun.end()


def note(**attributes: Any) -> None:
    """Add to the span that the block is in."""
    span = _current.get()
    if span is not None:
        span.set_attributes(_clean_attributes(attributes))


def ids_of(row: UUID) -> tuple[int, int]:
    """The ids of a row's trace and of its first span. All that know the row know them, so nothing has to be carried.

    The bytes of the id backwards: a sample by share reads the last 64 bits, and the first of those are alike in UUIDs.
    """
    turned = int.from_bytes(row.bytes, "little")
    return turned, (turned >> 64) or 1


def _start_span(
    tracer: "Tracer", name: str, attributes: dict[str, Any], *, parent: "Span | None", started: float | None = None
) -> "Span":
    from opentelemetry.context import Context
    from opentelemetry.trace import set_span_in_context

    context = set_span_in_context(parent, Context()) if parent else Context()
    begun = int((started if started is not None else time.time()) * 1e9)
    return tracer.start_span(name, context, attributes=_clean_attributes(attributes), start_time=begun)


def _make_remote(row: UUID) -> "Span":
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

    trace_id, span_id = ids_of(row)
    return NonRecordingSpan(
        SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(_choose_flags(trace_id)))
    )


def _choose_flags(trace_id: int) -> int:
    """Return the flags of a trace's first span, sampled by its id alone, so that all processes agree."""
    from opentelemetry.sdk.trace.sampling import Decision
    from opentelemetry.trace import TraceFlags

    sampler = getattr(_tracer, "sampler", None)
    decided = sampler.should_sample(None, trace_id, "") if sampler else None
    return TraceFlags.SAMPLED if decided is None or decided.decision is Decision.RECORD_AND_SAMPLE else 0


@contextmanager
def _enter_span(span: "Span") -> Iterator[None]:
    """The block is in this span, which ends with it. Of an error only the kind is kept: its words may hold text."""
    token = _current.set(span)
    try:
        yield
    except BaseException as error:
        from opentelemetry.trace import Status, StatusCode

        span.set_attributes(_clean_attributes({"error": type(error).__name__}))
        span.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        _current.reset(token)
        span.end()


def _clean_attributes(attributes: dict[str, Any]) -> dict[str, bool | int | float | str]:
    """Keep the attributes that a span may hold."""
    kept: dict[str, bool | int | float | str] = {}
    for key, value in attributes.items():
        if key not in KEYS or value is None:
            continue
        if isinstance(value, bool | int | float):
            kept[key] = value
        elif _VALUE.fullmatch(str(value)):
            kept[key] = str(value)
    return kept
