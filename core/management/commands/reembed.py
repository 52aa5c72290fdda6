"""`manage.py reembed`: change the library's embedding model."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from core.errors import FootnoteError
from core.management.base import FootnoteCommand
from core.management.progress import progress
from core.operations.reembedding import reembed


class Command(FootnoteCommand):
    """Embed every chunk by another model, then change over to it at once."""

    help = (
        "Changes the library's embedding model while questions are answered and documents are ingested. If "
        "interrupted, it continues where it stopped when you run it again for the same model."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--to", metavar="MODEL", help="A value of EMBEDDING_MODEL. Default: the current setting.")
        parser.add_argument(
            "--batch",
            type=_count,
            default=256,
            metavar="N",
            help="Number of chunks to embed and store at a time. Default: 256.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Change the model, and say what came of it."""
        setting = options["to"] or settings.EMBEDDING_MODEL
        try:
            with ExitStack() as shown:

                def started(chunks: int) -> Callable[[int], None]:
                    return shown.enter_context(progress("Embedding", chunks))

                change = reembed(setting, batch=options["batch"], started=started)
        except FootnoteError as error:
            raise CommandError(error.message) from error
        if change.cuts:
            self.stderr.write(
                f"{change.model} reads less than the longest chunks hold, so their ends are not embedded. Ingest the "
                "library again to cut it for this model."
            )
        if setting != settings.EMBEDDING_MODEL:
            self.stderr.write(f"Set EMBEDDING_MODEL={setting} now, for every process.")
        if options["json"]:
            self.stdout.write(json.dumps(asdict(change)))
        elif change.unchanged:
            self.stdout.write(f"The library's embedding model is already {change.model}: {change.chunks:,} chunks.")
        else:
            self.stdout.write(
                f"The library's embedding model is now {change.model}, with {change.dimension} dimensions: "
                f"{change.embedded:,} of {change.chunks:,} chunks embedded, ingestion paused for "
                f"{change.swap_seconds:.1f} s."
            )


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError("it must be a whole number from 1")
    return int(text)
