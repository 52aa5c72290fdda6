"""The vector engine, for as long as something is measured: with a collection of the measurement's own, or as it is."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings

from core.errors import EngineError
from core.library.vector_engine.building import rebuild
from core.library.vector_engine.collections import served
from core.library.vector_engine.qdrant import Engine, engine
from core.models import EngineCollection

logger = logging.getLogger(__name__)

# Before the name of the library's collections: whoever feeds those drops all others that are called like them.
_BENCHMARK = "benchmark_of_"
_SETTLE_S = 1800.0  # the longest that the engine may go on indexing after the last change
_PAUSE_S = 0.5


@contextmanager
def hold_collection(done: Callable[[int], None]) -> Iterator[float]:
    """Within the block the engine has the database's vectors, in a collection that is removed afterwards.

    For a scratch database: searches of this process use the collection, and no other process knows of it. Gives the
    seconds of telling and indexing. EngineError when it fails.
    done: called with how many more documents the engine has.
    """
    asked = engine()
    if asked is None:
        raise EngineError("VECTOR_ENGINE_URL names no engine.", reason="away")
    before = EngineCollection.called
    EngineCollection.called = _BENCHMARK + settings.VECTOR_ENGINE_NAME
    try:
        started = time.perf_counter()
        rebuild(asked, done)
        _wait_until_indexed(asked)
        yield time.perf_counter() - started
    finally:
        try:
            _drop_collections(asked)
        finally:
            EngineCollection.called = before


def is_there(model: str) -> bool:
    """Return True if searches for vectors of a model can use the engine now."""
    collection = served()
    return engine() is not None and collection is not None and collection.model == model


def describe() -> str | None:
    """Return the engine's own description of itself; None without an engine. EngineError when it fails."""
    asked = engine()
    return None if asked is None else asked.describe()


def _wait_until_indexed(asked: Engine) -> None:
    """Wait for the server, which goes on building its graphs after the last change, and is slower until then."""
    collection = served()
    deadline = time.monotonic() + _SETTLE_S
    while collection is not None and not asked.is_indexed(collection.name):
        if time.monotonic() > deadline:
            raise EngineError("The vector engine was still indexing after half an hour.", reason="slow")
        time.sleep(_PAUSE_S)


def _drop_collections(asked: Engine) -> None:
    """Whoever is interrupted may have no database any more. What stays is replaced by the next measurement."""
    try:
        for name in asked.list_names():
            if EngineCollection.is_name(name):
                asked.drop(name)
    except EngineError as error:
        logger.warning("benchmark_left_in_engine", extra={"reason": error.reason})
