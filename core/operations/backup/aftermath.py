"""Settle a restored database before it is used, and report on it."""

from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone
from procrastinate.contrib.django.models import ProcrastinateJob

from core.access import audit
from core.errors import BackupError
from core.infrastructure.version import VERSION
from core.library.originals.storage import build_name, get_storage
from core.models import AuditEvent, Document, RoleDocumentAccess
from core.models.row_security import bypass_row_security
from core.operations.backup.archive import Manifest
from core.operations.backup.taking import count_rows


@dataclass(frozen=True, kw_only=True, slots=True)
class Aftermath:
    """The findings and repairs after a restore."""

    jobs_handed_back: int  # that were running at the time of the backup
    jobs_waiting: int  # with those
    expired_grants: int  # that came to their end since; nobody reads by them
    without_original: list[str]  # ids of documents whose original is not in the storage
    chain: audit.ChainVerdict


def compare_counts(manifest: Manifest) -> None:
    """Raise BackupError where the tables do not hold as many rows as they did. Before migrations change them."""
    with bypass_row_security():
        found = count_rows()
    differing = [name for name, count in manifest.counts.items() if found.get(name, count) != count]
    if differing:
        raise BackupError(f"Not everything came back: {', '.join(differing)}. Use another backup.")


def settle(manifest: Manifest) -> Aftermath:
    """Hand running jobs back, leave an audit event, and look whether all is there. After the migrations."""
    with transaction.atomic():
        handed_back = _hand_jobs_back()
        AuditEvent.objects.create(
            action=AuditEvent.Action.RESTORE,
            object_type="backup",
            details={"taken_at": manifest.taken_at, "of": manifest.version, "version": VERSION},
        )
    audit.seal()
    return Aftermath(
        jobs_handed_back=handed_back,
        jobs_waiting=ProcrastinateJob.objects.filter(status="todo").count(),
        expired_grants=RoleDocumentAccess.objects.filter(expires_at__lte=timezone.now()).count(),
        without_original=_list_without_original(),
        chain=audit.verify(kept=audit.Head.parse(manifest.audit_head)),
    )


def _hand_jobs_back() -> int:
    """Whoever ran them is no more. As procrastinate does for a worker that died."""
    running = list(ProcrastinateJob.objects.filter(status="doing").values_list("pk", flat=True))
    with connection.cursor() as cursor:
        for job in running:
            cursor.execute("SELECT procrastinate_retry_job_v2(%s, now(), NULL, NULL, NULL)", [job])
        cursor.execute("DELETE FROM procrastinate_workers")
    return len(running)


def _list_without_original() -> list[str]:
    storage, checked = get_storage(), dict[str, bool]()
    missing = []
    for pk, sha256 in Document.objects.exclude(original_hash="").order_by("pk").values_list("pk", "original_hash"):
        if sha256 not in checked:
            checked[sha256] = storage.exists(build_name(sha256))
        if not checked[sha256]:
            missing.append(str(pk))
    return missing
