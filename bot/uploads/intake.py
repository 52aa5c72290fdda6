"""Taking in files that were shared with us: stored together with the job that offers to ingest them."""

import logging

from django.db import IntegrityError, transaction

from bot.models import Upload
from core.infrastructure import queue

logger = logging.getLogger(__name__)

MOST_FILES = 10  # of one message; Slack's own limit


def receive_files(*, team_id: str, channel_id: str, user_id: str, ts: str, thread_ts: str, file_ids: list[str]) -> None:
    """Store the files of a message and queue the offer, both or neither.

    One row for a message, however often and in however many events Slack tells of it.
    """
    try:
        with transaction.atomic():
            upload = Upload.objects.create(
                team_id=team_id,
                channel_id=channel_id,
                user_id=user_id,
                ts=ts,
                thread_ts=thread_ts,
                files=[{"id": file_id} for file_id in dict.fromkeys(file_ids[:MOST_FILES])],
            )
            queue_step(upload, "offer")
    except IntegrityError:
        return
    logger.info("files_stored", extra={"upload": str(upload.pk), "files": len(upload.files)})


def queue_step(upload: Upload, step: str, *, lock: str = "") -> None:
    """Let the worker do a step of an upload; steps with the same lock are done one after the other."""
    queue.enqueue(queue.UPLOAD, lock=lock or f"upload/{upload.pk}", upload=str(upload.pk), step=step)
