"""Take in the files that people share, and what they decide about them. Whatever is pressed twice happens once.

The files of a message are stored together with the job that offers to ingest them. Who may add to the library is asked
afresh at every step, as the admin does; and our one message about an upload is edited as things go on.
"""

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from slack_sdk import WebClient

from bot.blocks.message import Message
from bot.blocks.uploads import MOST_OPTIONS, Choice
from bot.identity.people import find_person
from bot.models import Upload
from bot.slack.idempotent import IdempotentMessage
from core.infrastructure import queue
from core.language.i18n.translation import say
from core.models import Collection, Role, User

logger = logging.getLogger(__name__)

MOST_FILES = 10  # of one message; Slack's own limit
MAY_INGEST = "core.add_ingestionjob"
_LOOK_S = 60  # between two looks at an upload that waits for a decision


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


def look_later(upload: Upload) -> None:
    """Let the worker see in a while if what an upload waits for is decided."""
    queue.enqueue_once(queue.UPLOAD, f"upload/{upload.pk}/wait", delay_s=_LOOK_S, upload=str(upload.pk), step="wait")


def find_upload(upload_id: str, *, team_id: str, slack_user_id: str) -> Upload | None:
    """Find the upload of that id, for the one person who shared its files; None for everyone else."""
    try:
        pk = UUID(upload_id)
    except ValueError:
        return None
    return Upload.objects.filter(pk=pk, team_id=team_id, user_id=slack_user_id).first()


def list_collections() -> list[Choice]:
    """List every collection, with who reads what is added to it; one more than can be shown, if there are more."""
    rows = Collection.objects.prefetch_related("default_roles")[: MOST_OPTIONS + 1]
    return [
        Choice(
            value=str(row.pk),
            name=row.name,
            about=", ".join(role.name for role in row.default_roles.all()) or say("no roles of its own"),
        )
        for row in rows
    ]


def list_roles() -> list[Choice]:
    """List every role; one more than can be shown, if there are more."""
    return [
        Choice(value=str(row.pk), name=row.name, about=row.description)
        for row in Role.objects.order_by("name")[: MOST_OPTIONS + 1]
    ]


def accept(upload: Upload, *, collection: Collection, granted: Sequence[Role]) -> bool:
    """Queue the ingestion, with what was chosen. False when something was decided before."""
    with transaction.atomic():
        if not _move_offered(upload, Upload.State.ACCEPTED, collection=collection):
            return False
        upload.roles.set(granted)
        queue_step(upload, "ingest")
    return True


def decline(upload: Upload) -> bool:
    """Keep the files out. False when they were accepted before; true however often it is pressed."""
    decided = _move_offered(upload, Upload.State.DECLINED, finished_at=timezone.now())
    return decided or Upload.objects.filter(pk=upload.pk, state=Upload.State.DECLINED).exists()


def _move_offered(upload: Upload, state: Upload.State, **fields: object) -> bool:
    return bool(Upload.objects.filter(pk=upload.pk, state=Upload.State.OFFERED).update(state=state, **fields))


def find_ingester(client: WebClient, team_id: str, slack_user_id: str) -> User | None:
    """Find the person of a Slack account, if they may hand in documents now. Nobody without an active account may.

    SlackUnavailableError when Slack cannot be asked whose account it is.
    """
    person = find_person(client, team_id, slack_user_id)
    user = User.objects.filter(pk=person.user_id).first() if person.user_id else None
    return user if user and user.has_perm(MAY_INGEST) else None


def put(client: WebClient, upload: Upload, said: Message) -> None:
    """Put this into our message about the upload, posting it if there is none."""

    def record(ts: str) -> None:
        upload.message_ts = ts
        upload.save(update_fields=["message_ts"])

    IdempotentMessage(
        client=client,
        team_id=upload.team_id,
        channel_id=upload.channel_id,
        thread_ts=upload.thread_ts,
        marker=f"upload-{upload.pk}",
        ts=upload.message_ts,
        since=upload.ts if upload.attempts > 1 else "",
        record=record,
    ).put(said)
