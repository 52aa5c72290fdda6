"""What really came of a question, read from the database and not from what the answering reports of itself.

Access is asked of the table of grants, and each quote is held against its stored chunk, so that a fault in the rule of
access or in the verification shows here.
"""

from dataclasses import dataclass, field
from uuid import UUID

from core.evaluation.judging import Outcome, Shown
from core.models import Citation, Document, Query, QueryLog, RetrievedChunk, RoleDocumentAccess, UserRole
from core.models.row_security import maintenance
from core.types import Answer, Refusal, RefusalReason

_FAILURES = (RefusalReason.MODEL_UNAVAILABLE, RefusalReason.OVER_QUOTA, RefusalReason.INVALID_QUESTION)


@dataclass(frozen=True, kw_only=True, slots=True)
class Observed:
    """What was stored of a question."""

    outcome: Outcome
    log: QueryLog | None = None
    quotes: int = 0  # citations of the answer, or closest passages where there is none
    unsupported: int = 0  # of them, those whose quote does not stand where it is said to stand
    dropped: int = 0  # statements that verification took out
    timings_ms: dict[str, float] = field(default_factory=dict)  # by step


def observe(result: Answer | Refusal, *, user_id: UUID) -> Observed:
    """Read what a result rests on."""
    failed = isinstance(result, Refusal) and result.reason in _FAILURES
    text = result.text if isinstance(result, Answer) else None
    log = QueryLog.objects.filter(request_id=result.request_id).first()
    if result.query_id is None:
        return Observed(outcome=Outcome(text=text, failed=failed), log=log)
    citations = list(Citation.objects.filter(answer__query=result.query_id).order_by("number"))
    with maintenance():
        retrieved = list(
            RetrievedChunk.objects.filter(query=result.query_id).values_list("chunk__document_id", "chunk__page_number")
        )
        unsupported = [citation for citation in citations if not _stands(citation, result.query_id)]
    cited = [(citation.document_id, citation.page_number) for citation in citations]
    shown = _shown([*cited, *retrieved], user_id)
    quoted = tuple(shown[place] for place in range(len(cited)))
    return Observed(
        outcome=Outcome(
            text=text,
            failed=failed,
            cited=quoted if text is not None else (),
            closest=quoted if text is None else (),
            retrieved=tuple(shown[place] for place in range(len(cited), len(shown))),
        ),
        log=log,
        quotes=len(citations),
        unsupported=len(unsupported),
        dropped=log.dropped_statements if log else 0,
        timings_ms=dict(result.timings_ms),
    )


def _stands(citation: Citation, query_id: UUID) -> bool:
    """Whether the quote stands word for word at its offsets of its chunk; for selected text, anywhere in that text."""
    quote = citation.quoted_excerpt
    if citation.chunk is not None:
        return bool(quote) and citation.chunk.content[citation.start_offset : citation.end_offset] == quote
    selected = Query.objects.values_list("selected_text", flat=True).get(pk=query_id)
    return bool(quote) and citation.document_id is None and selected is not None and quote in selected


def _shown(places: list[tuple[UUID | None, int | None]], user_id: UUID) -> list[Shown]:
    """The documents by their names, in the same order. What is no document, selected text, has no name."""
    ids = {document_id for document_id, _ in places if document_id}
    documents = Document.objects.in_bulk(ids)
    roles = UserRole.objects.filter(user=user_id).values("role")
    permitted = set(
        RoleDocumentAccess.objects.filter(role__in=roles, document__in=ids).values_list("document_id", flat=True)
    )
    return [
        Shown(
            document=_described(documents.get(document_id)) if document_id else "",
            page=page,
            permitted=document_id is None or document_id in permitted,
        )
        for document_id, page in places
    ]


def _described(document: Document | None) -> str:
    if document is None:  # deleted since
        return ""
    date = document.document_date.isoformat() if document.document_date else ""
    return f"{document.title} {document.source_url} {document.source} {date}"
