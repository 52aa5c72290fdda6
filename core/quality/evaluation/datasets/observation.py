"""Read the result of a question from the database, and not from what the answering code reports of itself.

Access is read from the table of grants, and each quote is compared with its stored chunk, so that a fault in the rule
of access or in the verification shows here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from core.models import Chunk, CitationWords, Document, Query, QueryLog, RetrievedChunk, RoleDocumentAccess, UserRole
from core.models.row_security import bypass_row_security
from core.quality.evaluation.datasets.verdict import Outcome, Shown
from core.types import Answer, Citation, Refusal, RefusalReason
from core.values.secrets import is_same_but_masked

_FAILURES = (RefusalReason.MODEL_UNAVAILABLE, RefusalReason.OVER_QUOTA, RefusalReason.INVALID_QUESTION)


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """The stored result of one question."""

    outcome: Outcome
    log: QueryLog | None = None
    quotes: int = 0  # citations of the answer, or closest passages where there is none
    unsupported: int = 0  # of them, those whose quote does not occur at its stated place
    dropped: int = 0  # statements that verification took out
    timings_ms: dict[str, float] = field(default_factory=dict)  # by step


def observe(result: Answer | Refusal, *, user_id: UUID) -> Observed:
    """Read what a result rests on."""
    failed = isinstance(result, Refusal) and result.reason in _FAILURES
    text = result.text if isinstance(result, Answer) else None
    log = QueryLog.objects.filter(request_id=result.request_id).first()
    if result.query_id is None:
        return Observed(outcome=Outcome(text=text, failed=failed), log=log)
    quoted = _list_quotes(result)
    with bypass_row_security():
        retrieved = list(
            RetrievedChunk.objects.filter(query=result.query_id).values_list("chunk__document_id", "chunk__page_number")
        )
        contents = dict(
            Chunk.objects.filter(pk__in=[one.chunk_id for one in quoted if one.chunk_id]).values_list("pk", "content")
        )
    selected = Query.objects.values_list("selected_text", flat=True).get(pk=result.query_id)
    unsupported = [one for one in quoted if not _occurs_at_offsets(one, contents, selected)]
    shown = name_shown_documents([*((one.document_id, one.page_number) for one in quoted), *retrieved], user_id)
    of_quotes = shown[: len(quoted)]
    passages = [replace(one, text=_find_passage(quote, contents)) for one, quote in zip(of_quotes, quoted, strict=True)]
    return Observed(
        outcome=Outcome(
            text=text,
            failed=failed,
            cited=tuple(of_quotes) if text is not None else (),
            closest=tuple(passages) if text is None else (),
            retrieved=tuple(shown[len(quoted) :]),
        ),
        log=log,
        quotes=len(quoted),
        unsupported=len(unsupported),
        dropped=log.dropped_statements if log else 0,
        timings_ms=dict(result.timings_ms),
    )


def _list_quotes(result: Answer | Refusal) -> list[Citation]:
    """Return the quotes of an answer as they are stored, or the closest passages as they are shown."""
    if isinstance(result, Refusal):
        return list(result.closest)
    with bypass_row_security():
        stored = CitationWords.objects.filter(citation__answer__query=result.query_id).select_related("citation")
        return [words.as_value(words.citation) for words in stored.order_by("citation__number")]


def _occurs_at_offsets(one: Citation, contents: Mapping[UUID, str], selected: str | None) -> bool:
    """Return True if the quote occurs word for word at its offsets in its chunk; for selected text, anywhere in it."""
    quote = one.quoted_excerpt
    if one.chunk_id is not None:
        return bool(quote) and is_same_but_masked(contents.get(one.chunk_id, "")[one.start : one.end], quote)
    return bool(quote) and one.document_id is None and selected is not None and quote in selected


def _find_passage(one: Citation, contents: Mapping[UUID, str]) -> str:
    """Return the passage that a quote is from; of selected text, the quote."""
    return contents.get(one.chunk_id, "") if one.chunk_id else one.quoted_excerpt


def name_shown_documents(places: list[tuple[UUID | None, int | None]], user_id: UUID) -> list[Shown]:
    """Return the documents by their names, in the same order. What is no document, selected text, has no name."""
    ids = {document_id for document_id, _ in places if document_id}
    documents = Document.objects.in_bulk(ids)
    roles = UserRole.objects.filter(user=user_id).values("role")
    permitted = set(
        RoleDocumentAccess.objects.filter(role__in=roles, document__in=ids).values_list("document_id", flat=True)
    )
    return [
        Shown(
            document=_describe_document(documents.get(document_id)) if document_id else "",
            page=page,
            permitted=document_id is None or document_id in permitted,
        )
        for document_id, page in places
    ]


def _describe_document(document: Document | None) -> str:
    if document is None:  # deleted since
        return ""
    date = document.document_date.isoformat() if document.document_date else ""
    return f"{document.title} {document.source_url} {document.source} {date}"
