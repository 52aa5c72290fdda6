"""Ingestion as a background job: handed in by the admin or a program, worked off by the worker."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.access.audiences import may_decide_who_reads
from core.errors import IngestionError, ReadersDifferError
from core.infrastructure.queue import INGEST, enqueue
from core.infrastructure.tracing.spans import begin_trace
from core.library.ingestion import recognition
from core.library.ingestion.checked import Tried, find_tried, forget_tried, must_be_checked, request_check
from core.library.ingestion.errors import (
    job_too_large,
    make_too_large_error,
    make_too_many_error,
    make_unreadable_error,
)
from core.library.ingestion.naming import clean_uploaded_name
from core.library.ingestion.parsers.header import arxiv_id
from core.library.ingestion.pipeline import SourceOutcome, ingest
from core.library.ingestion.sandbox.process import Limits, Sandbox
from core.library.ingestion.sharing import Share, under_way
from core.library.ingestion.sources import LoadedFile, Source, fomc
from core.library.ingestion.sources.addresses import path_as_source
from core.library.ingestion.sources.arxiv import arxiv_source
from core.library.ingestion.sources.policy import Policy
from core.library.ingestion.sources.web import web_source
from core.library.ingestion.target import IngestTarget
from core.models import AuditEvent, Collection, IngestionFile, IngestionJob, Role, User
from core.values.sizes import MEGABYTE

logger = logging.getLogger(__name__)

_OCR_MEMORY_MB = 4096  # at least; a page takes a tenth of it
_MAX_ERROR = 500  # the column's length
DECLINED = "It was declined before it was live. Try it again to have it checked again."
_PAUSE_S = 1.0  # between two looks at whether the others are done


def create_job(
    *,
    files: Iterable[tuple[str, bytes]] = (),
    urls: Sequence[str] = (),
    collection: Collection,
    roles: Iterable[Role] = (),
    document_type: str = "",
    by: User | None = None,
) -> IngestionJob:
    """Hand in files (name and bytes) and addresses (or arXiv ids); the worker ingests them.

    Each file is stored before the next one is taken, so that only one has to be in memory. Names are kept as
    `clean_uploaded_name` has them; a repeated one gets a number. by: None for a program, which may decide who reads.
    ValueError when there is nothing to do, JobTooLargeError over INGEST_JOB_MAX_FILES or INGEST_JOB_MAX_MB.
    """
    started = time.time()
    with transaction.atomic():
        job = IngestionJob.objects.create(
            collection=collection,
            document_type=document_type,
            created_by=by,
            decides_readers=by is None or may_decide_who_reads(by),
        )
        given = list(roles)
        job.roles.set(given)
        names: set[str] = set()
        addresses = list(dict.fromkeys(url.strip() for url in urls))
        count = _store_files(job, files, names, most=settings.INGEST_JOB_MAX_FILES - len(addresses))
        if not count and not addresses:
            raise ValueError("a job needs a file or an address")
        IngestionFile.objects.bulk_create(IngestionFile(job=job, name=_distinct(url, names)) for url in addresses)
        readers = {"roles": sorted(str(role.pk) for role in given)} if given else {}
        _audit(job, AuditEvent.Action.HAND_IN, by, files=count, addresses=len(addresses), **readers)
        _submit(job, count + len(addresses))
    begin_trace(job.pk, "ingestion.job", started=started, ingestion_job=job.pk, documents=count + len(addresses))
    return job


def _store_files(job: IngestionJob, files: Iterable[tuple[str, bytes]], names: set[str], *, most: int) -> int:
    """Store the files of a job one by one. Returns how many there are."""
    count = size = 0
    if most < 0:
        raise make_too_many_error(settings.INGEST_JOB_MAX_FILES)
    for name, content in files:
        count, size = count + 1, size + len(content)
        if count > most:
            raise make_too_many_error(settings.INGEST_JOB_MAX_FILES)
        if size > settings.INGEST_JOB_MAX_MB * MEGABYTE:
            raise job_too_large(settings.INGEST_JOB_MAX_MB)
        IngestionFile.objects.create(job=job, name=_distinct(clean_uploaded_name(name), names), content=content)
    return count


def retry(job: IngestionJob, *, by: User | None = None) -> None:
    """Try the files again that failed. The others are left as they are."""
    with transaction.atomic():
        again = job.files.filter(state=IngestionFile.State.FAILED).update(
            state=IngestionFile.State.QUEUED, error="", error_documents=[], finished_at=None
        )
        if not again:
            return
        IngestionJob.objects.filter(pk=job.pk).update(state=IngestionJob.State.QUEUED, finished_at=None)
        _audit(job, AuditEvent.Action.RETRY, by, files=again)
        forget_tried(job)
        _submit(job, again)


def release_held(job: IngestionJob) -> bool:
    """Let a job that waits for its check go on. False where it does not wait."""
    with transaction.atomic():
        held = IngestionJob.objects.filter(pk=job.pk, state=IngestionJob.State.HELD)
        if not held.update(state=IngestionJob.State.QUEUED):
            return False
        _enqueue(job)
    return True


def decline_held(job: IngestionJob) -> None:
    """End a job that waits for its check without ingesting it. Its files fail and are kept, to be tried again."""
    with transaction.atomic():
        held = IngestionJob.objects.filter(pk=job.pk, state=IngestionJob.State.HELD)
        if held.update(state=IngestionJob.State.RUNNING):  # of which the end is found below
            job.files.filter(state=IngestionFile.State.QUEUED).update(
                state=IngestionFile.State.FAILED, error=DECLINED, finished_at=timezone.now()
            )
            _finish_job(job)


def run_job(job_id: UUID, *, claim: int = 0, policy: Policy | None = None, sandbox: Sandbox | None = None) -> None:
    """Ingest the files of a job that are not done, with the help of other workers. Safe to call again after a crash.

    It ends when no file is left, whoever did it, and says how the job ended.

    claim: the id of the queue's job by which this is run; 0 for a program that runs it itself.
    policy and sandbox: others than those of the settings.
    """
    job = _find_job(job_id)
    if job is None:
        logger.warning("ingestion job is gone", extra={"job": str(job_id)})
        return
    if job.state == IngestionJob.State.HELD:
        return
    IngestionJob.objects.filter(pk=job.pk, state=IngestionJob.State.QUEUED).update(
        state=IngestionJob.State.RUNNING, started_at=timezone.now(), finished_at=None
    )
    share = Share(job.pk, claim)
    share.take_back()
    with under_way(job.pk):
        _work_on(job, share, policy, sandbox)
        # What somebody wants tried again meanwhile may have to be checked first: then the run after this one does it.
        while share.is_left() and not _is_held(job):
            time.sleep(_PAUSE_S)
            _work_on(job, share, policy, sandbox)
    _finish_job(job)


def help_with(job_id: UUID, *, claim: int) -> None:
    """Ingest files of a job that another worker runs, until none is free.

    claim: the id of the queue's job by which this is done.
    """
    job = _find_job(job_id)
    with under_way(job_id) as already:
        if job is not None and not already:
            share = Share(job.pk, claim)
            share.take_back()
            _work_on(job, share, None, None)


def _find_job(job_id: UUID) -> IngestionJob | None:
    return IngestionJob.objects.select_related("collection", "created_by").filter(pk=job_id).first()


def _work_on(job: IngestionJob, share: Share, policy: Policy | None, sandbox: Sandbox | None) -> None:
    """Ingest what nobody else does of a job's files."""
    files = share.take()
    if not files:
        return
    with sandbox or sandbox_from_settings() as reader:
        ingest(
            _list_sources(files, share, policy, find_tried(job=job)),
            build_target(job),
            reader,
            lambda outcome: _report_outcome(share.files, outcome),
        )


