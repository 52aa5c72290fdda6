"""Try the files and addresses of an upload, and let it go on."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from core.errors import IngestionError
from core.library.ingestion.jobs import build_target, decline_held, make_source, release_held
from core.library.ingestion.pipeline import PreparedSource
from core.library.ingestion.sources import Source
from core.library.ingestion.store import DocumentDraft
from core.library.ingestion.target import IngestTarget
from core.models import ChangeCheck, IngestionFile, IngestionJob, User
from core.quality.change_checks.kinds.change import ChangeNotPossibleError
from core.quality.change_checks.kinds.editions import Editions

UPLOAD = "core.add_ingestionjob"


class UploadEditions(Editions):
    """The documents of an upload."""

    def __init__(self, check: ChangeCheck) -> None:
        """check: names the upload."""
        super().__init__(check)
        if check.job is None:
            raise ChangeNotPossibleError("This upload has been deleted.")
        self._job: IngestionJob = check.job

    def prepare(self) -> None:
        """Read the files that were handed in."""
        if not IngestionJob.objects.filter(pk=self._job.pk, state=IngestionJob.State.HELD).exists():
            raise ChangeNotPossibleError("This upload does not wait any more.")
        super().prepare()

    def list_sources(self) -> Iterator[tuple[UUID, Source]]:
        """Yield the files and addresses that are not ingested yet."""
        for file in self._job.files.filter(state=IngestionFile.State.QUEUED).defer("content").order_by("name"):
            try:
                source = make_source(file)
            except IngestionError:
                continue  # it fails when it is ingested, and says why
            yield file.pk, source

    def find_target(self) -> IngestTarget:
        """Return where the documents go, and who may read them there."""
        return build_target(self._job)

    def open_to_readers(self, written: Sequence[tuple[PreparedSource, Sequence[DocumentDraft]]]) -> None:
        """Do nothing: an upload names its readers as it is written."""
        return

    def count_waiting(self) -> int:
        """Return how many files wait."""
        return self._job.files.filter(state=IngestionFile.State.QUEUED).count()

    def make(self, *, by: User | None) -> None:
        """Let the upload be ingested, as whoever handed it in."""
        if not release_held(self._job):
            raise ChangeNotPossibleError("This upload does not wait any more.")

    def drop(self) -> None:
        """End the upload without ingesting it. Its files are kept, to be tried again."""
        decline_held(self._job)

    def may_be_made_by(self, person: User) -> bool:
        """Return True for whoever may upload."""
        return person.is_active and person.has_perm(UPLOAD)
