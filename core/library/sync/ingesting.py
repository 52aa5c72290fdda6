"""The second step of a run: what was marked is loaded and ingested, item by item, and can be broken off at any.

Where readers come from the source, it is asked for them once more after an item was loaded: the words count only if the
item is still the one that was loaded, and they are for its readers of then. What was restricted and rewritten meanwhile
is loaded again, or waits. What is here as it was listed, and has new readers, is asked for in the same way and not
loaded.

A worker can be killed anywhere. So it is noted that the words of an item change before the first of them does, and who
reads them is granted and noted in one transaction.
"""

import datetime as dt
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.errors import ChangedMeanwhileError, FootnoteError, GoneError, IngestionError, NotTriedError
from core.library.ingestion.checked import find_tried
from core.library.ingestion.cleaning import one_line
from core.library.ingestion.jobs import sandbox_from_settings
from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.store import hash_of
from core.library.ingestion.target import IngestTarget
from core.library.sync.connector import Connector, Loaded, TellsReaders
from core.library.sync.listing import as_listed, describe_as_listed, forget_words, is_told_otherwise, store_groups
from core.library.sync.readers import apply_readers, give_back, grant_new
from core.library.sync.removals import are_believed, withdraw_parts
from core.models import DataSource, Document, SyncChange, SyncItem, SyncRun
from core.models.data_sources import LONGEST_MESSAGE

_AT_ONCE = 50  # items looked up together
_FIRST_DISTANCE = dt.timedelta(minutes=10)  # until something that failed is tried again; doubled each time
_LONGEST_DISTANCE = dt.timedelta(days=1)
_TRIES = 3  # to load what changes while it is loaded
_ESCAPED = re.compile(r"%((?:25)*23)")


def ingest_pending(run: SyncRun, connector: Connector, *, seconds: float) -> bool:
    """Load and ingest what is marked, for about as long. Returns whether something is left.

    SourceError when the source cannot be asked any more; what was loaded before is in the library.
    """
    pending = run.source.items.filter(is_pending=True)
    if not pending.exists():
        return False
    step = _Step(run, connector, until=time.monotonic() + seconds)
    with sandbox_from_settings() as sandbox:
        ingest(step.sources(), build_target(run.source), sandbox, step.report)
    return pending.exists()


def build_source_key(key: str) -> str:
    """Return the documents' key for an item's key: another one for every other key.

    It holds no #, which separates the documents of one file. A key that looks escaped already is escaped once more.
    """
    return _ESCAPED.sub(r"%25\1", key).replace("#", "%23")


def build_target(source: DataSource) -> IngestTarget:
    """Return where the documents of a data source go."""
    return IngestTarget(
        collection=source.collection,
        document_type=source.document_type,
        data_source=source,
        default_roles=not source.takes_readers,
    )


def build_source(item: SyncItem, load: Callable[[], LoadedFile]) -> Source:
    """Return what the pipeline reads of an item. load: gives its file, or raises an IngestionError."""
    listed = as_listed(item)
    return Source(
        name=listed.key,
        key=build_source_key(listed.key),
        item_id=item.pk,
        load=load,
        is_address=listed.key.startswith(("http://", "https://")),
        source_url=listed.source_url,
        arxiv_id=listed.arxiv_id,
        document_type=listed.document_type,
        document_date=listed.document_date,
    )


class _UnconfirmedError(IngestionError):
    """Who may read it could not be checked after it was loaded. It is loaded again after the next listing."""


@dataclass(slots=True)
class _Loading:
    """An item that is on its way into the library."""

    item: SyncItem
    validator: str
    before: set[UUID]  # the documents that came out of it earlier
    files: list[LoadedFile] = field(default_factory=list)

    def take(self) -> LoadedFile:
        """Return the file, once: what has been read need not stay in memory until its window is written."""
        return self.files.pop()


