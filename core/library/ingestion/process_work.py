"""Do the work of a process that ingests for a command: see `processes`. Imported before Django is set up there."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.library.ingestion.sources import Source
    from core.library.ingestion.target import IngestTarget


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """The instructions for one process; values that can be sent."""

    database: str  # its name: that of this process, which may be another one than the settings name
    threads: int


def serve(theirs: Connection, order: Order) -> None:
    """Run in a process of its own: take the target, ingest what is sent, and report the end of each."""
    os.environ["OMP_NUM_THREADS"] = str(order.threads)  # before torch is loaded
    import django

    django.setup()
    from django.db import connection

    from core.errors import FootnoteError, IngestionError
    from core.library.ingestion.jobs import sandbox_from_settings
    from core.library.ingestion.pipeline import ingest

    connection.settings_dict["NAME"] = order.database
    try:
        target: IngestTarget = theirs.recv()  # not a part of the order: models can be read only now
        with sandbox_from_settings() as sandbox:
            ingest(_receive_sources(theirs), target, sandbox, theirs.send)
    except FootnoteError as error:
        theirs.send(IngestionError(error.message))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass  # the command has ended
    finally:
        connection.close()


def _receive_sources(theirs: Connection) -> Iterator["Source"]:
    while True:
        theirs.send("more")
        given: list[Source] = theirs.recv()
        if not given:
            return
        yield from given
