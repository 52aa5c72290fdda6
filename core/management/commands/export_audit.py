"""`manage.py export_audit`: the audit trail as a file."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from django.core.management.base import CommandError

from core.access.audit import FORMATS, Head, export, head
from core.management.base import FootnoteCommand
from core.management.files import open_private, refuse_existing
from core.management.granting import WRONG_USAGE, person_with
from core.management.progress import progress
from core.models import User
from core.operations.backup import statement


class Command(FootnoteCommand):
    """Write the audit trail with its chain of hashes, as JSON lines or CSV."""

    help = (
        "Writes the audit trail in the order of its chain, each event with its digest, and prints the head on "
        "standard error: keep it elsewhere for verify_audit --head. The export is itself an audit event and the last "
        "line. A file is made for its owner alone. Exit code 0: done; 1: the file cannot be written; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--format", choices=FORMATS, default="jsonl", help="Default: jsonl.")
        parser.add_argument("--output", type=Path, metavar="FILE", help="The file to make. Default: standard output.")
        parser.add_argument("--replace", action="store_true", help="Put it in the place of a file that is there.")
        parser.add_argument(
            "--from", dest="start", type=int, default=1, metavar="NUMBER", help="The first event. Default: 1."
        )
        parser.add_argument(
            "--rights",
            action="store_true",
            help="Add a statement of every right that there is at this moment, by ids and hashes: restore "
            "--revocations takes away whatever it does not name. JSON lines alone.",
        )
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who does this, for the audit log.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the lines, and print the head. CommandError where the file cannot be written."""
        if options["start"] < 1:
            raise CommandError("--from must be a number from 1.", returncode=WRONG_USAGE)
        if options["rights"] and options["format"] != "jsonl":
            raise CommandError("--rights needs --format jsonl.", returncode=WRONG_USAGE)
        target: Path | None = options["output"]
        if target is not None:
            refuse_existing(target, replace=options["replace"])
        by = person_with(options["email"]) if options["email"] else None
        if target is None:
            for line in self._export(options, by):
                self.stdout.write(line, ending="")
        else:
            try:
                with open_private(target) as file:
                    self._write(file, options, by)
            except OSError as error:
                raise CommandError(f"{target} cannot be written: {error.strerror}.") from error
        self.stderr.write(f"Head: {head()}")

    def _export(self, options: dict[str, Any], by: User | None) -> Iterator[str]:
        lines = export(options["format"], start=options["start"], by=by)
        return _followed_by_rights(lines) if options["rights"] else lines

    def _write(self, file: IO[str], options: dict[str, Any], by: User | None) -> None:
        lines = self._export(options, by)
        with progress("Writing", max(head().number - options["start"] + 1, 0)) as done:
            for line in lines:
                file.write(line)
                done(1)


def _followed_by_rights(lines: Iterator[str]) -> Iterator[str]:
    """Write the events, then the rights that there are after the last of them."""
    last = ""
    for last in lines:
        yield last
    event = json.loads(last)
    yield from statement.tell(Head(number=event["number"], digest=event["digest"]))
