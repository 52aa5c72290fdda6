"""Values and their rows: what goes into a row comes out of it again."""

import datetime as dt
from uuid import uuid4

from core.models import Answer, CitationWords, Query
from core.models import Citation as CitationRow
from core.models.conversations import make_openable
from core.types import Citation, ConfidenceLevel, QueryState, Refusal, RefusalReason, Usage

CITATION = Citation(
    number=2,
    chunk_id=uuid4(),
    document_id=uuid4(),
    document_name="Visitor Guide",
    document_date=dt.date(2025, 3, 1),
    page_number=4,
    chapter="",
    section="Canteen",
    source_url="https://example.com/visitors",
    excerpt="It opens at 11:30.",
    quoted_excerpt="It opens  at 11:30.",
    start=7,
    end=26,
    relevance_score=0.75,
    authors="Ada Writer",
    file_name="visitors.pdf",
    full_citation="Ada Writer (2025). Visitor Guide.",
    document_version=3,
    citation_id=uuid4(),
)
REFUSAL = Refusal(
    request_id="req_20260101_00000000",
    query_id=uuid4(),
    conversation_id=uuid4(),
    confidence=0.25,
    confidence_level=ConfidenceLevel.INSUFFICIENT,
    retrieved=(),
    state=QueryState.NO_CONTENT_FOUND,
    agent_steps=1,
    model_provider="extractive",
    processing_time_ms=12,
    trace_id="0" * 32,
    reason=RefusalReason.UNSURE,
    message="I am not sure.",
    closest=(CITATION,),
)


def test_a_citation_comes_back_as_it_was() -> None:
    """Every field of it."""
    row = CitationRow.from_value(CITATION, answer=Answer())
    assert (row.start_offset, row.end_offset) == (7, 26)
    words = CitationWords.from_value(CITATION, citation=row)
    assert make_openable(words.as_value(row), row.pk) == CITATION


def test_a_result_has_its_figures_back() -> None:
    """From the row of its answer and that of its question; no words are among them."""
    query = Query(
        pk=REFUSAL.query_id,
        request_id=REFUSAL.request_id,
        state=REFUSAL.state,
        context_mode=REFUSAL.context_mode,
    )
    query.conversation_id = REFUSAL.conversation_id
    usage = Usage(prompt_tokens=3, completion_tokens=2, cost_usd=0.5)
    row = Answer.from_value(REFUSAL, query=query, model="packaged", usage=usage)
    assert (row.answer_text, row.refusal_reason, row.has_sufficient_context) == (None, "unsure", False)
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (3, 2, 0.5)
    figures = row.get_result_fields()
    assert figures == {name: getattr(REFUSAL, name) for name in figures}
    assert not {"text", "message", "asked", "citations", "closest", "retrieved"} & figures.keys()
