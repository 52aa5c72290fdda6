"""Do the worker's steps of an upload: the offer, the ingestion, the report. Each step can be repeated at any point."""

import logging
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks import uploads as blocks
from bot.blocks.message import Message, notice
from bot.blocks.uploads import SharedFile
from bot.channels.settings import SWITCHED_OFF, find_language, is_switched_off
from bot.models import Upload
from bot.slack.workspace import find_client
from bot.uploads.choosing import find_ingester, look_later, put, queue_step
from bot.uploads.files import UnusableFileError, describe, fetch, translate_full_disk
from core.access.audiences import may_decide_who_reads
from core.errors import FootnoteError
from core.language.i18n.translation import number, say, speak_language, translatable
from core.models import IngestionFile, IngestionJob
from core.values.sizes import MEGABYTE

logger = logging.getLogger(__name__)

TOO_MUCH = translatable("is too much together with the others: share it in a separate message")
NOT_SAID_HERE = translatable("was not added: the admin says why. In a direct message I can tell you too")
_UNNAMED = translatable("A file")


def advance(upload_id: UUID, step: str) -> None:
    """Do a step of an upload, if it is the next one.

    SlackUnavailableError or NoRoomError when a later attempt may succeed.
    """
    state, act = _STEPS[step]
    with transaction.atomic():
        upload = Upload.objects.select_for_update().get(pk=upload_id)
        if upload.state != state:
            return
        upload.attempts += 1
        upload.save(update_fields=["attempts"])
    with speak_language(find_language(upload.team_id, upload.channel_id)):
        act(find_client(upload.team_id), upload)


def give_up(upload_id: UUID, *, code: str) -> None:
    """End an upload that cannot go on: tell the person so if Slack lets us, and record why."""
    upload = Upload.objects.get(pk=upload_id)
    if upload.finished_at:
        return
    try:
        said = blocks.UNREPORTED if upload.job_id else blocks.FAILED
        with speak_language(find_language(upload.team_id, upload.channel_id)):
            put(find_client(upload.team_id), upload, notice(say(said)))
    except FootnoteError:
        logger.warning("sharer_not_told", extra={"upload": str(upload_id), "code": code})
    _end_upload(upload, Upload.State.FAILED, code=code)


def _offer_files(client: WebClient, upload: Upload) -> None:
    """Ask whether the files are to be added; or say why they cannot be."""
    if not find_ingester(client, upload.team_id, upload.user_id):
        _refuse_upload(client, upload, notice(say(blocks.NOT_ALLOWED)), code="not_allowed")
        return
    if is_switched_off(upload.team_id, upload.channel_id):
        _refuse_upload(client, upload, notice(say(SWITCHED_OFF)), code="channel_off")
        return
    upload.files = [_describe_file(client, file["id"]) for file in upload.files]
    upload.save(update_fields=["files"])
    shared = [_read_file(file) for file in upload.files]
    if all(file.problem for file in shared):
        _refuse_upload(client, upload, blocks.nothing_to_offer(shared), code="nothing_readable")
        return
    put(client, upload, blocks.offer(str(upload.pk), shared))
    upload.state = Upload.State.OFFERED
    upload.save(update_fields=["state"])


def _ingest_files(client: WebClient, upload: Upload) -> None:
    """Fetch the files and hand them in as one job, once; the report follows when the job is done."""
    from core.library.ingestion.jobs import create_job

    user = find_ingester(client, upload.team_id, upload.user_id)
    granted = list(upload.roles.all())
    if not user or (granted and not may_decide_who_reads(user)):
        _refuse_upload(client, upload, notice(say(blocks.NOT_ALLOWED)), code="not_allowed")
        return
    if not upload.collection:
        _refuse_upload(client, upload, notice(say(blocks.COLLECTION_GONE)), code="collection_gone")
        return
    put(client, upload, notice(say(blocks.FETCHING)))
    with translate_full_disk(), TemporaryDirectory() as folder:
        fetched = _fetch_files(client, upload, Path(folder))
        if not fetched:
            put(client, upload, blocks.report([_read_file(file) for file in upload.files]))
            _end_upload(upload, Upload.State.FAILED, code="nothing_fetched")
            return
        with transaction.atomic():
            current = Upload.objects.select_for_update().get(pk=upload.pk)
            if current.state != Upload.State.ACCEPTED:
                return  # another worker was faster
            contents = ((name, path.read_bytes()) for name, path in fetched)  # one after the other
            job = create_job(files=contents, collection=upload.collection, roles=granted, by=user)
            upload.job, upload.state = job, Upload.State.INGESTING
            upload.save(update_fields=["job", "state", "files"])
            is_held = job.state == IngestionJob.State.HELD
            if is_held:
                look_later(upload)
            else:
                _queue_report(upload, job)
    put(client, upload, notice(say(blocks.CHECKING if is_held else blocks.READING)))


