"""The collections that the engine is to hold. While there is one, the database records the changes to send.

One at a time works on them: feeding, building and verifying take turns by batches, so that none writes what it read
before another wrote something newer.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import OperationalError, connection, transaction

from core.errors import EngineError
from core.library.vector_engine.qdrant import Engine
from core.models import AccessClass, DocumentClass, EmbeddingModel, EngineChange, EngineCollection

logger = logging.getLogger(__name__)

_LOCK = 0x666F6F75  # the advisory lock of whoever writes to the engine
_BUILDING = 0x666F6F76  # and of whoever builds a collection, for as long as that takes
_TRIES = 20
_PAUSE_S = 1.0


@contextmanager
def turn() -> Iterator[None]:
    """A transaction in which nobody else writes to the engine."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


@contextmanager
def alone() -> Iterator[None]:
    """A block in which nobody else builds a collection. EngineError when somebody does already."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_BUILDING])
        if not cursor.fetchone()[0]:
            raise EngineError("A collection is being built already. Wait until that has finished.", reason="busy")
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_BUILDING])


def is_of_today(collection: EngineCollection) -> bool:
    """Return True if a collection is for vectors of the library's model."""
    return EmbeddingModel.objects.filter(name=collection.model, dimension=collection.dimension).exists()


def served() -> EngineCollection | None:
    """Return the collection that searches use."""
    return EngineCollection.objects.filter(state=EngineCollection.State.SERVED).first()


def building() -> EngineCollection | None:
    """Return the collection that is being built."""
    return EngineCollection.objects.filter(state=EngineCollection.State.BUILDING).first()


def begin(engine: Engine) -> EngineCollection:
    """Begin an empty collection for the vectors of today's model, in place of one that was being built."""
    model = EmbeddingModel.objects.first()
    if model is None:
        raise EngineError("The library is empty: nothing has been embedded yet.", reason="empty")
    with turn():
        if left := building():
            engine.drop(left.name)
            left.delete()
    collection = _write_down(model)
    try:
        engine.create(collection.name, model.dimension)
    except EngineError:
        collection.delete()
        raise
    return collection


def serve(engine: Engine, collection: EngineCollection) -> None:
    """Let searches use a collection that is complete, and drop the one before it, and what else was left."""
    with turn():
        replaced, _ = EngineCollection.objects.filter(state=EngineCollection.State.SERVED).delete()
        collection.state = EngineCollection.State.SERVED
        collection.save(update_fields=["state"])
    if replaced:
        _wait_for_searches()
    drop_left_over(engine)


def _wait_for_searches() -> None:
    """Wait as long as a search may still be asking a collection that was served until now."""
    time.sleep(settings.VECTOR_ENGINE_TIMEOUT_S)


def drop_left_over(engine: Engine) -> None:
    """Drop this installation's collections in the engine of which the database knows nothing."""
    with turn():
        known = {collection.name for collection in EngineCollection.objects.all()}
        for name in engine.list_names():
            if EngineCollection.is_name(name) and name not in known:
                engine.drop(name)


def give_up(reason: str) -> None:
    """Forget the collections and all pending changes: the engine has to be built anew."""
    with turn():
        if EngineCollection.objects.exists():
            logger.warning("engine_given_up", extra={"reason": reason})
        EngineCollection.objects.all().delete()
        EngineChange.objects.all().delete()


def _write_down(model: EmbeddingModel) -> EngineCollection:
    """Return the row of a new collection. With the first one, the database begins to write changes down."""
    for remaining in reversed(range(_TRIES)):
        try:
            with transaction.atomic():
                if not EngineCollection.objects.exists():
                    _wait_for_writers()
                    _place_documents()
                return EngineCollection.objects.create(model=model.name, dimension=model.dimension)
        except OperationalError as error:
            if not remaining:
                raise EngineError("The library is in constant use. Try again.", reason="busy") from error
            time.sleep(_PAUSE_S)
    raise AssertionError("the last try returns or raises")


def _wait_for_writers() -> None:
    """Wait for those who began before there was a collection: what they change is written down nowhere."""
    with connection.cursor() as cursor:
        # Shorter than PostgreSQL's deadlock_timeout: it is this that gives way, and no writer.
        cursor.execute("SET LOCAL lock_timeout = '500ms'")
        cursor.execute("LOCK TABLE core_document, core_roledocumentaccess, core_chunk IN SHARE MODE")


def _place_documents() -> None:
    """Every document in class 0. What an earlier engine left is of no use: nobody kept it right."""
    for rows in (EngineChange, DocumentClass, AccessClass):
        rows.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO core_documentclass (document_id, access_class) SELECT id, 0 FROM core_document")
