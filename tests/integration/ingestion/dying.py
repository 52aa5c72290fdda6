"""A process that takes part in an ingestion and is killed when a certain file comes to it."""

import os
import signal
from multiprocessing.connection import Connection

from core.library.ingestion.process_work import Order


def serve(theirs: Connection, order: Order) -> None:
    """Say of each source that it is done; of what is deadly nothing any more, nor of what came with it."""
    import django

    django.setup()
    from core.library.ingestion.pipeline import SourceOutcome
    from core.library.ingestion.target import IngestTarget

    target = theirs.recv()
    assert isinstance(target, IngestTarget)
    while True:
        theirs.send("more")
        given = theirs.recv()
        if not given:
            return
        for source in given:
            if "deadly" in source.name:
                os.kill(os.getpid(), signal.SIGKILL)
            theirs.send(SourceOutcome(source=source))
