"""Reading chunks by their ids, without a search."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import Q

from core.errors import NotFoundError
from core.library.retrieval.search import collect_placed_fields, passage_of
from core.models import Chunk, Document
from core.models.row_security import as_audience
from core.types import Audience, Passage, PassageInPlace


def passage_in_place(chunk_id: UUID, *, audience: Audience) -> PassageInPlace:
    """The chunk with its place and its neighbours. NotFoundError when it is not there or not the audience's to read."""
    with as_audience(audience):
        readable = Chunk.objects.visible_to(audience)
        chunk = readable.for_reading().filter(pk=chunk_id).first()
        if chunk is None:
            raise NotFoundError("There is no such passage, or you may not read it.")
        neighbours = dict(
            readable.filter(
                document_id=chunk.document_id, chunk_index__in=(chunk.chunk_index - 1, chunk.chunk_index + 1)
            ).values_list("chunk_index", "pk")
        )
    return PassageInPlace(
        **collect_placed_fields(chunk),
        position=chunk.chunk_index + 1,
        chunk_count=chunk.document.chunk_count,
        previous_chunk_id=neighbours.get(chunk.chunk_index - 1),
        next_chunk_id=neighbours.get(chunk.chunk_index + 1),
    )


def contents_of(chunk_ids: Iterable[UUID | None], *, audience: Audience) -> dict[UUID | None, str]:
    """Return the text of those chunks that are still there and that the audience may read now."""
    wanted = {pk for pk in chunk_ids if pk is not None}
    if not wanted:
        return {}
    with as_audience(audience):
        return dict(Chunk.objects.visible_to(audience).filter(pk__in=wanted).values_list("pk", "content"))


def passages_again(found: Sequence[tuple[UUID, float]], *, audience: Audience) -> tuple[Passage, ...]:
    """Those of the chunks once found, each given with its similarity, that the audience may read now, in their order.

    Each passage keeps the rank that it had among all of them.
    """
    with as_audience(audience):
        chunks = Chunk.objects.visible_to(audience).for_reading().in_bulk([pk for pk, _ in found])
    return tuple(
        passage_of(chunks[pk], similarity, similarity, rank)
        for rank, (pk, similarity) in enumerate(found, 1)
        if pk in chunks
    )


def passages_of_document(document_id: UUID, *, audience: Audience) -> tuple[Passage, ...]:
    """Return the whole text of a document, passage by passage; none unless the audience may read it.

    Of a document whose sections have readers of their own that is what the audience may read of it, in its order.
    """
    with as_audience(audience):
        rows = Document.objects.filter(Q(pk=document_id) | Q(part_of=document_id)).values_list("pk", flat=True)
        chunks = Chunk.objects.visible_to(audience).for_reading().filter(document_id__in=list(rows))
        return tuple(
            passage_of(chunk, 0.0, 0.0, place)
            for place, chunk in enumerate(chunks.order_by("start_offset", "chunk_index"), 1)
        )
