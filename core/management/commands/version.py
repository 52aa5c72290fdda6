"""`manage.py version`: what runs here, and on what."""

import json
from argparse import ArgumentParser
from typing import Any

from core.infrastructure.version import VERSION, find_commit
from core.management.base import FootnoteCommand
from core.operations.installation import describe_installation, find_reason_away


class Command(FootnoteCommand):
    """Print the version of Footnote, and of its database, library and extensions."""

    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own; it is asked when something is wrong
    help = (
        "Prints the version of Footnote, the commit where it is known, and of the database: which migrations are "
        "applied, missing, or unknown to this version; PostgreSQL and pgvector; the library's embedding model and how "
        "its documents are cut into chunks. Without a database it says so and prints the rest. Exit code 0."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--json", action="store_true", help="Print it as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        away = find_reason_away()
        found = None if away else describe_installation()
        commit = find_commit()
        if options["json"]:
            told = {"version": VERSION, "commit": commit or None, "database": found.as_json() if found else None}
            self.stdout.write(json.dumps(told))
            return
        self.stdout.write(f"Footnote {VERSION}" + (f" ({commit})" if commit else ""))
        if found is None:
            self.stdout.write(f"The database cannot be reached: {away}.")
            return
        for line in found.list_lines():
            self.stdout.write(line)
