"""A document as a whole: the first passage of each of its top parts, in their order, and not what is near a question.

It is read under the same rule of access as any search, and within the same filters: a document that is not the
audience's gives nothing, as one that is not there.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from core.language.nlp.headings import FRONT_MATTER
from core.library.retrieval.access_filter import select_permitted_chunks
from core.library.retrieval.comparing import nearest_of
from core.library.retrieval.planner import Strategy
from core.library.retrieval.search import one_dimension, passage_of
from core.models.row_security import as_audience
from core.types import Audience, Filters, RetrievalResult

OUTLINE = "outline"  # the strategy, as it is logged
FEWEST_PARTS = 3  # what falls into fewer is gone through in finer ones
_BELOW = " > "  # between the headings of a section, as parsers write them


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A chunk's place in its document."""

    pk: UUID
    chapter: str
    section: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """A chunk that begins a part of its document."""

    pk: UUID
    heading: str  # of the part; empty for text before the first heading


def outline(document: UUID, vector: np.ndarray, *, audience: Audience, filters: Filters, limit: int) -> RetrievalResult:
    """Return the passages that begin the parts of a document, in their order; nothing where any reader may not read it.

    vector: of the question, unit length; it decides nothing, and measures how near each passage is. limit: the most
    passages, at least 2. Each passage's `opens` is its part's heading, or the document's name where it has none.
    EmbeddingError when the library's vectors have another dimension.
    """
    started = time.perf_counter()
    with one_dimension(vector), as_audience(audience):
        permitted = select_permitted_chunks(audience, filters).filter(document_id=document)
        columns = ("pk", "chapter_name", "section_title", "document__title")
        # Who wrote it is no part of what it says.
        parts = permitted.exclude(section_title=FRONT_MATTER)
        rows = list(parts.order_by("chunk_index").values_list(*columns))
        title = rows[0][-1] if rows else ""
        places = [Place(pk=pk, chapter=chapter, section=section) for pk, chapter, section, _ in rows]
        openings = openings_of(places, title=title, limit=limit)
        chosen = permitted.filter(pk__in=[one.pk for one in openings])
        chunks = chosen.for_reading().in_bulk()
        near = nearest_of(chosen, vector, len(openings)) if openings else {}
    there = [one for one in openings if one.pk in chunks and one.pk in near]  # it may have been replaced meanwhile
    return RetrievalResult(
        passages=tuple(
            replace(passage_of(chunks[one.pk], near[one.pk], near[one.pk], rank), opens=one.heading or title)
            for rank, one in enumerate(there, 1)
        ),
        strategy=OUTLINE if there else Strategy.NONE,
        reason="a document as a whole",
        took_ms=(time.perf_counter() - started) * 1000,
    )


def openings_of(places: Sequence[Place], *, title: str, limit: int) -> list[Opening]:
    """Choose the chunks that begin a document's parts, at most so many, in their order.

    places: all chunks of the document, in order. Its parts are those of the topmost level of headings that has
    FEWEST_PARTS; where no level has, each chunk is one. Of more than the limit they are taken at even distances.
    """
    # Headings above all of them are dropped, such as the title in a text's first line.
    paths = [_list_headings(place, title) for place in places]
    while len({path[0] for path in paths if path}) == 1:
        paths = [path[1:] for path in paths]
    for level in range(1, max(map(len, paths), default=0) + 1):
        first: dict[tuple[str, ...], Opening] = {}
        for place, path in zip(places, paths, strict=True):
            first.setdefault(path[:level], Opening(pk=place.pk, heading=path[:level][-1] if path else ""))
        if len([key for key in first if key]) >= FEWEST_PARTS:
            return _choose_evenly(list(first.values()), limit)
    return _choose_evenly(
        [Opening(pk=place.pk, heading=path[-1] if path else "") for place, path in zip(places, paths, strict=True)],
        limit,
    )


def _list_headings(place: Place, title: str) -> tuple[str, ...]:
    """Return the headings above a chunk, the outermost first, without the document's title."""
    chapter = place.chapter if place.chapter != title else ""
    return tuple(filter(None, (chapter, *place.section.split(_BELOW))))


def _choose_evenly(openings: list[Opening], limit: int) -> list[Opening]:
    """Return so many at even distances, the first and the last among them."""
    if len(openings) <= limit:
        return openings
    step = (len(openings) - 1) / (limit - 1)
    return [openings[round(number * step)] for number in range(limit)]