def build_target(job: IngestionJob) -> IngestTarget:
    """Return where the documents of a job go, and who may read them there."""
    return IngestTarget(
        collection=job.collection,
        roles=tuple(job.roles.all()),
        by=job.created_by,
        decides_readers=job.decides_readers and (job.created_by is None or may_decide_who_reads(job.created_by)),
        document_type=job.document_type,
    )


def _is_held(job: IngestionJob) -> bool:
    return IngestionJob.objects.filter(pk=job.pk, state=IngestionJob.State.HELD).exists()


def sandbox_from_settings() -> Sandbox:
    """Return a sandbox with the limits of the settings, which also say whether it has to hold and recognises text."""
    required = settings.INGEST_FENCE == "required"
    limits = Limits(seconds=settings.INGEST_PARSE_SECONDS, memory_mb=settings.INGEST_PARSE_MEMORY_MB)
    scans = None
    if settings.INGEST_OCR_SECONDS and recognition.is_installed():
        larger = replace(limits, seconds=settings.INGEST_OCR_SECONDS, memory_mb=max(_OCR_MEMORY_MB, limits.memory_mb))
        scans = Sandbox(larger, required=required, recognises=True)
    return Sandbox(limits, required=required, scans=scans)


def _list_sources(
    files: list[IngestionFile], share: Share, policy: Policy | None, tried: Tried | None
) -> Iterator[Source]:
    """The sources of these files and of those that are claimed when they are used up: windows go on across claims."""
    while files:
        for file in files:
            share.call_for_help()
            try:
                yield replace(make_source(file, policy), expected=tried.find_expected(file.pk) if tried else None)
            except IngestionError as error:
                _record_end(file, errors=[error])
        files = share.take()


