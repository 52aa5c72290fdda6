"""`manage.py load_library`: a library as a file describes it."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.errors import FootnoteError
from core.management.base import FootnoteCommand
from core.management.library import ingest_collections, list_unmatched_paths, make_people, read_library

WRONG_USAGE = 2  # exit code


class Command(FootnoteCommand):
    """Make the roles, collections and people of a library file, and ingest its documents."""

    help = (
        "Creates the roles, collections and people that a TOML file describes and ingests the documents it names, as "
        "samples/library.toml does for the sample library. What is already there stays. New people have no password: "
        "commands can ask as them, but they cannot sign in. Exit code 0: everything is in the library; 1: a document "
        "failed; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", metavar="FILE", help="The description, such as evaluation/library.toml.")
        parser.add_argument(
            "--root",
            metavar="FOLDER",
            default=".",
            help="The folder that its paths are relative to. Default: the working folder.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, and say who can be asked for."""
        try:
            library = read_library(Path(options["file"]), root=Path(options["root"]).resolve())
        except FootnoteError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        if lacking := list_unmatched_paths(library):
            raise CommandError(f"{library.root} does not contain {', '.join(lacking)}.", returncode=WRONG_USAGE)
        make_people(library, password=None)
        ingest_collections(library, sys.stderr)
        for raw in library.people:
            self.stdout.write(f"{raw['email']:<26} {', '.join(raw['roles']) or 'no role'}")
