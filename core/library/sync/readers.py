"""Grant a source's documents to readers: the roles chosen for it, or those mapped to the source's own groups.

Only the difference to what was applied last is granted or taken away, so that what somebody decided about a document
by hand stays as they decided it. A role that lost its right loses it at once. One that gained a right gains the words
that are in the library only once they are those for which the source says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from core.access.grants import grant, revoke_ingested
from core.access.withdrawal import restore
from core.library.sync.batches import in_batches
from core.models import DataSource, Document, Role, SyncChange, SyncItem, SyncRun

_AT_ONCE = 500  # items


class Readers:
    """The roles for which the items of a data source are."""

    def __init__(self, source: DataSource) -> None:
        self._takes = source.takes_readers
        self._chosen = {role.pk for role in source.roles.all()}
        self._mapped: dict[str, UUID] = {
            group.name: group.role_id for group in source.groups.all() if group.role_id is not None
        }

    def of(self, item: SyncItem) -> set[UUID]:
        """Return the roles for which an item is. If readers come from the source and it lists none, there are none."""
        if not self._takes:
            return self._chosen
        return {self._mapped[name] for name in item.groups or () if name in self._mapped}

    def of_its_text(self, item: SyncItem, *, may_gain: bool = True) -> set[UUID]:
        """Return the roles that read an item's words as they are in the library: of another text's, nobody gains any.

        may_gain: False to find those alone that keep what they have.
        """
        roles = self.of(item)
        if may_gain and not (self._takes and item.is_stale):
            return roles
        return roles & set(item.applied_roles)


def count_groups(source: DataSource) -> tuple[int, int]:
    """Count the groups that a source with readers of its own named, and those of them that stand for no role here."""
    if not source.takes_readers:
        return 0, 0
    found = source.groups.aggregate(named=Count("pk"), unmapped=Count("pk", filter=Q(role=None)))
    return found["named"], found["unmapped"]


def apply_readers(
    source: DataSource, items: Iterable[SyncItem], *, run: SyncRun | None = None, may_gain: bool = True
) -> None:
    """Grant and take away what changed in the readers of items since it was applied last.

    What is withdrawn only loses readers: they are taken from the grants that are put aside.
    run: whose report names the items that have other readers now. may_gain: False to take away alone.
    """
    readers = Readers(source)
    for some in in_batches(items, _AT_ONCE):
        seeming = [item.pk for item in some if set(item.applied_roles) != readers.of_its_text(item, may_gain=may_gain)]
        if not seeming:
            continue
        with transaction.atomic():  # as they are now: a listing may have named other readers meanwhile
            locked = SyncItem.objects.select_for_update().filter(pk__in=seeming).order_by("pk")
            _apply_readers([(item, readers.of_its_text(item, may_gain=may_gain)) for item in locked], run)


def apply_to_all(source: DataSource, *, run: SyncRun | None = None) -> None:
    """As `apply_readers`, for everything there: its listing, the mapping or the chosen roles may have changed.

    What is gone there loses readers as well, or they would come back with it.
    """
    apply_readers(source, source.items.filter(is_stored=True).iterator(chunk_size=_AT_ONCE), run=run)


def give_back(source: DataSource, items: Sequence[SyncItem], *, run: SyncRun | None = None) -> None:
    """Let withdrawn items be read again, by those that they are for now: old words by those alone that read them.

    Who was to read them and has no grant put aside lost it by hand, and gets none.
    """
    readers = Readers(source)
    defaults = _receive_by_default(source)
    by_roles: defaultdict[frozenset[UUID], list[UUID]] = defaultdict(list)
    with transaction.atomic():
        locked = list(SyncItem.objects.select_for_update().filter(pk__in=[one.pk for one in items]).order_by("pk"))
        for item in locked:
            by_roles[frozenset(readers.of_its_text(item))].append(item.pk)
        for roles, of_these in by_roles.items():
            documents = Document.objects.filter(sync_item__in=of_these, withdrawn_at__isnull=False)
            own = Role.objects.filter(pk__in=roles)
            restore(list(documents.values_list("pk", flat=True)), roles=[*defaults.union(own)])
        apply_readers(source, locked, run=run)


def give_back_answered(source: DataSource, *, run: SyncRun) -> None:
    """Let everything be read again that was withdrawn only because the source could not be asked."""
    again = source.items.filter(is_gone=False, seen_in=run, documents__withdrawn_at__isnull=False).distinct()
    for some in in_batches(again.iterator(chunk_size=_AT_ONCE), _AT_ONCE):
        give_back(source, some, run=run)


def grant_new(source: DataSource, item: SyncItem, new: Iterable[Document]) -> None:
    """Grant the item's readers the documents that came out of it now, or returned to it."""
    documents = list(new)
    own = Role.objects.filter(pk__in=Readers(source).of_its_text(item))
    for role in _receive_by_default(source).union(own):
        grant(role, documents, by=None, by_ingestion=True)


