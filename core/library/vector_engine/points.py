"""The library as the engine is to hold it."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from core.library.vector_engine.qdrant import Engine, Point
from core.models import Chunk, Document, DocumentClass
from core.models.row_security import bypass_row_security

PUT = 500  # chunks in one request, some 4 MB as JSON


def read_points(documents: Sequence[int], model: str) -> list[Point]:
    """The chunks of documents, by their numbers, that a model has embedded."""
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
    """The classes of those of the documents that are still there, by number; 0 for those in none."""
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
    """The ids of documents, by their numbers."""
    return list(Document.objects.filter(number__in=list(documents)).values_list("pk", flat=True))
