"""The first step of a run: what the data source names is stored, and what has to be loaded is marked."""

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import IncompleteListingError
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.sources import LeftOut
from core.library.ingestion.sources.addresses import HASHED
from core.library.sync.batches import in_batches
from core.library.sync.connector import Connector, Listed
from core.library.sync.endings import OverBoundsError, Watch
from core.library.sync.readers import apply_readers
from core.models import Collection, DataSource, SourceGroup, SyncChange, SyncItem, SyncRun
from core.models.data_sources import LONGEST_KEY, LONGEST_MESSAGE, MOST_NAMED

_AT_ONCE = 500
_LISTED_AGAIN = (
    "name",
    "listed",
    "listed_fingerprint",
    "groups",
    "seen_in",
    "is_pending",
    "is_stale",
)
_LONGEST_NAME = 300


def store_listing(run: SyncRun, connector: Connector, watch: Watch) -> None:
    """List the source, and mark what is new, changed, back again or due to be tried again.

    SourceError when the listing breaks off: then nothing is known of what it did not come to. One that is incomplete
    by its nature, or went over its bounds, is stored, and nothing counts as gone. StoppedError and WorkerStopsError
    when it is ended otherwise. Whatever ends it, what was named until then is stored, and who lost a right has lost it.
    """
    _begin_listing(run)
    for some in in_batches(_list_items(run, connector, watch), _AT_ONCE):
        with transaction.atomic():
            _store_items(run, some)
    if run.scope == SyncRun.Scope.ALL:
        _report_still_failing(run)
    run.listed = run.source.items.filter(seen_in=run).count()
    run.to_load = run.source.items.filter(seen_in=run, is_pending=True).count()
    run.listed_at = timezone.now()
    run.save(update_fields=["listed", "to_load", "listed_at", "error", "is_complete"])
    # Of what was not named nobody knows whether its readers still are those that are believed: their time runs on.
    if run.is_complete or not run.source.takes_readers or run.source.listed_at is None:
        run.source.listed_at = run.listed_at
        run.source.save(update_fields=["listed_at"])


def mark_failed(run: SyncRun) -> None:
    """In place of a listing: what failed before and is due is loaded again."""
    due = run.source.items.filter(next_try_at__lte=timezone.now(), is_gone=False)
    with transaction.atomic():
        run.changes.all().delete()  # of a worker that was killed behind this
        run.to_load = due.update(is_pending=True)
        _report_still_failing(run)
        run.save(update_fields=["to_load"])


def find_failing(source: DataSource) -> QuerySet[SyncItem]:
    """Return what failed and has not gone well since. It is tried again, and meanwhile not in step with the source."""
    return source.items.filter(is_gone=False, next_try_at__isnull=False)


def _report_still_failing(run: SyncRun) -> None:
    """Name what failed in an earlier run and is not due to be tried again: a run that passes it over is not done.

    What a complete listing does not name is gone.
    """
    failing = find_failing(run.source).filter(is_pending=False)
    if run.lists and run.is_complete:
        failing = failing.filter(seen_in=run)
    for some in in_batches(failing.order_by("key").iterator(chunk_size=_AT_ONCE), _AT_ONCE):
        SyncChange.objects.bulk_create(
            SyncChange(
                run=run,
                outcome=SyncChange.Outcome.FAILED,
                name=item.name,
                message=one_line(f"Failed before, and not tried again yet: {item.error}", LONGEST_MESSAGE),
            )
            for item in some
        )


def _begin_listing(run: SyncRun) -> None:
    """Begin a listing, also again after its worker was killed, so that nothing is reported twice."""
    run.changes.all().delete()
    run.is_complete, run.error = True, ""
    run.source.items.filter(is_pending=True).update(is_pending=False)
    run.source.items.filter(seen_in=run).update(seen_in=None)
    if run.known is None:
        run.known = run.source.items.filter(is_stored=True, is_gone=False).count()
    run.save(update_fields=["known", "is_complete", "error"])


