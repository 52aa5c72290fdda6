"""Measure how long Slack waits for an acknowledgement."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from core.infrastructure.measures.families import acknowledge_seconds, timed

_arrival: ContextVar[tuple[float, str] | None] = ContextVar("arrival", default=None)


@contextmanager
def acknowledging(transport: str) -> Iterator[None]:
    """Measure a block that ends with the acknowledgement of what Slack sent over "http" or "socket"."""
    token = _arrival.set((time.time(), transport))
    try:
        with timed(acknowledge_seconds, transport):
            yield
    finally:
        _arrival.reset(token)


def find_arrival() -> tuple[float, str | None]:
    """Return when the current request arrived (time.time()), and by which transport; now, if no request is waiting."""
    return _arrival.get() or (time.time(), None)
