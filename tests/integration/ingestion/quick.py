"""A process that takes part in an ingestion as the product's does, and needs no model."""

from multiprocessing.connection import Connection

from core.library.ingestion import process_work
from core.library.ingestion.process_work import Order


def serve(theirs: Connection, order: Order) -> None:
    """Ingest what is sent, embedding by hashing words."""
    import django

    django.setup()
    from core.testing import fast_embedding

    with fast_embedding():
        process_work.serve(theirs, order)
