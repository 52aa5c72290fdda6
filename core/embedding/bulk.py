"""Embedding very many texts, of which none is urgent, beside the few of a question."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Pause = Callable[
    [float], None
]  # called after each batch with the seconds that it took; returns when the next may begin

_pause: ContextVar[Pause | None] = ContextVar("pause_of_bulk_embedding", default=None)


@contextmanager
def in_bulk(pause: Pause) -> Iterator[None]:
    """What is embedded within the block by a model of this machine goes after what is embedded elsewhere."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def current_pause() -> Pause | None:
    """What is to be called between two batches; None where a question may wait for them."""
    return _pause.get()
