"""A new collection, built beside the one that is served while changes go on, and served when it is complete.

Documents are copied by their numbers; how far that came is kept, so that a building that was broken off goes on from
there. What changes meanwhile goes to both collections by feeding.
"""

from collections.abc import Callable, Sequence

from django.db import transaction

from core.library.vector_engine import classes
from core.library.vector_engine.collections import alone, begin, building, is_of_today, serve, turn
from core.library.vector_engine.feeding import drain
from core.library.vector_engine.points import ids_of, put_documents
from core.library.vector_engine.qdrant import Engine
from core.models import Document, EngineCollection

_DOCUMENTS = 50  # that are read and sent together
_SETTLED = 10_000  # documents that are put into their classes together


def rebuild(engine: Engine, done: Callable[[int], None] = lambda _: None) -> int:
    """Build a collection from the beginning and let searches use it. Returns how many chunks it was sent.

    done: called with how many more documents the engine has.
    """
    with alone():
        return _build(engine, begin(engine), done)


def resume(engine: Engine, done: Callable[[int], None] = lambda _: None) -> int:
    """Go on with a building that was broken off, to its end. Returns how many chunks were sent.

    From the beginning where the library has another embedding model by now; nothing where nothing is being built.
    """
    with alone():
        collection = building()
        return 0 if collection is None else _build(engine, collection, done)


def count_documents() -> int:
    """Count the documents that a collection is built from or compared with."""
    return Document.objects.count()


def _build(engine: Engine, collection: EngineCollection, done: Callable[[int], None]) -> int:
    if not is_of_today(collection):
        collection = begin(engine)
    _settle(collection)
    chunks = 0
    while numbers := _numbers_after(collection.built_to, _DOCUMENTS):
        with turn():
            chunks += put_documents(engine, collection.name, numbers, collection.model)
            collection.built_to = numbers[-1]
            collection.save(update_fields=["built_to"])
        done(len(numbers))
    drain(engine)
    if not is_of_today(collection):  # it was changed meanwhile
        return chunks + _build(engine, begin(engine), done)
    serve(engine, collection)
    return chunks


def _settle(collection: EngineCollection) -> None:
    """Put the documents that are still to come into their classes. Where these are right already, nothing changes."""
    after = collection.built_to
    while numbers := _numbers_after(after, _SETTLED):
        with transaction.atomic():
            classes.settle(ids_of(numbers))
        after = numbers[-1]


def _numbers_after(number: int, limit: int) -> Sequence[int]:
    return list(Document.objects.filter(number__gt=number).order_by("number").values_list("number", flat=True)[:limit])
