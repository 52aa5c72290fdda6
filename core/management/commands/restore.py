"""`manage.py restore`: a backup back into the database and the storage of originals."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandError

from core.access.audit import Head
from core.errors import BackupError, BackupPathError
from core.management.base import FootnoteCommand
from core.management.progress import progress
from core.operations.backup.aftermath import Aftermath, compare_counts, settle
from core.operations.backup.archive import Manifest
from core.operations.backup.restoring import restore
from core.operations.backup.revocations import Repeated, read, repeat
from core.quality.change_checks.deciding import stop_restored
from core.quality.examination.deciding import reopen_restored

FAILED, WRONG_USAGE = 1, 2  # exit codes
KEYS = (
    "Not in the backup: SECRET_KEY (second factors), SLACK_TOKEN_KEYS (workspaces' tokens), SOURCE_SECRET_KEYS "
    "(credentials of data sources), and the other settings. Before you start Footnote, set them as they were when the "
    "backup was taken: what they encrypt cannot be read with others."
)


class Command(FootnoteCommand):
    """Restore a backup, bring its tables up to date, and say what must be known about it."""

    help = (
        "Restores a backup into an empty database and the storage of originals, and brings the tables up to date. "
        "Checksums are compared before anything is touched, and the database gets all of it or stays as it was. Stop "
        "web, bot and worker before. Exit code 0: done; 1: refused or failed, and why; 2: there is no "
        "backup, or no export that goes on after it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, metavar="PATH", help="The folder that backup made.")
        parser.add_argument(
            "--replace", action="store_true", help="Put it in the place of what the database holds, which is lost."
        )
        parser.add_argument(
            "--revocations",
            type=Path,
            metavar="FILE",
            help="An export of the audit trail (export_audit --rights) that goes on after the backup: whatever right "
            "it does not name any more is taken away again. Without --rights, only the grants and roles that its "
            "events say were taken away, and people are deactivated.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore. CommandError when it is refused, or when not all is as it was."""
        try:
            since = Head.parse(Manifest.read(options["path"]).audit_head)
            export = read(options["revocations"], since=since) if options["revocations"] else None
            manifest = restore(options["path"], replace=options["replace"], progress=progress)
            compare_counts(manifest)
        except BackupError as error:
            code = WRONG_USAGE if isinstance(error, BackupPathError) else FAILED
            raise CommandError(error.message, returncode=code) from error
        call_command("migrate", interactive=False, verbosity=0)
        found = settle(manifest)
        self._tell(manifest, found)
        self._tell_of_models(reopen_restored())
        self._tell_of_access(manifest, None if export is None else repeat(export))
        self._tell_of_changes(stop_restored())  # after what the statement of rights says of their states
        self.stdout.write(KEYS)
        if found.chain.broken_at is not None:
            raise CommandError(f"The audit trail breaks at event {found.chain.broken_at}: {found.chain.why}.")

    def _tell(self, manifest: Manifest, found: Aftermath) -> None:
        counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
        self.stdout.write(f"Restored as of {manifest.moment_in_words}: {counts}, {manifest.originals:,} originals.")
        if found.jobs_waiting:
            self.stdout.write(
                f"Jobs that wait for a worker: {found.jobs_waiting:,}, of which {found.jobs_handed_back:,} ran when "
                "the backup was taken. A question among them that was answered since is answered again."
            )
        for document in found.without_original:
            self.stderr.write(f"The document {document} has lost its original. Ingest it again.")

    def _tell_of_models(self, reopened: int) -> None:
        if reopened:
            self.stdout.write(
                f"Models that had been let in at the time of the backup: {reopened:,}. They answer nobody until an "
                "administrator lets them in again: Model examinations in the admin."
            )

    def _tell_of_changes(self, stopped: int) -> None:
        if stopped:
            self.stdout.write(
                f"Changes that were being checked before they are live at the time of the backup: {stopped:,}. None "
                "of them is made by itself: Changes before they are live in the admin."
            )

    def _tell_of_access(self, manifest: Manifest, repeated: Repeated | None) -> None:
        if repeated is None or not repeated.is_whole:
            self.stdout.write(
                f"People may read what they could read on {manifest.moment_in_words}: grants, roles, accounts and "
                "tokens that were taken away after that are back. Look through them before you start Footnote."
            )
        if repeated is None:
            return
        self.stdout.write(
            f"Taken away again: {repeated.grants:,} grants, {repeated.roles:,} roles; {repeated.people:,} people "
            "deactivated."
        )
        for what, count in sorted(repeated.taken.items()):
            self.stdout.write(f"Taken away as well, for there is none now: {count:,} × {what}")
        if not repeated.is_whole:
            self.stdout.write(
                "The export has no statement of rights, so whatever else was taken away is back. Export with --rights."
            )
        for what, count in sorted(repeated.by_hand.items()):
            self.stdout.write(f"To be looked at by hand: {count:,} × {what}")