def _list_items(run: SyncRun, connector: Connector, watch: Watch) -> Iterator[Listed | LeftOut]:
    """Yield the items that the source names, and record in the run whether the listing is complete."""
    try:
        yield from watch.over(connector.list())
    except (IncompleteListingError, OverBoundsError) as error:
        run.is_complete, run.error = False, one_line(error.message, LONGEST_MESSAGE)


def _store_items(run: SyncRun, some: Sequence[Listed | LeftOut]) -> None:
    left_out = [one for one in some if isinstance(one, LeftOut)]
    listed: dict[str, Listed] = {}
    is_about_readers = run.scope == SyncRun.Scope.READERS
    for one in some:
        if isinstance(one, LeftOut):
            continue
        if reason := _why_not(one.key):
            left_out.append(LeftOut(name=one.name, reason=reason))
        else:
            listed[one.key] = one
    known = {item.key: item for item in run.source.items.filter(key__in=listed)}
    if is_about_readers:
        listed, left_out = {key: one for key, one in listed.items() if key in known}, []
    store_groups(run.source, listed.values())
    items = [
        _compare_readers(run, one, known[one.key]) if is_about_readers else _build_item(run, one, known.get(one.key))
        for one in listed.values()
    ]
    SyncItem.objects.bulk_create(
        items,
        update_conflicts=True,
        unique_fields=["source", "key"],
        update_fields=_LISTED_AGAIN,
    )
    renamed = [item.key for item in items if item.key in known and is_told_otherwise(item, known[item.key])]
    forget_words(run.source.items.filter(key__in=renamed))
    # Whoever lost a right loses it before anything else, whatever becomes of the run.
    apply_readers(run.source, run.source.items.filter(key__in=listed, is_stored=True), run=run, may_gain=False)
    SyncChange.objects.bulk_create(
        SyncChange(
            run=run,
            outcome=SyncChange.Outcome.LEFT_OUT,
            name=one_line(one.name, MOST_NAMED),
            message=one_line(one.reason, LONGEST_MESSAGE),
        )
        for one in left_out
    )


def _why_not(key: str) -> str:
    """Explain why an item with this key cannot be taken; "" when it can."""
    if len(key) > LONGEST_KEY:
        return f"its address at the source is longer than {LONGEST_KEY} characters"
    return "its name holds a control character" if not key.isprintable() else ""


def _build_item(run: SyncRun, one: Listed, known: SyncItem | None) -> SyncItem:
    item = SyncItem(source=run.source, key=one.key, seen_in=run)
    describe_as_listed(item, one)
    if known is None:
        item.is_pending = item.is_stale = True
        return item
    if not run.source.takes_readers:
        item.is_pending = _has_to_be_loaded(known, item)
        item.is_stale = item.is_pending or (known.is_stale and known.fingerprint != item.listed_fingerprint)
        return item
    # A source may give content and readers at two moments: new readers are confirmed before they read what is here.
    has_new_readers = not set(item.groups or ()) <= set(known.groups or ())
    is_uncertain = known.is_stale or has_new_readers or not item.listed_fingerprint or is_told_otherwise(item, known)
    item.is_pending = _has_to_be_loaded(known, item) or (is_uncertain and not _waits_for_retry(known, item))
    item.is_stale = item.is_pending or is_uncertain
    return item


