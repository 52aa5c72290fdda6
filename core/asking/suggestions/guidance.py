"""Offer help after a refusal: the collections that can be read, and answerable questions near the refused one."""

import logging
import time
from collections.abc import Iterator

from core.asking.history.listing import collections
from core.asking.history.results import stored_result
from core.asking.reading import reader
from core.asking.suggestions.answerability import would_be_answered
from core.asking.suggestions.suggesting import Section, find_shared, is_repeated, questions_about
from core.errors import FootnoteError
from core.library.retrieval.access_filter import select_permitted_chunks
from core.models import Chunk, Query
from core.models.row_security import as_audience
from core.types import Answer, Audience, ContextMode, Filters, Guidance, Refusal, RefusalReason

logger = logging.getLogger(__name__)

# Ends that say something about the library; the others say something about the question, or about us.
_OF_THE_LIBRARY = frozenset({RefusalReason.NOTHING_FOUND, RefusalReason.UNSURE})
_MOST_TRIED = 5  # questions
# Seconds after which no further one is read: each costs as much as a question, and somebody waits for the refusal. On
# two busy cores five took 2 to 6 s.
_MOST_SECONDS = 0.7
# Cosine similarity of a passage that is about what was asked. Measured on the sample library: what is about something
# else lies under .28, "how many vacation days do i get" and the section on annual leave at .48.
_NEAR_FROM = 0.3


def guidance(request_id: str, *, audience: Audience, most_questions: int) -> Guidance:
    """Return the audience's collections among those the question was kept to, and questions; see core.api."""
    result = stored_result(request_id, audience=audience)
    # What else narrowed the search was a wish of the asker, and it did not help.
    kept_to = Filters(collections=result.filters.collections)
    shelves = collections(audience, kept_to)
    near = _list_near(result, audience, kept_to, most_questions) if shelves else ()
    return Guidance(collections=shelves, questions=tuple(near))


def guidance_beside(result: Answer | Refusal, *, audience: Audience, most_questions: int) -> Guidance | None:
    """Return guidance beside a result that was made just now; see core.api.guidance_beside."""
    if not isinstance(result, Refusal) or result.reason not in _OF_THE_LIBRARY:
        return None
    if Query.objects.filter(request_id=result.request_id, context_mode=ContextMode.SELECTED_TEXT).exists():
        return None
    try:
        return guidance(result.request_id, audience=audience, most_questions=most_questions)
    except FootnoteError as error:
        logger.warning("no_guidance", extra={"request_id": result.request_id, "error": type(error).__name__})
        return None


def _list_near(result: Answer | Refusal, audience: Audience, filters: Filters, limit: int) -> list[str]:
    """Return questions about the sections that were found, the nearest first, that would be answered.

    On a slow machine fewer are tried.
    """
    chosen: list[str] = []
    tried: set[str] = {result.asked}
    deadline = time.monotonic() + _MOST_SECONDS
    for question in _list_candidates(result, audience, filters):
        left = deadline - time.monotonic()
        if len(chosen) == limit or len(tried) > _MOST_TRIED or (left <= 0 and reader.is_on()):
            break
        if not is_repeated(question, tried) and would_be_answered(
            question, audience=audience, filters=filters, reading_s=max(left, 0.0)
        ):
            chosen.append(question)
        tried.add(question)
    return chosen


def _list_candidates(result: Answer | Refusal, audience: Audience, filters: Filters) -> Iterator[str]:
    nearness = {found.chunk_id: found.rank for found in result.retrieved if found.similarity >= _NEAR_FROM}
    with as_audience(audience):
        found = select_permitted_chunks(audience, filters).filter(pk__in=nearness)
        chunks: list[Chunk] = sorted(found.select_related("document__collection"), key=lambda it: nearness[it.pk])
    sections = [Section(path=chunk.section_title, text=chunk.content) for chunk in chunks]
    shared = find_shared(audience, sections)
    for chunk, section in zip(chunks, sections, strict=True):
        yield from questions_about(chunk.document, [section], shared=shared)