def _wait_for_check(client: WebClient, upload: Upload) -> None:
    """Look again later while the files wait for their check, or for a yes; then report as ever."""
    job = upload.job
    if job is not None and job.state == IngestionJob.State.HELD:
        look_later(upload)
    elif job is not None and job.finished_at is None:
        _queue_report(upload, job)
    else:
        queue_step(upload, "report")


def _queue_report(upload: Upload, job: IngestionJob) -> None:
    queue_step(upload, "report", lock=f"ingestion:{job.pk}")  # the job's own lock: after it


def _report_results(client: WebClient, upload: Upload) -> None:
    """Say what became of each file."""
    job = upload.job
    if job is None or job.finished_at is None:  # given up after several attempts, or deleted in the admin
        put(client, upload, notice(say(blocks.UNFINISHED)))
        _end_upload(upload, Upload.State.FAILED, code="ingestion_stopped")
        return
    files = [
        _read_result(file, is_overheard=not upload.channel_id.startswith("D"))
        for file in job.files.defer("content").order_by("name")
    ]
    left_out = [_read_file(file) for file in upload.files if file.get("problem")]
    is_read = job.roles.exists() or job.collection.default_roles.exists()
    put(client, upload, blocks.report([*files, *left_out], "" if is_read else say(blocks.NOBODY_READS)))
    _end_upload(upload, Upload.State.DONE)


def _describe_file(client: WebClient, file_id: str) -> dict[str, Any]:
    try:
        found = describe(client, file_id, max_mb=settings.INGEST_MAX_MB)
    except UnusableFileError as error:
        return {"id": file_id, "name": error.name, "problem": error.message}
    return {"id": file_id, "name": found.name, "size": found.size}


def _fetch_files(client: WebClient, upload: Upload, folder: Path) -> list[tuple[str, Path]]:
    """Fetch into the folder the files that can be had: their names, and where they lie.

    What is wrong with the others is put down with them. Together they are what one job takes.
    """
    fetched: list[tuple[str, Path]] = []
    left = settings.INGEST_JOB_MAX_MB * MEGABYTE  # bytes
    for file in upload.files:
        if file.get("problem"):
            continue
        path = folder / str(len(fetched))
        try:
            found = describe(client, file["id"], max_mb=settings.INGEST_MAX_MB)
            if found.size > left or len(fetched) == settings.INGEST_JOB_MAX_FILES:
                raise UnusableFileError(say(TOO_MUCH))
            with path.open("wb") as into:
                fetch(client, found, into, max_mb=settings.INGEST_MAX_MB)
        except UnusableFileError as error:
            file["problem"] = error.message
            continue
        left -= found.size
        fetched.append((found.name, path))
    return fetched


def _read_file(file: dict[str, Any]) -> SharedFile:
    return SharedFile(name=file.get("name") or say(_UNNAMED), size=file.get("size", 0), problem=file.get("problem", ""))


def _read_result(file: IngestionFile, *, is_overheard: bool) -> SharedFile:
    """Describe the result of a file. is_overheard: True if others read along, who need not know the library."""
    if file.state != IngestionFile.State.DONE:
        if is_overheard and file.error_documents:
            return SharedFile(name=file.name, problem=say(NOT_SAID_HERE))
        return SharedFile(name=file.name, problem=f"{say('was not added.')} {file.error}".strip())
    if not file.chunk_count:
        return SharedFile(name=file.name, result=say("was already there, word for word"))
    one = file.chunk_count == 1
    parts = [say("1 passage") if one else say("{count} passages", count=number(file.chunk_count))]
    if file.document_count > 1:
        parts.insert(0, say("{count} documents", count=number(file.document_count)))
    if file.replaced:
        parts.append(say("replacing an earlier text"))
    return SharedFile(name=file.name, result=", ".join(parts))


def _refuse_upload(client: WebClient, upload: Upload, said: Message, *, code: str) -> None:
    put(client, upload, said)
    _end_upload(upload, Upload.State.REFUSED, code=code)


def _end_upload(upload: Upload, state: Upload.State, *, code: str = "") -> None:
    upload.state, upload.error_code, upload.finished_at = state, code, timezone.now()
    upload.save(update_fields=["state", "error_code", "finished_at", "files"])
    logger.info("upload_finished", extra={"upload": str(upload.pk), "state": state.value, "code": code})


_STEPS: dict[str, tuple[Upload.State, Callable[[WebClient, Upload], None]]] = {
    "offer": (Upload.State.RECEIVED, _offer_files),
    "ingest": (Upload.State.ACCEPTED, _ingest_files),
    "wait": (Upload.State.INGESTING, _wait_for_check),
    "report": (Upload.State.INGESTING, _report_results),
}
