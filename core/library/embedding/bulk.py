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
    """Give way, within the block, to embeddings elsewhere when a model of this machine embeds."""
    token = _pause.set(pause)
    try:
        yield
    finally:
        _pause.reset(token)


def current_pause() -> Pause | None:
    """Return the function to call between two batches; None where a question may wait for them."""
    return _pause.get()
