"""Send changes to the engine, from the rows that the database writes with each change.

A row is deleted when the engine has the change, in the same transaction: an interrupted batch is sent again, and
sending twice does no harm, since the engine is sent a document's state and not its history.
"""

import logging
from collections.abc import Callable, Sequence

from django.db import transaction

from core.errors import EngineError
from core.library.vector_engine import classes
from core.library.vector_engine.collections import give_up, turn
from core.library.vector_engine.points import ids_of, put_documents, read_classes
from core.library.vector_engine.qdrant import Engine
from core.models import EngineChange, EngineCollection

logger = logging.getLogger(__name__)

_CHANGES = 2000  # rows that are read at once
_MOVED = 1000  # documents that one request puts into a class
_PUT = 50  # documents whose chunks are read and sent together
_MOST_CHANGES = 2_000_000  # rows, some 150 MB; an engine that was away for so long is built anew


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
                _put(engine, collection, sorted(renewed))
                _move(engine, collection, [number for number in documents if number not in renewed])
            except EngineError as error:
                if error.reason != "lost":
                    raise
                logger.warning("engine_lost_collection", extra={"collection": collection.name})
                collection.delete()
        EngineChange.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
    return len(rows)


def _put(engine: Engine, collection: EngineCollection, documents: Sequence[int]) -> None:
    for start in range(0, len(documents), _PUT):
        put_documents(engine, collection.name, documents[start : start + _PUT], collection.model)


def _move(engine: Engine, collection: EngineCollection, documents: Sequence[int]) -> None:
    by_class: dict[int, list[int]] = {}
    for number, access_class in read_classes(documents).items():
        by_class.setdefault(access_class, []).append(number)
    for access_class, numbers in by_class.items():
        for start in range(0, len(numbers), _MOVED):
            engine.move(collection.name, numbers[start : start + _MOVED], access_class)
