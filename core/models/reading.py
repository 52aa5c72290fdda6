"""From which server a search reads chunks: the primary, or a replica of it that PostgreSQL's own replication feeds.

Only chunks are read from replicas, and only within `reading_from`. Everything that decides who reads what (people,
roles, grants, documents, versions) comes from the primary, whatever a block says, and so does what looks after the
library.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

_reads_from: ContextVar[str] = ContextVar("reads_from", default=DEFAULT_DB_ALIAS)


@contextmanager
def reading_from(alias: str) -> Iterator[None]:
    """Within the block chunks are read from the server of this alias."""
    token = _reads_from.set(alias)
    try:
        yield
    finally:
        _reads_from.reset(token)


def search_connection() -> BaseDatabaseWrapper:
    """The connection of this thread to the server that chunks are read from."""
    return connections[_reads_from.get()]


class SearchRouter:
    """Django's router: chunks from where the search reads, everything else from the primary."""

    def db_for_read(self, model: type[models.Model], **hints: Any) -> str | None:
        """The alias for a query; None leaves it to Django."""
        return _reads_from.get() if model._meta.label == "core.Chunk" else None