def _compare_readers(run: SyncRun, one: Listed, known: SyncItem) -> SyncItem:
    """Build an item that is as it was listed for its documents, but for its readers of now.

    Those that it gained are confirmed where its words are those at the source; else a run for documents loads these.
    """
    item, now = SyncItem(source=run.source, key=one.key, seen_in=run), SyncItem(source=run.source, key=one.key)
    describe_as_listed(now, one)
    item.name, item.listed, item.listed_fingerprint = known.name, known.listed, known.listed_fingerprint
    item.groups = now.groups
    is_the_same = bool(known.fingerprint) and known.fingerprint == known.listed_fingerprint == now.listed_fingerprint
    is_here = is_the_same and known.is_stored and not known.is_gone and not is_told_otherwise(now, known)
    has_new_readers = not set(item.groups or ()) <= set(known.groups or ())
    item.is_stale = known.is_stale or has_new_readers or not is_here
    item.is_pending = item.is_stale and is_here and not _waits_for_retry(known, item)
    return item


def is_told_otherwise(item: SyncItem, known: SyncItem) -> bool:
    """Return True if an item with listed readers has another name, address or date than before: shown words."""
    return item.source.takes_readers and (item.name, item.listed) != (known.name, known.listed)


def forget_words(items: QuerySet[SyncItem]) -> None:
    """Note that the words that are in the library are not, or soon not, those that items were listed with.

    Nothing that the source says brings them new readers from then on: what it has is loaded first.
    """
    items.update(fingerprint="", validator="", is_stale=True)


def load_again(collection: Collection) -> None:
    """Let the next run of the collection's data sources load all that they hold, as if it had changed there."""
    SyncItem.objects.filter(source__collection=collection).update(fingerprint="", validator="")


def describe_as_listed(item: SyncItem, one: Listed) -> None:
    """Set an item's details, readers and fingerprint as the source describes them. The row is not saved."""
    item.name = one_line(one.name, MOST_NAMED) or one.key[:MOST_NAMED]
    item.listed = {
        "source_url": one.source_url,
        "document_type": one.document_type,
        "document_date": one.document_date.isoformat() if one.document_date else "",
        "arxiv_id": one.arxiv_id,
    }
    item.listed_fingerprint = _fit_into_column(one.fingerprint)
    item.groups = None if one.groups is None else sorted({_fit_into_column(name) for name in one.groups})


def store_groups(source: DataSource, listed: Iterable[Listed]) -> None:
    """Store the listed groups that are not known yet; they are mapped to no role."""
    names = {_fit_into_column(name) for one in listed for name in one.groups or ()}
    known = set(source.groups.filter(name__in=names).values_list("name", flat=True))
    SourceGroup.objects.bulk_create(
        (SourceGroup(source=source, name=name) for name in sorted(names - known)), ignore_conflicts=True
    )


def _has_to_be_loaded(known: SyncItem, item: SyncItem) -> bool:
    fingerprint = item.listed_fingerprint
    if known.next_try_at is not None and known.listed_fingerprint == fingerprint:
        return not _waits_for_retry(known, item)
    return known.is_gone or not known.is_stored or not fingerprint or known.fingerprint != fingerprint


def _waits_for_retry(known: SyncItem, item: SyncItem) -> bool:
    """Tell whether the same was tried in vain, and it is not the time to try it again."""
    is_same = known.listed_fingerprint == item.listed_fingerprint
    return is_same and known.next_try_at is not None and known.next_try_at > timezone.now()


def as_listed(item: SyncItem) -> Listed:
    """Return an item as it was listed."""
    day = item.listed.get("document_date")
    return Listed(
        key=item.key,
        name=item.name,
        fingerprint=item.listed_fingerprint,
        groups=None if item.groups is None else tuple(item.groups),
        source_url=item.listed.get("source_url", ""),
        document_type=item.listed.get("document_type", ""),
        document_date=dt.date.fromisoformat(day) if day else None,
        arxiv_id=item.listed.get("arxiv_id", ""),
    )


def _fit_into_column(told: str) -> str:
    """Return a fingerprint or the name of a group as it fits into its column: two that differ stay so.

    What does not fit is known by its hash, and so is whatever looks like such a hash.
    """
    fits = len(told) <= _LONGEST_NAME and told.isprintable() and not told.startswith(HASHED)
    return told if fits else HASHED + hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()