def _report_outcome(files: Mapping[str, IngestionFile], outcome: SourceOutcome) -> None:
    file = files[outcome.source.name]
    file.document_count = len(outcome.documents)
    file.chunk_count = outcome.chunks
    file.languages = dict(outcome.languages)
    file.replaced = [document.pk for document in outcome.replaced]
    _record_end(file, errors=outcome.errors)


def _record_end(file: IngestionFile, *, errors: Sequence[IngestionError]) -> None:
    """Store how a file ended. Its bytes go when they are not needed for another try."""
    message = " ".join(error.message for error in errors)
    file.state = IngestionFile.State.FAILED if errors else IngestionFile.State.DONE
    file.error = message if len(message) <= _MAX_ERROR else message[: _MAX_ERROR - 1] + "…"
    file.error_documents = [error.named for error in errors if isinstance(error, ReadersDifferError) and error.named]
    file.finished_at = timezone.now()
    counted = ["document_count", "chunk_count", "replaced", "languages"]
    fields = ["state", "error", "error_documents", "finished_at", *counted]
    if not errors:
        file.content = None
        fields.append("content")
    # It may be gone with its job, or another worker's: one that gives no sign of life is taken for dead.
    still = IngestionFile.objects.filter(pk=file.pk, state=IngestionFile.State.RUNNING, claimed_by=file.claimed_by)
    still.update(**{name: getattr(file, name) for name in fields}, claimed_by=None)


def make_source(file: IngestionFile, policy: Policy | None = None) -> Source:
    """Return the source that a file or an address of a job is. IngestionError where it cannot be read.

    policy: another one than that of the settings.
    """
    max_mb = settings.INGEST_MAX_MB
    if not IngestionFile.objects.filter(pk=file.pk, content__isnull=False).exists():
        if "://" not in file.name and not arxiv_id(file.name):
            raise make_unreadable_error(file.name, "its contents are no longer kept")
        return replace(source_of_address(file.name, max_mb=max_mb, policy=policy), name=file.name)
    hints = fomc.hints(file.name)
    return Source(
        name=file.name,
        key=path_as_source(file.name),
        is_upload=True,
        load=_make_loader(file.pk, file.name, max_mb),
        document_type=hints.document_type,
        document_date=hints.document_date,
    )


def source_of_address(text: str, *, max_mb: int, policy: Policy | None = None) -> Source:
    """Return the source that an arXiv id or an address means. UnsafeUrlError when it is neither."""
    paper = arxiv_source(text, max_mb=max_mb, policy=policy)
    return paper or web_source(text, max_mb=max_mb, policy=policy)


def _make_loader(file_id: UUID, name: str, max_mb: int) -> Callable[[], LoadedFile]:
    def load() -> LoadedFile:
        content = IngestionFile.objects.values_list("content", flat=True).get(pk=file_id)
        if content is None:
            raise make_unreadable_error(name, "its contents are no longer kept")
        if len(content) > max_mb * MEGABYTE:
            raise make_too_large_error(name, max_mb)
        return LoadedFile(content=bytes(content), name=name)

    return load


def _finish_job(job: IngestionJob) -> None:
    """Say how a job ended, unless somebody wants its failed files tried again: then the run after this one does."""
    states = set(job.files.values_list("state", flat=True))
    if states == {IngestionFile.State.DONE}:
        state = IngestionJob.State.DONE
    elif states == {IngestionFile.State.FAILED}:
        state = IngestionJob.State.FAILED
    else:
        state = IngestionJob.State.PARTLY_FAILED
    running = IngestionJob.objects.filter(pk=job.pk, state=IngestionJob.State.RUNNING)
    running.update(state=state, finished_at=timezone.now())


def _distinct(name: str, taken: set[str]) -> str:
    """Return a name that no other file of the job has."""
    candidate = name
    number = 2
    while candidate in taken:
        stem, dot, ending = name.rpartition(".")
        candidate = f"{stem} ({number}){dot}{ending}" if dot else f"{name} ({number})"
        number += 1
    taken.add(candidate)
    return candidate


def _submit(job: IngestionJob, count: int) -> None:
    """Queue a job, or let it wait for its check where so many files have to be checked first."""
    if not must_be_checked(count):
        _enqueue(job)
        return
    job.state = IngestionJob.State.HELD
    job.save(update_fields=["state"])
    request_check(job=job)


def _enqueue(job: IngestionJob) -> None:
    """One worker leads at a time: a retry waits for the run before it, and so does what follows an ingestion."""
    enqueue(INGEST, lock=f"ingestion:{job.pk}", job=str(job.pk))


def _audit(job: IngestionJob, action: AuditEvent.Action, by: User | None, **details: int | list[str]) -> None:
    AuditEvent.objects.create(
        actor=by, action=action, object_type="ingestion job", object_id=str(job.pk), details=details
    )
