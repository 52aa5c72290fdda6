"""`manage.py version`: what runs here, and on what."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError

from core.database_errors import DATABASE_AWAY
from core.management.installation import Installed, describe_installation
from core.version import VERSION, find_commit


class Command(BaseCommand):
    """Tell the version of Footnote, and of what it stands on."""

    requires_system_checks: list[str] = []  # it is asked when something is wrong
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
        found: Installed | None = None
        try:
            found = describe_installation()
        except (DatabaseError, *DATABASE_AWAY):
            pass
        if options["json"]:
            database = None if found is None else found.as_json()
            self.stdout.write(json.dumps({"version": VERSION, "commit": find_commit() or None, "database": database}))
            return
        commit = find_commit()
        self.stdout.write(f"Footnote {VERSION}" + (f" ({commit})" if commit else ""))
        if found is None:
            self.stdout.write("The database cannot be reached.")
            return
        for line in found.list_lines():
            self.stdout.write(line)
