"""Finding what the engine holds otherwise than the library says, and mending it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from django.db import transaction

from core.library.vector_engine import classes
from core.library.vector_engine.collections import served, turn
from core.library.vector_engine.feeding import drain, ids_of, put_documents, read_points
from core.library.vector_engine.qdrant import Engine, Point, Range
from core.models import Document, EngineChange, EngineCollection

_DOCUMENTS = 200  # that are compared at a time
_SAME = 1e-4  # the most by which a number of a vector of length 1 differs, in 32 bits and back


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """Counts of the differences between the engine and the library."""

    compared: int = 0  # chunks of the library
    missing: int = 0
    left_over: int = 0  # in the engine, and not in the library
    wrong_class: int = 0  # or the number of another document
    other_vector: int = 0

    @property
    def total(self) -> int:
        """The sum of all differences."""
        return self.missing + self.left_over + self.wrong_class + self.other_vector

    def __add__(self, other: "Drift") -> "Drift":
        return Drift(
            compared=self.compared + other.compared,
            missing=self.missing + other.missing,
            left_over=self.left_over + other.left_over,
            wrong_class=self.wrong_class + other.wrong_class,
            other_vector=self.other_vector + other.other_vector,
        )


def verify(engine: Engine, done: Callable[[int], None] = lambda _: None) -> Drift | None:
    """Compare the collection that is served with the library, and mend what differs. Returns what did.

    Pending changes are sent first, and changes meanwhile are not taken for drift. None where no collection is served.
    done: called with how many more documents have been compared.
    """
    drain(engine)
    collection = served()
    if collection is None:
        return None
    found, after = Drift(), None
    while True:
        part, reached = _verify_part(engine, collection, after)
        found += part
        done(_DOCUMENTS)
        if reached is None:
            drain(engine)
            return found
        after = reached


def _verify_part(engine: Engine, collection: EngineCollection, after: int | None) -> tuple[Drift, int | None]:
    """Compare the next documents; with the last of them, whatever the engine holds beyond."""
    rows = Document.objects.all() if after is None else Document.objects.filter(number__gt=after)
    numbers = list(rows.order_by("number").values_list("number", flat=True)[:_DOCUMENTS])
    with transaction.atomic():
        classes.settle(ids_of(numbers))  # what was wrong already here is recorded, and sent at the end
    with turn():
        is_last = len(numbers) < _DOCUMENTS
        to = None if is_last else numbers[-1]
        held = {point.id: point for point in engine.read(collection.name, Range(after, to))}
        there = {point.id: point for point in read_points(numbers, collection.model)}
        moving = set(EngineChange.objects.values_list("document_number", flat=True))
        drift, wrong = _compare_points(held, there, moving)
        put_documents(engine, collection.name, sorted(wrong), collection.model)
        return drift, to


def _compare_points(held: dict[UUID, Point], there: dict[UUID, Point], moving: set[int]) -> tuple[Drift, set[int]]:
    """Count the differences, and return the numbers of the documents to send again."""
    drift, wrong = Drift(compared=len(there)), set()
    for pk in held.keys() | there.keys():
        is_held, is_there = held.get(pk), there.get(pk)
        numbers = {point.document for point in (is_held, is_there) if point is not None}
        kind = _kind_of_drift(is_held, is_there)
        if kind is not None and not numbers & moving:
            drift = replace(drift, **{kind: getattr(drift, kind) + 1})
            wrong |= numbers
    return drift, wrong


def _kind_of_drift(held: Point | None, there: Point | None) -> str | None:
    if held is None:
        return "missing"
    if there is None:
        return "left_over"
    if (held.access_class, held.document) != (there.access_class, there.document):
        return "wrong_class"
    length = float(np.linalg.norm(there.vector)) or 1.0
    if held.vector.shape != there.vector.shape or float(np.abs(held.vector - there.vector / length).max()) > _SAME:
        return "other_vector"
    return None
