"""Questions with their figures, as reports count them, and people with rights."""

import datetime as dt
from uuid import uuid4

from django.contrib.auth.models import Permission
from django.utils import timezone

from core import types
from core.models import Answer, Citation, CitationWords, Conversation, Document, Query, QueryLog, User
from core.models.row_security import bypass_row_security

MONDAY = dt.date(2026, 3, 2)


def make_question(
    user: User | None,
    *,
    day: dt.date = MONDAY,
    refused: str = "",
    took_ms: int = 100,
    origin: str = "rest",
    channel: str = "",
    model: str = "extractive/sentences",
) -> Query:
    """A question with its answer and its figures."""
    conversation = Conversation.objects.create(
        user=user, origin=origin, slack_team="T1" if channel else "", slack_channel=channel, slack_thread=uuid4().hex
    )
    query = Query.objects.create(
        request_id=f"req_{uuid4().hex[:20]}",
        user=user,
        conversation=conversation,
        question_text="What of the basilisk?",
        context_mode="full_corpus",
    )
    Answer.objects.create(
        query=query,
        answer_text=None if refused else "Nothing of the cockatrice.",
        message="No." if refused else "",
        refusal_reason=refused,
        confidence=0.8,
        confidence_level="high",
        has_sufficient_context=not refused,
        model_provider="extractive",
        model=model,
        agent_steps=1,
        prompt_tokens=10,
        completion_tokens=5,
        cost_usd="0.000100",
        processing_time_ms=took_ms,
        trace_id=uuid4().hex,
    )
    log = QueryLog.objects.create(
        query=query,
        request_id=query.request_id,
        user=user,
        confidence=0.2 if refused else 0.8,
        mean_similarity=0.5,
        has_sufficient_context=not refused,
        refusal_reason=refused,
        model_provider="extractive",
        model=model,
        agent_steps=1,
        response_time_ms=took_ms,
        trace_id=uuid4().hex,
    )
    noon = timezone.make_aware(dt.datetime.combine(day, dt.time(12)))
    QueryLog.objects.filter(pk=log.pk).update(created_at=noon)
    return query


def give_right(user: User, *names: str) -> User:
    """The same person with these permissions, read anew."""
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    return User.objects.get(pk=user.pk)


def add_citation(answer: Answer, document: Document, quote: str, *, number: int = 1) -> Citation:
    """Store a citation of the current edition of a document."""
    value = types.Citation(
        number=number,
        chunk_id=None,
        document_id=document.pk,
        document_version=document.version,
        document_name=document.title,
        document_date=None,
        page_number=None,
        section="",
        source_url="",
        excerpt=quote[:200],
        quoted_excerpt=quote,
        start=0,
        end=len(quote),
        relevance_score=0.5,
    )
    return store_citation(answer, value)


def store_citation(answer: Answer, value: types.Citation) -> Citation:
    """Store a citation of an answer with its words."""
    row = Citation.from_value(value, answer=answer)
    row.save()
    with bypass_row_security():
        CitationWords.from_value(value, citation=row).save()
    return row
