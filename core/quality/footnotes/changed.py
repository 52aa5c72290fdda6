"""The documents that were quoted to a person and have changed since."""

import datetime as dt
from uuid import UUID

from django.db.models import Exists, OuterRef

from core.infrastructure.database_errors import translate_database_errors
from core.infrastructure.public_address import build_document_address
from core.models import Citation, Document, FootnoteChange
from core.types import NOBODY_ASKED, Audience
from core.values.lists import ChangedDocument


def list_changed_documents(
    user_id: UUID, *, audience: Audience, since: dt.datetime, limit: int
) -> tuple[ChangedDocument, ...]:
    """Return the documents that a person's own answers quote and that got a new edition since then, newest first.

    audience: that person alone. Only documents that they may read as they are now are among them. One query.
    """
    quoted = Citation.objects.filter(
        document=OuterRef("pk"),
        document_version__lt=OuterRef("version"),
        answer__query__user=user_id,
        answer__query__user__is_active=True,
        answer__query__erased_at=None,
        answer__query__is_overheard=False,
    ).exclude(answer__query__conversation__origin__in=NOBODY_ASKED)
    gone = FootnoteChange.objects.filter(
        answer__query__user=user_id,
        answer__query__erased_at=None,
        source_change__document_id=OuterRef("pk"),
        source_change__version__lte=OuterRef("version"),
        source_change__checked_at__gte=since,
    )
    with translate_database_errors():
        changed = Document.objects.visible_to(audience).filter(Exists(quoted), ingested_at__gte=since)
        rows = changed.annotate(is_quote_gone=Exists(gone)).order_by("-ingested_at", "title", "pk")[:limit]
        return tuple(
            ChangedDocument(
                title=title,
                source_url=url or build_document_address(pk),
                changed_at=at,
                is_quote_gone=is_gone,
            )
            for pk, title, url, at, is_gone in rows.values_list(
                "pk", "title", "source_url", "ingested_at", "is_quote_gone"
            )
        )
