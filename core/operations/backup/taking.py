"""Taking a backup: the database as of one moment, then the originals that its rows refer to."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model
from django.utils import timezone

from core.access import audit
from core.errors import BackupError, BackupPathError
from core.infrastructure.version import VERSION, find_commit
from core.library.originals.storage import build_name, get_storage, list_failures
from core.models import AuditEvent, Chunk, Collection, Document, Query, Role, RoleDocumentAccess, User, UserRole
from core.models.row_security import bypass_row_security
from core.operations.backup import programs
from core.operations.backup.archive import DUMP, LIST, Manifest, hash_file, place_of, write_private

COUNTED: dict[str, type[Model]] = {
    "people": User,
    "roles": Role,
    "roles of people": UserRole,
    "collections": Collection,
    "documents": Document,
    "grants": RoleDocumentAccess,
    "chunks": Chunk,
    "questions": Query,
    "audit events": AuditEvent,
}
Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
_UNFINISHED = ".unfinished"


def take(target: Path, *, progress: Progress) -> Manifest:
    """Write a backup into a folder that is not there yet, and return what it holds.

    It appears there whole or not at all. BackupError, in one line, when it cannot be taken; BackupPathError when
    something is there already.
    progress: makes a progress report for a long step, from its name and its length.
    """
    if target.exists():
        raise BackupPathError(f"{target} exists already. Name a folder that does not.")
    unfinished = target.with_name(target.name + _UNFINISHED)
    try:
        if unfinished.exists():
            shutil.rmtree(unfinished)  # of a backup that was broken off
        unfinished.mkdir(mode=0o700, parents=True)
        manifest = _fill_folder(unfinished, progress)
        manifest.write(unfinished)
        unfinished.rename(target)
    except OSError as error:
        raise BackupError(f"{error.filename or target} cannot be written: {error.strerror}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return manifest


def _fill_folder(folder: Path, progress: Progress) -> Manifest:
    # Before the moment of the backup, so that whoever restores it finds in it that it was taken.
    AuditEvent.objects.create(action=AuditEvent.Action.BACKUP, object_type="backup", details={"version": VERSION})
    audit.seal()
    with one_moment() as snapshot:
        taken_at = timezone.now()
        counts = count_rows()
        wanted = sorted(set(Document.objects.exclude(original_hash="").values_list("original_hash", flat=True)))
        head = audit.head()
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            (version,) = cursor.fetchone()
        postgresql = str(version)
        migrations = list_applied()
        programs.run(
            "pg_dump",
            ["--format=custom", "--enable-row-security", f"--snapshot={snapshot}", f"--file={folder / DUMP}"],
        )
    with progress("Originals", len(wanted)) as done:
        kept = [sha256 for sha256 in wanted if _copy_out(sha256, folder, done)]
    write_private(folder / LIST, "".join(f"{sha256}\n" for sha256 in kept))
    return Manifest(
        taken_at=taken_at.isoformat(),
        version=VERSION,
        commit=find_commit(),
        postgresql=postgresql,
        migrations=migrations,
        audit_head=str(head),
        counts=counts,
        originals=len(kept),
        missing_originals=sorted(set(wanted) - set(kept)),
        dump_sha256=hash_file(folder / DUMP),
        list_sha256=hash_file(folder / LIST),
    )


@contextmanager
def one_moment() -> Iterator[str]:
    """Open a transaction that sees one moment of the database, and give the name by which PostgreSQL lends it."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        with bypass_row_security():
            yield snapshot


def count_rows() -> dict[str, int]:
    """Count the rows of the most important tables, where row-level security shows all."""
    return {name: model._default_manager.count() for name, model in COUNTED.items()}


def list_applied() -> dict[str, list[str]]:
    """Return the applied migrations by application."""
    found: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        found.setdefault(app, []).append(name)
    return found


def _copy_out(sha256: str, folder: Path, done: Callable[[int], None]) -> bool:
    """Copy an original into the folder. Whether it was there, and whole: its document may have gone meanwhile."""
    done(1)
    storage, place = get_storage(), place_of(folder, sha256)
    try:
        if not storage.exists(build_name(sha256)):
            return False
        for parent in (place.parent.parent, place.parent):
            parent.mkdir(mode=0o700, exist_ok=True)
        place.touch(mode=0o600)
        with storage.open(build_name(sha256)) as source, place.open("wb") as target:
            shutil.copyfileobj(source, target)
    except list_failures() as error:
        raise BackupError(f"The original {sha256} cannot be copied: {error}.") from error
    if hash_file(place) == sha256:
        return True
    place.unlink()
    return False
