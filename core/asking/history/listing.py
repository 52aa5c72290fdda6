"""List a person's readable documents and own questions, under the one rule of access, counts included."""

import datetime as dt
from uuid import UUID

from django.db.models import Count, F, Max

from core.access.audiences import is_within_roles, readable_editions
from core.asking.history.visibility import list_cited
from core.infrastructure.public_address import build_document_address
from core.library.retrieval.access_filter import select_permitted_documents
from core.models import Query
from core.types import (
    NOBODY_ASKED,
    Audience,
    ContextMode,
    Edition,
    Filters,
    QueryState,
    ReadableCollection,
    RefusalReason,
)
from core.values.lists import DocumentList, NewDocument, ReadableDocument, RecentQuestion


def collections(audience: Audience, filters: Filters) -> tuple[ReadableCollection, ...]:
    """Return the collections of which the audience may read something; see core.api.readable_collections."""
    rows = (
        select_permitted_documents(audience, filters)
        .whole()
        .order_by("collection__name")
        .values("collection__name")
        .annotate(documents=Count("pk"), newest=Max("document_date"))
    )
    return tuple(
        ReadableCollection(name=row["collection__name"], documents=row["documents"], newest=row["newest"])
        for row in rows
    )


def documents(audience: Audience, filters: Filters, *, limit: int) -> DocumentList:
    """Return the documents that the audience may read; see core.api.readable_documents."""
    found = select_permitted_documents(audience, filters).whole()
    newest_first = found.select_related("collection").order_by(
        "collection__name", F("document_date").desc(nulls_last=True), "title", "pk"
    )
    listed = tuple(
        ReadableDocument(
            document_id=row.pk,
            title=row.title,
            collection=row.collection.name,
            document_type=row.document_type,
            document_date=row.document_date,
            source_url=row.source_url,
        )
        for row in newest_first[:limit]
    )
    return DocumentList(documents=listed, total=found.count())


def new_documents(audience: Audience, *, since: dt.datetime, limit: int) -> tuple[NewDocument, ...]:
    """List documents ingested since then that the audience may read; see core.api.new_documents."""
    found = select_permitted_documents(audience, Filters()).whole().filter(ingested_at__gte=since)
    rows = found.order_by("-ingested_at", "title", "pk")[:limit]
    return tuple(
        NewDocument(
            title=row.title,
            source_url=row.source_url or build_document_address(row.pk),
            ingested_at=row.ingested_at,
            is_new_edition=row.version > 1,
        )
        for row in rows
    )


def recent_questions(user_id: UUID, *, audience: Audience, limit: int) -> tuple[RecentQuestion, ...]:
    """Return a person's own last questions; see core.api.recent_questions."""
    queries = list(
        Query.objects.filter(user_id=user_id, user__is_active=True, erased_at__isnull=True, is_overheard=False)
        .exclude(conversation__origin__in=NOBODY_ASKED)  # asked in their name, not by them
        .select_related("answer")
        .prefetch_related("answer__citations")
        .order_by("-created_at", "pk")[:limit]
    )
    readable = readable_editions((edition for query in queries for edition in _list_cited_editions(query)), audience)
    return tuple(
        RecentQuestion(
            request_id=query.request_id,
            question=query.question_text,
            asked_at=query.created_at,
            state=QueryState(query.state),
            is_readable=_is_readable(query, readable, audience),
            refusal=_find_refusal(query, readable),
        )
        for query in queries
    )


def _is_readable(query: Query, readable: set[Edition], audience: Audience) -> bool:
    """Return True if something can be opened: all citations of an answer, or any of the closest passages."""
    if not hasattr(query, "answer"):
        return False
    seen = _list_seen(query, readable)
    if query.answer.answer_text is None:
        return any(seen)
    return all(seen) and is_within_roles(query.answer.verified_answer_id, audience)


def _list_seen(query: Query, readable: set[Edition]) -> list[bool]:
    """For each citation whether it may be read. A selected text is its asker's own."""
    is_selection = query.context_mode == ContextMode.SELECTED_TEXT
    return [is_selection or edition in readable for edition in _list_cited_editions(query)]


def _find_refusal(query: Query, readable: set[Edition]) -> RefusalReason | None:
    """Return the reason for a refusal.

    If none of its closest passages can be read any more, it is that nothing was found.
    """
    if not hasattr(query, "answer") or query.answer.answer_text is not None:
        return None
    reason = RefusalReason(query.answer.refusal_reason)
    is_gone = reason is RefusalReason.UNSURE and not any(_list_seen(query, readable))
    return RefusalReason.NOTHING_FOUND if is_gone else reason


def _list_cited_editions(query: Query) -> list[Edition | None]:
    return list_cited(query.answer) if hasattr(query, "answer") else []
