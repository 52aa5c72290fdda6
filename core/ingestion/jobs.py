"""Ingestion as a background job: handed in by the admin or a program, worked off by the worker."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.errors import IngestionError
from core.ingestion.errors import too_large, unreadable
from core.ingestion.fence import Fence, Limits
from core.ingestion.naming import uploaded_name
from core.ingestion.pipeline import Outcome, ingest
from core.ingestion.sources import Loaded, Source, fomc
from core.ingestion.sources.arxiv import arxiv_source
from core.ingestion.sources.web import Policy, web_source
from core.ingestion.store import Shelf
from core.jobs import INGEST, enqueue
from core.models import AuditEvent, Collection, IngestionFile, IngestionJob, Role, User

logger = logging.getLogger(__name__)

_MAX_ERROR = 500  # the column's length


def create_job(
    *,
    files: Sequence[tuple[str, bytes]] = (),
    urls: Sequence[str] = (),
    collection: Collection,
    roles: Iterable[Role] = (),
    document_type: str = "",
    by: User | None = None,
) -> IngestionJob:
    """Hand in files (name and bytes) and addresses (or arXiv ids); the worker ingests them.

    Names are kept as `uploaded_name` has them; one that comes twice is told apart by a number. ValueError when there is
    nothing to do.
    """
    if not files and not urls:
        raise ValueError("a job needs a file or an address")
    with transaction.atomic():
        job = IngestionJob.objects.create(collection=collection, document_type=document_type, created_by=by)
        job.roles.set(roles)
        names: set[str] = set()
        rows = [(_distinct(uploaded_name(name), names), content) for name, content in files]
        addresses = [(_distinct(url.strip(), names), None) for url in dict.fromkeys(urls)]
        IngestionFile.objects.bulk_create(
            IngestionFile(job=job, name=name, content=content) for name, content in [*rows, *addresses]
        )
        _audit(job, "hand in", by, files=len(rows), addresses=len(addresses))
        _enqueue(job)
    return job


def retry(job: IngestionJob, *, by: User | None = None) -> None:
    """Try the files again that failed. The others are left as they are."""
    with transaction.atomic():
        again = job.files.filter(state=IngestionFile.State.FAILED).update(
            state=IngestionFile.State.QUEUED, error="", finished_at=None
        )
        if not again:
            return
        IngestionJob.objects.filter(pk=job.pk).update(state=IngestionJob.State.QUEUED, finished_at=None)
        _audit(job, "retry", by, files=again)
        _enqueue(job)


def run_job(job_id: UUID, *, policy: Policy | None = None, fence: Fence | None = None) -> None:
    """Ingest the files of a job that are not done. Safe to call again after a crash, at any point.

    policy and fence: others than those of the settings.
    """
    job = IngestionJob.objects.select_related("collection", "created_by").filter(pk=job_id).first()
    if job is None:
        logger.warning("ingestion job is gone", extra={"job": str(job_id)})
        return
    unfinished = (IngestionFile.State.QUEUED, IngestionFile.State.RUNNING)
    IngestionJob.objects.filter(pk=job.pk).update(state=IngestionJob.State.RUNNING, started_at=timezone.now())
    shelf = Shelf(
        collection=job.collection,
        roles=tuple(job.roles.all()),
        by=job.created_by,
        document_type=job.document_type,
    )
    files = {file.name: file for file in job.files.filter(state__in=unfinished).order_by("name").defer("content")}
    with fence or configured_fence() as reader:
        ingest(_sources(files.values(), policy), shelf, reader, lambda outcome: _report(files, outcome))
    _finish(job)


def configured_fence() -> Fence:
    """A fence with the limits of the settings, which also say whether it has to hold."""
    limits = Limits(seconds=settings.INGEST_PARSE_SECONDS, memory_mb=settings.INGEST_PARSE_MEMORY_MB)
    return Fence(limits, required=settings.INGEST_FENCE == "required")


def _sources(files: Iterable[IngestionFile], policy: Policy | None) -> Iterator[Source]:
    """The sources of the files, each marked as running when its turn comes."""
    for file in files:
        IngestionFile.objects.filter(pk=file.pk).update(state=IngestionFile.State.RUNNING, attempts=F("attempts") + 1)
        try:
            yield _source(file, policy)
        except IngestionError as error:
            _record(file, documents=0, chunks=0, errors=[error])


def _report(files: Mapping[str, IngestionFile], outcome: Outcome) -> None:
    file = files[outcome.source.name]
    _record(file, documents=outcome.documents, chunks=outcome.chunks, errors=outcome.errors)


def _record(file: IngestionFile, *, documents: int, chunks: int, errors: Sequence[IngestionError]) -> None:
    """Store how a file ended. Its bytes go when they are not needed for another try."""
    message = " ".join(error.message for error in errors)
    file.state = IngestionFile.State.FAILED if errors else IngestionFile.State.DONE
    file.error = message if len(message) <= _MAX_ERROR else message[: _MAX_ERROR - 1] + "…"
    file.document_count = documents
    file.chunk_count = chunks
    file.finished_at = timezone.now()
    fields = ["state", "error", "document_count", "chunk_count", "finished_at"]
    if not errors:
        file.content = None
        fields.append("content")
    file.save(update_fields=fields)


def _source(file: IngestionFile, policy: Policy | None) -> Source:
    max_mb = settings.INGEST_MAX_MB
    if not IngestionFile.objects.filter(pk=file.pk, content__isnull=False).exists():
        return replace(source_of_address(file.name, max_mb=max_mb, policy=policy), name=file.name)
    hints = fomc.hints(file.name)
    return Source(
        name=file.name,
        key=file.name,
        load=_loader(file.pk, file.name, max_mb),
        document_type=hints.document_type,
        document_date=hints.document_date,
    )


def source_of_address(text: str, *, max_mb: int, policy: Policy | None = None) -> Source:
    """The source that an arXiv id or an address means. UnsafeUrlError when it is neither."""
    paper = arxiv_source(text, max_mb=max_mb, policy=policy)
    return paper or web_source(text, max_mb=max_mb, policy=policy)


def _loader(file_id: UUID, name: str, max_mb: int) -> Callable[[], Loaded]:
    def load() -> Loaded:
        content = IngestionFile.objects.values_list("content", flat=True).get(pk=file_id)
        if content is None:
            raise unreadable(name, "its bytes are no longer kept")
        if len(content) > max_mb * 1024 * 1024:
            raise too_large(name, max_mb)
        return Loaded(content=bytes(content), name=name)

    return load


def _finish(job: IngestionJob) -> None:
    states = set(job.files.values_list("state", flat=True))
    if states == {IngestionFile.State.DONE}:
        state = IngestionJob.State.DONE
    elif states == {IngestionFile.State.FAILED}:
        state = IngestionJob.State.FAILED
    else:
        state = IngestionJob.State.PARTLY_FAILED
    IngestionJob.objects.filter(pk=job.pk).update(state=state, finished_at=timezone.now())


def _distinct(name: str, taken: set[str]) -> str:
    """A name that no other file of the job has."""
    candidate = name
    number = 2
    while candidate in taken:
        stem, dot, ending = name.rpartition(".")
        candidate = f"{stem} ({number}){dot}{ending}" if dot else f"{name} ({number})"
        number += 1
    taken.add(candidate)
    return candidate


def _enqueue(job: IngestionJob) -> None:
    """One worker at a time per job: a retry waits for the run before it."""
    enqueue(INGEST, lock=f"ingestion:{job.pk}", job=str(job.pk))


def _audit(job: IngestionJob, action: str, by: User | None, **counts: int) -> None:
    AuditEvent.objects.create(
        actor=by, action=action, object_type="ingestion job", object_id=str(job.pk), details=counts
    )
