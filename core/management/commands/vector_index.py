"""`manage.py vector_index`: the HNSW index over the vectors, built where it is used and dropped where it is not."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from core.errors import FootnoteError
from core.library.ingestion import indexing
from core.management.base import FootnoteCommand


class Command(FootnoteCommand):
    """Print the state of the index; build or drop it."""

    help = (
        "Tells whether the HNSW index over the vectors is built, how large it is, and whether searches of this "
        "library would use it. The worker builds it by itself once they would (VECTOR_INDEX). --build and --drop do "
        "it now, while searches and ingestion go on; both need the database user that runs migrate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        change = parser.add_mutually_exclusive_group()
        change.add_argument("--build", action="store_true", help="Build the index, whether it would be used or not.")
        change.add_argument("--drop", action="store_true", help="Drop the index. Searches find no less without it.")
        parser.add_argument("--json", action="store_true", help="Print how it stands as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the requested change, then print the state."""
        try:
            if options["build"]:
                indexing.build()
            if options["drop"]:
                indexing.drop()
        except FootnoteError as error:
            raise CommandError(error.message) from error
        standing = indexing.standing()
        self.stdout.write(json.dumps(asdict(standing)) if options["json"] else _in_words(standing))


def _in_words(standing: indexing.Standing) -> str:
    built = f"The index is built: {standing.size_mb:,.0f} MB." if standing.is_built else "There is no index."
    if standing.is_useful:
        use = "Processes that keep no copy of the vectors would use it for readers of nearly everything."
    else:
        use = "No search would use it: comparing is faster in a library of this size."
    return f"{standing.chunks:,} chunks. {built} {use}"
