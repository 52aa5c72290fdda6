"""Handle the choices of the person who shared files. Whatever is pressed twice happens once."""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from bot.blocks.uploads import MOST_OPTIONS, Choice
from bot.models import Upload
from bot.uploads.intake import queue_step
from core.language.i18n.translation import say
from core.models import Collection, Role


def find_upload(upload_id: str, *, team_id: str, slack_user_id: str) -> Upload | None:
    """The upload of that id, for the one person who shared its files; None for everyone else."""
    try:
        pk = UUID(upload_id)
    except ValueError:
        return None
    return Upload.objects.filter(pk=pk, team_id=team_id, user_id=slack_user_id).first()


def list_collections() -> list[Choice]:
    """Every collection, with who reads what is added to it; one more than can be shown, if there are more."""
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
    """Every role; one more than can be shown, if there are more."""
    return [
        Choice(value=str(row.pk), name=row.name, about=row.description) for row in _select_roles()[: MOST_OPTIONS + 1]
    ]


def accept(upload: Upload, *, collection: Collection, granted: Sequence[Role]) -> bool:
    """Queue the ingestion, with what was chosen. False when something was decided before."""
    with transaction.atomic():
        if not _decide(upload, Upload.State.ACCEPTED, collection=collection):
            return False
        upload.roles.set(granted)
        queue_step(upload, "ingest")
    return True


def decline(upload: Upload) -> bool:
    """Keep the files out. False when they were accepted before; true however often it is pressed."""
    decided = _decide(upload, Upload.State.DECLINED, finished_at=timezone.now())
    return decided or Upload.objects.filter(pk=upload.pk, state=Upload.State.DECLINED).exists()


def _decide(upload: Upload, state: Upload.State, **fields: object) -> bool:
    return bool(Upload.objects.filter(pk=upload.pk, state=Upload.State.OFFERED).update(state=state, **fields))


def _select_roles() -> QuerySet[Role]:
    return Role.objects.order_by("name")