def open_written(source: DataSource, written: Mapping[UUID, Sequence[Document]]) -> None:
    """Give items to their readers as they were listed, all at once, in a transaction that is rolled back.

    A run does it item by item, after it has asked the source for each once more. written: by the items' ids, the
    documents that came out of each and are new.
    """
    known = set(source.items.filter(pk__in=written, is_stored=True).values_list("pk", flat=True))
    SyncItem.objects.filter(pk__in=written).update(is_stored=True, is_stale=False, is_gone=False, is_pending=False)
    items = list(SyncItem.objects.filter(pk__in=written).order_by("pk"))
    new = [document for documents in written.values() for document in documents]
    for role in _receive_by_default(source):
        grant(role, new, by=None, by_ingestion=True)
    for item in items:
        if item.pk in known and written[item.pk]:
            grant_new(source, item, written[item.pk])
    shut = Document.objects.filter(sync_item__in=items, withdrawn_at__isnull=False)
    returning = set(shut.values_list("sync_item_id", flat=True))
    give_back(source, [item for item in items if item.pk in returning])
    apply_readers(source, [item for item in items if item.pk not in returning])


def _receive_by_default(source: DataSource) -> frozenset[Role]:
    """Return the roles that receive what comes into the source's collection."""
    return frozenset() if source.takes_readers else frozenset(source.collection.default_roles.all())


def _apply_readers(told: list[tuple[SyncItem, set[UUID]]], run: SyncRun | None) -> None:
    """Give items, which are locked, the readers that go with them."""
    documents: defaultdict[UUID, list[Document]] = defaultdict(list)
    for document in Document.objects.filter(sync_item__in=[item for item, _ in told]).select_related("sync_item"):
        if document.sync_item is not None:
            documents[document.sync_item.pk].append(document)
    gains: defaultdict[UUID, list[Document]] = defaultdict(list)
    losses: defaultdict[UUID, list[Document]] = defaultdict(list)
    changed: list[SyncItem] = []
    for item, roles in told:
        before = set(item.applied_roles)
        # What is withdrawn is granted to nobody: who gains it gains it with its return, and is noted then.
        is_shut = item.is_gone or any(document.withdrawn_at for document in documents[item.pk])
        wanted = roles & before if is_shut else roles
        if wanted == before:
            continue
        for gained in wanted - before:
            gains[gained] += documents[item.pk]
        for lost in before - wanted:
            losses[lost] += documents[item.pk]
        item.applied_roles = sorted(wanted)
        changed.append(item)
    for role in Role.objects.filter(pk__in=losses):
        revoke_ingested(role, losses[role.pk])
    for role in Role.objects.filter(pk__in=gains):
        grant(role, gains[role.pk], by=None, by_ingestion=True)
    SyncItem.objects.bulk_update(changed, ["applied_roles"])
    if run is not None:
        _report_readers(run, {item.name for item in changed if documents[item.pk]})


def _report_readers(run: SyncRun, names: set[str]) -> None:
    """Name items that have other readers now, each once."""
    outcome = SyncChange.Outcome.READERS
    told = run.changes.filter(outcome=outcome, name__in=names).values_list("name", flat=True)
    new = names.difference(told)
    SyncChange.objects.bulk_create(SyncChange(run=run, outcome=outcome, name=name) for name in sorted(new))
