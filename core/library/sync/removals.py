"""Withdraw documents that a data source no longer holds at once, and erase them later."""

import datetime as dt
import logging
from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.access.withdrawal import withdraw
from core.models import AuditEvent, DataSource, Document, SyncChange, SyncItem, SyncRun, WithdrawnGrant

logger = logging.getLogger(__name__)

_AT_ONCE = 200  # items
_HAS_DOCUMENTS = Exists(Document.objects.filter(sync_item=OuterRef("pk")))


def find_gone(run: SyncRun) -> QuerySet[SyncItem]:
    """Return the items that the source no longer names and whose documents people can still read, by name."""
    return _find_missing(run).filter(is_stored=True).order_by("name", "key")


def count_gone(run: SyncRun) -> int:
    """Count what `find_gone` returns."""
    return find_gone(run).count()


def would_withdraw_too_much(run: SyncRun) -> bool:
    """Return True if the share of missing documents is above the source's limit, so that a run must ask first."""
    gone = count_gone(run)
    return gone > 0 and 100 * gone > run.source.most_withdrawn_percent * (run.known or 0)


def withdraw_gone(run: SyncRun) -> None:
    """Take what the source no longer names away from everybody."""
    _find_missing(run).filter(~_HAS_DOCUMENTS).delete()
    while some := list(_find_missing(run).order_by("key")[:_AT_ONCE]):
        with transaction.atomic():
            documents = list(Document.objects.filter(sync_item__in=some).values_list("pk", "sync_item"))
            withdraw([pk for pk, _ in documents])
            first = {item: pk for pk, item in documents}
            SyncChange.objects.bulk_create(
                SyncChange(run=run, outcome=SyncChange.Outcome.GONE, name=item.name, document_id=first.get(item.pk))
                for item in some
            )
            SyncItem.objects.filter(pk__in=[item.pk for item in some]).update(
                is_gone=True, is_pending=False, error="", attempts=0, next_try_at=None
            )


def withdraw_parts(document_ids: Collection[UUID]) -> None:
    """Withdraw documents that the file of several which they came from no longer has.

    Their readers are unknown from then on, so grants that came with their text are not put aside: if a document
    returns, it is granted as a new one is. Grants made by hand come back with it.
    """
    with transaction.atomic():
        withdraw(document_ids)
        WithdrawnGrant.objects.filter(document__in=document_ids, by_ingestion=True).delete()
        Document.objects.filter(pk__in=document_ids).update(sync_item=None)


def withdraw_all(source: DataSource, *, are_gone: bool) -> int:
    """Take everything that came from a source away from everybody. Returns how many documents that were.

    are_gone: as of `core.access.withdrawal.withdraw`.
    """
    readable = source.documents.filter(withdrawn_at=None).order_by("pk").values_list("pk", flat=True)
    taken = 0
    while some := list(readable[:_AT_ONCE]):
        taken += len(withdraw(some, are_gone=are_gone))
    return taken


def end(source: DataSource) -> int:
    """Withdraw everything as if it were gone at the source, and ask that no more. Returns how many documents."""
    source.is_enabled, source.next_run_at = False, None
    source.save(update_fields=["is_enabled", "next_run_at"])
    source.items.update(is_gone=True, is_pending=False, next_try_at=None)
    return withdraw_all(source, are_gone=True)


def are_believed(source: DataSource) -> bool:
    """Tell whether what a source said of its readers when it was listed last still counts."""
    if not source.takes_readers or source.listed_at is None:
        return True
    return source.listed_at >= timezone.now() - dt.timedelta(hours=source.readers_hours)


def withdraw_unanswered() -> None:
    """Withdraw documents of sources that list readers and could not be asked for longer than they are believed."""
    for source in DataSource.objects.filter(takes_readers=True, listed_at__isnull=False):
        if not are_believed(source):
            count = withdraw_all(source, are_gone=False)  # it may answer again, and have them all
            if count:
                logger.warning("source_unanswered", extra={"source": str(source.pk), "documents": count})


def find_erasure(document: Document) -> dt.datetime | None:
    """Return when a withdrawn document is erased, as `erase_gone` counts; None: never, unless it is gone at its source.

    What is withdrawn because its source could not be asked stays.
    """
    if document.withdrawn_at is None or document.data_source is None:
        return None
    if document.sync_item is not None and not document.sync_item.is_gone:
        return None
    return document.withdrawn_at + dt.timedelta(days=document.data_source.erase_days)


def erase_gone() -> int:
    """Erase the documents that have been gone for as long as their source says. Returns how many."""
    erased = 0
    for source in DataSource.objects.all():
        before = timezone.now() - dt.timedelta(days=source.erase_days)
        gone = Q(sync_item=None) | Q(sync_item__is_gone=True)
        for document in source.documents.filter(gone, withdrawn_at__lte=before).iterator(chunk_size=_AT_ONCE):
            with transaction.atomic():
                AuditEvent.objects.create(
                    action=AuditEvent.Action.DELETE,
                    object_type="document",
                    object_id=str(document.pk),
                    details={"data_source": str(source.pk)},
                )
                document.delete()
            erased += 1
        source.items.filter(~_HAS_DOCUMENTS, is_gone=True).delete()
    return erased


def _find_missing(run: SyncRun) -> QuerySet[SyncItem]:
    return run.source.items.filter(is_gone=False).exclude(seen_in=run)
