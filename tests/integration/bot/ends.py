"""Build results of a chosen kind, however sure the passages are, as such results are stored."""

from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import Any

from core import api
from core.models import Answer, Chunk, Document
from core.models.row_security import bypass_row_security
from core.types import Answer as AnswerValue
from core.types import Citation as CitationValue
from core.types import ConfidenceLevel, QueryState, Refusal, RefusalReason, Result
from tests.integration.asked import store_citation

UNSURE = "I am not sure that this answers it. These come closest:"


Asking = Callable[..., AnswerValue | Refusal]


def refused(question: str, **options: Any) -> Refusal:
    """Asks, and ends with a refusal; what was found stays found."""
    return _ended(api.ask(question, **options), RefusalReason.NOTHING_FOUND, "Nothing.", ())


def unsure(documents: Iterable[Document], *, then: Callable[[], object] = lambda: None) -> Asking:
    """Asks, ends with the first passages of these documents, whoever may read them, and lets something happen then."""

    def ask(question: str, **options: Any) -> Refusal:
        with bypass_row_security():
            found = Chunk.objects.filter(document__in=list(documents), chunk_index=0)
            chunks = list(found.select_related("document").order_by("document__title"))
        refusal = _ended(api.ask(question, **options), RefusalReason.UNSURE, UNSURE, chunks)
        then()
        return refusal

    return ask


def _ended(result: Result, reason: RefusalReason, message: str, chunks: Iterable[Chunk]) -> Refusal:
    row = Answer.objects.get(query=result.query_id)
    row.answer_text, row.message, row.refusal_reason = None, message, reason.value
    row.has_sufficient_context, row.confidence_level = False, ConfidenceLevel.INSUFFICIENT.value
    row.save()
    row.query.state = QueryState.NO_CONTENT_FOUND.value
    row.query.save(update_fields=["state"])
    row.citations.all().delete()
    closest = tuple(_citation(number, chunk) for number, chunk in enumerate(chunks, 1))
    for value in closest:
        store_citation(row, value)
    common = {field.name: getattr(result, field.name) for field in fields(Result)}
    refusal = Refusal(**common, reason=reason, message=message, closest=closest)
    return replace(refusal, state=QueryState.NO_CONTENT_FOUND, confidence_level=ConfidenceLevel.INSUFFICIENT)


def _citation(number: int, chunk: Chunk) -> CitationValue:
    return CitationValue(
        number=number,
        chunk_id=chunk.pk,
        document_id=chunk.document.pk,
        document_version=chunk.document.version,
        document_name=chunk.document.title,
        document_date=chunk.document.document_date,
        page_number=None,
        section=chunk.section_title,
        source_url=chunk.document.source_url,
        excerpt=chunk.content[:200],
        quoted_excerpt=chunk.content,
        start=0,
        end=len(chunk.content),
        relevance_score=0.5,
    )
