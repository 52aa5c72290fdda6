"""`manage.py backup`: the database and the originals, as of one moment, in one folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.errors import BackupError, BackupPathError
from core.management.base import FootnoteCommand
from core.management.progress import progress
from core.operations.backup.taking import take

FAILED, WRONG_USAGE = 1, 2  # exit codes
KEYS = (
    "Not in it, so keep them elsewhere: SECRET_KEY (second factors), SLACK_TOKEN_KEYS (workspaces' tokens), "
    "SOURCE_SECRET_KEYS (credentials of data sources), RECEIPT_SIGNING_KEYS (receipts), with the other settings. "
    "Without them what they encrypt is lost."
)


class Command(FootnoteCommand):
    """Write a backup, and say what it holds and what it does not."""

    help = (
        "Writes a backup into a new folder: the database as of one moment, and the files that documents were read "
        "from. Footnote may go on meanwhile. Whoever can read the folder reads every document, question and answer: "
        "it is made for its owner alone. Exit code 0: done; 1: nothing was written, and why; 2: the "
        "folder is there already."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("path", type=Path, metavar="PATH", help="The folder to make.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Take it. CommandError when it cannot be taken."""
        try:
            manifest = take(options["path"], progress=progress)
        except BackupError as error:
            code = WRONG_USAGE if isinstance(error, BackupPathError) else FAILED
            raise CommandError(error.message, returncode=code) from error
        counts = ", ".join(f"{count:,} {name}" for name, count in manifest.counts.items())
        self.stdout.write(f"Backed up to {options['path']}: {counts}, {manifest.originals:,} originals.")
        for sha256 in manifest.missing_originals:
            self.stderr.write(f"The original {sha256} is missing or damaged in the storage: it is not in the backup.")
        self.stdout.write(KEYS)
