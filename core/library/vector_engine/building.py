"""Build a new collection beside the one that is served while changes go on, serve it when it is complete, and keep the
engine up to date, once a minute in the worker.

Documents are copied by their numbers; how far that came is kept, so that a building that was broken off goes on from
there. What changes meanwhile goes to both collections by feeding.
"""

import logging
from collections.abc import Callable, Sequence

from django.db import transaction

from core.errors import EngineError
from core.library.vector_engine import classes
from core.library.vector_engine.collections import (
    alone,
    begin,
    building,
    drop_left_over,
    give_up,
    is_of_today,
    serve,
    served,
    turn,
)
from core.library.vector_engine.feeding import drain, forget_if_too_many, ids_of, put_documents
from core.library.vector_engine.qdrant import Engine, engine
from core.models import Document, EngineCollection

_DOCUMENTS = 50  # that are read and sent together
_SETTLED = 10_000  # documents that are put into their classes together

logger = logging.getLogger(__name__)


def rebuild(engine: Engine, done: Callable[[int], None] = lambda _: None) -> int:
    """Build a collection from the beginning and let searches use it. Returns how many chunks it was sent.

    done: called with how many more documents the engine has.
    """
    with alone():
        return _build_collection(engine, begin(engine), done)


def resume(engine: Engine, done: Callable[[int], None] = lambda _: None) -> int:
    """Go on with a building that was broken off, to its end. Returns how many chunks were sent.

    From the beginning where the library has another embedding model by now; nothing where nothing is being built.
    """
    with alone():
        collection = building()
        return 0 if collection is None else _build_collection(engine, collection, done)


def count_documents() -> int:
    """Count the documents that a collection is built from or compared with."""
    return Document.objects.count()


def _build_collection(engine: Engine, collection: EngineCollection, done: Callable[[int], None]) -> int:
    if not is_of_today(collection):
        collection = begin(engine)
    _settle_documents(collection)
    chunks = 0
    while numbers := _numbers_after(collection.built_to, _DOCUMENTS):
        with turn():
            chunks += put_documents(engine, collection.name, numbers, collection.model)
            collection.built_to = numbers[-1]
            collection.save(update_fields=["built_to"])
        done(len(numbers))
    drain(engine)
    if not is_of_today(collection):  # it was changed meanwhile
        return chunks + _build_collection(engine, begin(engine), done)
    serve(engine, collection)
    return chunks


def _settle_documents(collection: EngineCollection) -> None:
    """Put the documents that are still to come into their classes. Where these are right already, nothing changes."""
    after = collection.built_to
    while numbers := _numbers_after(after, _SETTLED):
        with transaction.atomic():
            classes.settle(ids_of(numbers))
        after = numbers[-1]


def _numbers_after(number: int, limit: int) -> Sequence[int]:
    return list(Document.objects.filter(number__gt=number).order_by("number").values_list("number", flat=True)[:limit])


def keep_up() -> None:
    """Send changes to the engine; build it anew where the library has another embedding model by now.

    Without an engine in the settings, existing collections are forgotten. An engine that is away gets the changes
    later, and is given up when too many are pending.
    """
    if not EngineCollection.objects.exists():
        return
    asked = engine()
    if asked is None:
        give_up("no engine is configured")
        return
    try:
        drain(asked)
        resume(asked)
        collection = served()
        if collection is not None and not is_of_today(collection):
            rebuild(asked)
        drop_left_over(asked)
    except EngineError as error:
        logger.warning("engine_not_fed", extra={"reason": error.reason})
        forget_if_too_many()
