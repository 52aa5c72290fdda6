"""Try what a run of a data source brings, and let it go on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from uuid import UUID

from core.access.audiences import may_decide_who_reads
from core.errors import GoneError
from core.library.ingestion.pipeline import PreparedSource
from core.library.ingestion.sources import LoadedFile, Source
from core.library.ingestion.store import DocumentDraft
from core.library.ingestion.target import IngestTarget
from core.library.sync.connecting import connect
from core.library.sync.connector import Connector
from core.library.sync.ingesting import build_source, build_target
from core.library.sync.listing import as_listed
from core.library.sync.readers import open_written
from core.library.sync.removals import withdraw_parts
from core.library.sync.runs import decline_checked, release_checked
from core.llm.stopping import check_stopped
from core.models import ChangeCheck, Document, SyncChange, SyncItem, SyncRun, User
from core.quality.change_checks.kinds.change import ChangeNotPossibleError
from core.quality.change_checks.kinds.editions import Editions


class RunEditions(Editions):
    """The documents that a run of a data source has marked to be loaded.

    What is gone at the source, and readers that it takes away, are no part of it: that is done at once.
    """

    def __init__(self, check: ChangeCheck) -> None:
        """check: names the run."""
        super().__init__(check)
        if check.run is None:
            raise ChangeNotPossibleError("The run of this source has been deleted.")
        self._run: SyncRun = check.run

    def prepare(self) -> None:
        """Load what the run has marked, as it is at the source now."""
        if not SyncRun.objects.filter(pk=self._run.pk, state=SyncRun.State.CHECKING).exists():
            raise ChangeNotPossibleError("This run does not wait any more.")
        super().prepare()

    def list_sources(self) -> Iterator[tuple[UUID, Source]]:
        """Yield the items that are marked."""
        connector = connect(self._run.source, check=check_stopped)
        for item in self._run.source.items.filter(is_pending=True).order_by("key").iterator():
            yield item.pk, build_source(item, _make_loader(connector, item))

    def find_target(self) -> IngestTarget:
        """Return where the source's documents go."""
        return build_target(self._run.source)

    def open_to_readers(self, written: Sequence[tuple[PreparedSource, Sequence[DocumentDraft]]]) -> None:
        """Give the documents to those that the source or its settings name, and withdraw what a file has lost."""
        new: dict[UUID, list[Document]] = {}
        kept: set[UUID] = set()
        for prepared, drafts in written:
            documents = [drafted.document for drafted in drafts if drafted.document is not None]
            kept |= {document.pk for document in documents}
            item = prepared.source.item_id
            if item is not None and prepared.digest and not prepared.errors and len(documents) == len(drafts):
                new[item] = [one.document for one in drafts if one.is_new and one.document is not None]
        lost = Document.objects.filter(sync_item__in=new).exclude(pk__in=kept)
        withdraw_parts(list(lost.values_list("pk", flat=True)))
        open_written(self._run.source, new)

    def count_waiting(self) -> int:
        """Return how many items are marked."""
        return self._run.source.items.filter(is_pending=True).count()

    def measure_effect(self) -> Mapping[str, int]:
        """Count also what is gone at the source, which nobody reads any more already."""
        gone = self._run.changes.filter(outcome=SyncChange.Outcome.GONE).count()
        return {**super().measure_effect(), "gone": gone}

    def make(self, *, by: User | None) -> None:
        """Let the run go on. by: anybody, for the source or who asked it brings the documents."""
        if not release_checked(self._run):
            raise ChangeNotPossibleError("This run does not wait any more.")

    def drop(self) -> None:
        """Stop the run; the next one lists, and is checked, anew."""
        decline_checked(self._run)

    def may_be_made_by(self, person: User) -> bool:
        """Return True for whoever may run sources."""
        return person.is_active and person.has_perm("core.change_datasource") and may_decide_who_reads(person)


def _make_loader(connector: Connector, item: SyncItem) -> Callable[[], LoadedFile]:
    return partial(_load, connector, item)


def _load(connector: Connector, item: SyncItem) -> LoadedFile:
    loaded = connector.load(as_listed(item), "")
    if loaded is None:
        raise GoneError
    return loaded.file
