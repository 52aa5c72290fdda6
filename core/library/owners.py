"""Owners of documents, and the cited documents about which they should be asked because they may be out of date."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from core.access.audiences import audience_of, readable_editions
from core.language.wording import compare_dates
from core.models import AuditEvent, Document, Feedback, User
from core.types import Citation, Contradiction, Edition, FeedbackReason

_VOTES_COUNT_FOR = dt.timedelta(days=180)  # later, the age of the document says more than an old vote


class Staleness(StrEnum):
    """Signs that a document may be out of date."""

    CONTRADICTED = "contradicted"
    OLD = "old"
    VOTED_DOWN = "voted_down"


@dataclass(frozen=True, kw_only=True, slots=True)
class StaleSource:
    """A cited document that may be out of date, and its owner, who may read it."""

    edition: Edition
    name: str  # as it is cited
    date: dt.date  # of the document, or when its owner last confirmed it
    owner: User
    sign: Staleness


def find_stale_sources(citations: Iterable[Citation], contradiction: Contradiction | None = None) -> list[StaleSource]:
    """Return the cited documents that may be out of date and whose owners can be asked, in the order of the citations.

    Left out are documents that have another edition by now, which may have been mended, and those without an active
    owner who may read them. A document is old after STALE_AFTER_DAYS, counted from the date that it states, else from
    its ingestion, or from when its owner confirmed it. Votes count from then on as well, where they name bad sources.
    A contradiction counts against the cited document, unless that is the newer one, or its owner has confirmed it since
    the other one was there. What contradicts it is not checked for access here.
    """
    cited = {citation.edition: citation.document_name for citation in citations if citation.edition}
    rows = {row.edition: row for row in _select_owned().filter(pk__in=[edition.document_id for edition in cited])}
    found = []
    for edition, name in cited.items():
        row = rows.get(edition)
        against = contradiction if contradiction and contradiction.cited == edition else None
        sign = _find_sign(row, against) if row else None
        owner = find_owner(row) if row and sign else None
        if sign and row and owner:
            found.append(StaleSource(edition=edition, name=name, date=_find_date(row), owner=owner, sign=sign))
    return found


def find_owner(document: Document) -> User | None:
    """Return the active owner of a document, its own or else its collection's, who may read its current edition."""
    owner = document.owner or document.collection.owner
    if owner is None or not owner.is_active:
        return None
    return owner if readable_editions([document.edition], audience_of([owner.pk])) else None


def rank_by_authority(document_ids: Sequence[UUID]) -> list[UUID]:
    """Return documents in the order in which people should go by them, where their dates do not tell.

    Those come first whose owner has confirmed their current words, the last confirmed before others; last come those of
    collections that are asked last. Apart from that their order stays.
    """
    rows = Document.objects.select_related("collection").in_bulk(document_ids)

    def rank(document_id: UUID) -> tuple[bool, float]:
        row = rows.get(document_id)
        confirmed_at = _find_confirmation(row) if row else None
        return row is None or row.collection.is_asked_last, -confirmed_at.timestamp() if confirmed_at else 0.0

    return sorted(document_ids, key=rank)


def confirm(document_id: UUID, *, version: int, by: User) -> bool:
    """Note that its owner says that a document still holds. False where it has another edition, or owner, by now."""
    with transaction.atomic():
        document = _select_owned().select_for_update(of=("self",)).filter(pk=document_id, version=version).first()
        if document is None or find_owner(document) != by:
            return False
        document.confirmed_at = timezone.now()
        document.save(update_fields=["confirmed_at"])
        AuditEvent.objects.create(
            actor=by,
            action=AuditEvent.Action.CONFIRM,
            object_type="document",
            object_id=str(document.pk),
            details={"version": version},
        )
    return True


def _select_owned() -> models.QuerySet[Document]:
    return Document.objects.select_related("owner", "collection__owner")


def _find_date(document: Document) -> dt.date:
    stated = document.document_date or document.ingested_at.date()
    confirmed_at = _find_confirmation(document)
    return max(stated, confirmed_at.date()) if confirmed_at else stated


def _find_confirmation(document: Document) -> dt.datetime | None:
    """Return when the owner confirmed the document's current words."""
    confirmed_at = document.confirmed_at
    return confirmed_at if confirmed_at and confirmed_at >= document.ingested_at else None


def _is_thought_stale(document: Document, contradiction: Contradiction) -> bool:
    """Return True unless the document is the newer one, or was confirmed after the other one had come."""
    if compare_dates(contradiction.by.document_date, document.document_date) is False:
        return False
    confirmed_at = _find_confirmation(document)
    if confirmed_at is None or contradiction.by.document_id is None:
        return True
    return Document.objects.filter(pk=contradiction.by.document_id, ingested_at__gt=confirmed_at).exists()


def _find_sign(document: Document, contradiction: Contradiction | None) -> Staleness | None:
    if not (document.owner or document.collection.owner):
        return None
    if contradiction and _is_thought_stale(document, contradiction):
        return Staleness.CONTRADICTED
    now = timezone.now()
    days = settings.STALE_AFTER_DAYS
    if days and (now.date() - _find_date(document)).days > days:
        return Staleness.OLD
    since = max(now - _VOTES_COUNT_FOR, _find_confirmation(document) or document.ingested_at)
    votes = Feedback.objects.filter(
        verdict=Feedback.Verdict.DOWN,
        reasons__contains=[FeedbackReason.BAD_SOURCE.value],
        updated_at__gt=since,
        answer__citations__document_id=document.pk,
        answer__citations__document_version=document.version,
    )
    return Staleness.VOTED_DOWN if votes.exists() else None
