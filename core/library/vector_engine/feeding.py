"""Send changes to the engine, from the rows that the database writes with each change.

A row is deleted when the engine has the change, in the same transaction: an interrupted batch is sent again, and
sending twice does no harm, since the engine is sent a document's state and not its history.
"""

import logging
from collections.abc import Callable, Sequence
from uuid import UUID

import numpy as np
from django.db import transaction

from core.errors import EngineError
from core.library.vector_engine import classes
from core.library.vector_engine.collections import give_up, turn
from core.library.vector_engine.qdrant import Engine, Point
from core.models import Chunk, Document, DocumentClass, EngineChange, EngineCollection
from core.models.row_security import bypass_row_security

logger = logging.getLogger(__name__)

_CHANGES = 2000  # rows that are read at once
_MOVED = 1000  # documents that one request puts into a class
_PUT = 50  # documents whose chunks are read and sent together
_MOST_CHANGES = 2_000_000  # rows, some 150 MB; an engine that was away for so long is built anew

PUT = 500  # chunks in one request, some 4 MB as JSON


def drain(engine: Engine, done: Callable[[int], None] = lambda _: None) -> int:
    """Send the engine all changes, in batches. Returns how many changes.

    done: called with the number of further changes sent.
    """
    total = 0
    while told := _drain_batch(engine):
        total += told
        done(told)
    if total:
        with transaction.atomic():
            classes.sweep()
        logger.info("engine_fed", extra={"changes": total})
    return total


def forget_if_too_many() -> None:
    """Give the engine up when more is waiting for it than is kept."""
    if EngineChange.objects.all()[_MOST_CHANGES : _MOST_CHANGES + 1].exists():
        give_up("too many changes")


def count_waiting() -> int:
    """Count the changes not yet sent to the engine."""
    return EngineChange.objects.count()


def _drain_batch(engine: Engine) -> int:
    rows = list(EngineChange.objects.order_by("pk").values_list("pk", "document_number", "kind")[:_CHANGES])
    if not rows:
        return 0
    # Who held a document when its grants changed may have left its class to this.
    documents = sorted({number for _, number, _ in rows})
    with transaction.atomic():
        classes.settle(ids_of(documents))
    with turn():
        # Others may have sent some of them meanwhile, which does no harm.
        renewed = {number for _, number, kind in rows if kind == EngineChange.Kind.VECTORS}
        for collection in EngineCollection.objects.all():
            try:
                _put_all(engine, collection, sorted(renewed))
                _move_documents(engine, collection, [number for number in documents if number not in renewed])
            except EngineError as error:
                if error.reason != "lost":
                    raise
                logger.warning("engine_lost_collection", extra={"collection": collection.name})
                collection.delete()
        EngineChange.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
    return len(rows)


def _put_all(engine: Engine, collection: EngineCollection, documents: Sequence[int]) -> None:
    for start in range(0, len(documents), _PUT):
        put_documents(engine, collection.name, documents[start : start + _PUT], collection.model)


def _move_documents(engine: Engine, collection: EngineCollection, documents: Sequence[int]) -> None:
    by_class: dict[int, list[int]] = {}
    for number, access_class in read_classes(documents).items():
        by_class.setdefault(access_class, []).append(number)
    for access_class, numbers in by_class.items():
        for start in range(0, len(numbers), _MOVED):
            engine.move(collection.name, numbers[start : start + _MOVED], access_class)


def read_points(documents: Sequence[int], model: str) -> list[Point]:
    """Return the chunks of documents, by their numbers, that a model has embedded."""
    classes = read_classes(documents)
    with bypass_row_security():
        rows = Chunk.objects.filter(document__number__in=list(documents), embedding_model=model).order_by("pk")
        return [
            Point(
                id=pk,
                vector=np.asarray(vector, dtype=np.float32),
                document=number,
                access_class=classes.get(number, 0),
            )
            for pk, number, vector in rows.values_list("pk", "document_number", "embedding")
        ]


def read_classes(documents: Sequence[int]) -> dict[int, int]:
    """Return the classes of those of the documents that are still there, by number; 0 for those in none."""
    placed = DocumentClass.objects.filter(document__number__in=list(documents))
    return dict(placed.values_list("document__number", "access_class"))


def put_documents(engine: Engine, name: str, documents: Sequence[int], model: str) -> int:
    """Make the engine hold documents as they are, and nothing of those that are gone. Returns how many chunks."""
    points = read_points(documents, model)
    for start in range(0, len(points), PUT):
        engine.put(name, points[start : start + PUT])
    engine.keep_only(name, documents, [point.id for point in points])
    return len(points)


def ids_of(documents: Sequence[int]) -> list[UUID]:
    """Return the ids of documents, by their numbers."""
    return list(Document.objects.filter(number__in=list(documents)).values_list("pk", flat=True))