class _Step:
    """Some items of a run."""

    def __init__(self, run: SyncRun, connector: Connector, *, until: float) -> None:
        self._run = run
        self._source: DataSource = run.source
        self._connector = connector
        self._until = until
        self._loading: dict[str, _Loading] = {}
        self._tried = find_tried(run=run)

    def sources(self) -> Iterator[Source]:
        """Yield loaded items until the time is over. Items that need no ingestion are finished here."""
        after = ""
        while some := list(self._read_pending(after)):
            for item in some:
                if time.monotonic() > self._until:
                    return
                loading = self._load_item(item)
                if loading is not None:
                    self._loading[item.key] = loading
                    expected = self._tried.find_expected(item.pk) if self._tried else None
                    yield replace(build_source(item, loading.take), expected=expected)
            after = some[-1].key

    def report(self, outcome: SourceOutcome) -> None:
        """Record what became of an item, and give its words to their readers."""
        loading = self._loading.pop(outcome.source.name)
        item = loading.item
        # By the run rather than by what was there before this try: one that was broken off may have made some.
        is_new = Q(created_at__gte=self._run.created_at) | ~Q(pk__in=loading.before)
        new = Document.objects.filter(is_new, pk__in=outcome.documents)
        with transaction.atomic():
            if isinstance(first := next(iter(outcome.errors), None), NotTriedError):
                self._leave_to_next_listing(item, first)
            elif outcome.errors:
                self._note_failure(item, outcome.errors[0], is_stored=item.is_stored or bool(outcome.documents))
                self._open_part(item, outcome)
            else:
                withdraw_parts(loading.before - set(outcome.documents))
                self._report_outcome(loading, outcome, was_gone=item.is_gone)
                self._note_success(item, loading.validator)
            grant_new(self._source, item, new)
            self._count_languages(outcome)

    def _count_languages(self, outcome: SourceOutcome) -> None:
        """Add the languages of an item's documents to the run's, with the item: what is read again counts once."""
        if outcome.languages:
            runs = SyncRun.objects.filter(pk=self._run.pk)
            counted = runs.select_for_update(no_key=True).values_list("languages", flat=True).first()
            runs.update(languages=Counter(counted or {}) + outcome.languages)

    def _open_part(self, item: SyncItem, outcome: SourceOutcome) -> None:
        """Let the item's readers read what could be read of it, unless earlier words remain beside it.

        In that case all of it is only for those who may read both the earlier words and these.
        """
        rows = SyncItem.objects.filter(pk=item.pk)
        if outcome.documents:
            rows.update(is_gone=False)
            if not item.documents.exclude(pk__in=outcome.documents).exists():
                rows.filter(seen_in=item.seen_in_id).update(is_stale=False)
        item.refresh_from_db()
        if outcome.documents:
            self._let_read(item)

    def _read_pending(self, after: str) -> "Iterator[SyncItem]":
        rows = self._source.items.filter(is_pending=True, key__gt=after)
        return rows.order_by("key")[:_AT_ONCE].iterator()

    def _load_item(self, item: SyncItem) -> _Loading | None:
        """Load an item. None when it is unchanged, or cannot be loaded, which is recorded."""
        before = set(Document.objects.filter(sync_item=item).values_list("pk", flat=True))
        try:
            if before and self._is_here_as_listed(item):
                self._note_success(item, item.validator, tells=True)
                return None
            if self._run.scope == SyncRun.Scope.READERS:
                SyncItem.objects.filter(pk=item.pk).update(is_pending=False)
                return None  # a run for documents loads it, and nobody gains it until then
            loaded = self._load_for_its_readers(item, may_be_unchanged=bool(before))
        except _UnconfirmedError as error:
            self._leave_to_next_listing(item, error)
            return None
        except IngestionError as error:
            self._note_failure(item, error, is_stored=item.is_stored)
            return None
        if loaded is None:
            if item.is_gone:
                self._add_change(SyncChange.Outcome.RETURNED, item, document=next(iter(before), None))
            self._note_success(item, item.validator)
            return None
        forget_words(SyncItem.objects.filter(pk=item.pk))
        return _Loading(item=item, validator=loaded.validator, before=before, files=[loaded.file])

    def _is_here_as_listed(self, item: SyncItem) -> bool:
        """Ask the source for an item whose words are here, where new readers alone were listed. False: to be loaded."""
        if not (self._source.takes_readers and isinstance(self._connector, TellsReaders)):
            return False
        if item.is_gone or not item.is_stored or not self._is_known(item):
            return False
        self._look_again(item, self._connector)
        return self._is_known(item)

    @staticmethod
    def _is_known(item: SyncItem) -> bool:
        return bool(item.fingerprint) and item.fingerprint == item.listed_fingerprint

    def _load_for_its_readers(self, item: SyncItem, *, may_be_unchanged: bool) -> Loaded | None:
        """Load an item, and note for whom the very words are that were loaded. None when it is unchanged.

        ChangedMeanwhileError for what changes each time, _UnconfirmedError where the source cannot be asked.
        """
        for _ in range(_TRIES):
            try:
                loaded = self._connector.load(as_listed(item), item.validator if may_be_unchanged else "")
            except ChangedMeanwhileError:
                if not isinstance(self._connector, TellsReaders):
                    raise
                self._look_again(item, self._connector)
                continue
            if not self._source.takes_readers or self._is_confirmed(item, loaded):
                return loaded
        raise ChangedMeanwhileError

    def _is_confirmed(self, item: SyncItem, loaded: Loaded | None) -> bool:
        """Ask the source for an item again after it was loaded; False when it is another one now."""
        if not isinstance(self._connector, TellsReaders) or not item.listed_fingerprint:
            self._check_loaded_before(item, loaded)
            return True
        asked = item.name, item.listed, item.listed_fingerprint
        self._look_again(item, self._connector)
        return (item.name, item.listed, item.listed_fingerprint) == asked

    def _look_again(self, item: SyncItem, connector: TellsReaders) -> None:
        """Store an item as the source describes it now. A lost right is lost here. GoneError if the item is deleted."""
        now = connector.look_again(as_listed(item))
        if now is None:
            raise GoneError
        store_groups(self._source, [now])
        was = copy(item)
        describe_as_listed(item, now)
        item.is_stale = True
        if is_told_otherwise(item, was):
            item.fingerprint = item.validator = ""
        item.save(
            update_fields=["name", "listed", "listed_fingerprint", "groups", "is_stale", "fingerprint", "validator"]
        )
        apply_readers(self._source, [item], run=self._run, may_gain=False)

    def _check_loaded_before(self, item: SyncItem, loaded: Loaded | None) -> None:
        """Raise _UnconfirmedError unless the same was loaded before this listing, whose readers it then has.

        loaded: None where it is what is in the library, which was loaded before.
        """
        is_told = self._run.lists and are_believed(self._source)
        digest = "" if loaded is None else hash_of(loaded.file.content)
        is_same = item.loaded_hash == digest and item.loaded_at and item.loaded_at < self._run.created_at
        if is_told and (loaded is None or is_same):
            return
        item.loaded_hash, item.loaded_at = digest, timezone.now()
        item.save(update_fields=["loaded_hash", "loaded_at"])
        raise _UnconfirmedError

    def _note_success(self, item: SyncItem, validator: str, *, tells: bool = False) -> None:
        """Note that an item is in the library as it was listed, and give it to those who read it.

        tells: True if the report names it when it has other readers now.
        """
        with transaction.atomic():
            rows = SyncItem.objects.filter(pk=item.pk)
            rows.update(
                fingerprint=item.listed_fingerprint,
                validator=validator[:300],
                is_stored=True,
                is_gone=False,
                error="",
                attempts=0,
                next_try_at=None,
                loaded_hash="",
                loaded_at=None,
            )
            # A run that was stopped may end its slice while the next one lists: what that says of the item is kept.
            rows.filter(seen_in=item.seen_in_id).update(is_pending=False, is_stale=False)
            item.refresh_from_db()
            self._let_read(item, tells=tells)

    def _let_read(self, item: SyncItem, *, tells: bool = False) -> None:
        run = self._run if tells else None
        if item.documents.filter(withdrawn_at__isnull=False).exists():
            give_back(self._source, [item], run=run)
        else:
            apply_readers(self._source, [item], run=run)
        item.refresh_from_db()

    def _leave_to_next_listing(self, item: SyncItem, error: FootnoteError) -> None:
        """Leave an item to the next listing, which marks it again."""
        message = one_line(error.message, LONGEST_MESSAGE)
        SyncItem.objects.filter(pk=item.pk).update(is_pending=False, error=message, next_try_at=None)
        self._add_change(SyncChange.Outcome.WAITS, item, message=message)

    def _note_failure(self, item: SyncItem, error: FootnoteError, *, is_stored: bool) -> None:
        message = one_line(error.message, LONGEST_MESSAGE)
        distance = min(_FIRST_DISTANCE * 2 ** min(item.attempts, 10), _LONGEST_DISTANCE)
        SyncItem.objects.filter(pk=item.pk).update(
            is_pending=False,
            is_stored=is_stored,
            error=message,
            attempts=F("attempts") + 1,
            next_try_at=timezone.now() + distance,
        )
        self._add_change(SyncChange.Outcome.FAILED, item, message=message)

    def _report_outcome(self, loading: _Loading, outcome: SourceOutcome, *, was_gone: bool) -> None:
        """Put what became of an item into the report; what is as it was needs no line."""
        first = outcome.documents[0] if outcome.documents else None
        if outcome.left_out:
            self._add_change(SyncChange.Outcome.LEFT_OUT, loading.item, message=outcome.left_out)
        elif was_gone:
            self._add_change(SyncChange.Outcome.RETURNED, loading.item, document=first)
        elif not loading.before:
            self._add_change(SyncChange.Outcome.ADDED, loading.item, document=first)
        elif outcome.replaced or loading.before != set(outcome.documents):
            self._add_change(SyncChange.Outcome.CHANGED, loading.item, document=first)

    def _add_change(
        self, outcome: SyncChange.Outcome, item: SyncItem, *, document: UUID | None = None, message: str = ""
    ) -> None:
        SyncChange.objects.create(run=self._run, outcome=outcome, name=item.name, document_id=document, message=message)
