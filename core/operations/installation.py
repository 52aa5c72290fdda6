"""Describe an installation: its tables, PostgreSQL, the embedding model and the version of its chunking."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import psycopg
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Count

from core.library.ingestion.chunking import CUT
from core.models import Chunk, EmbeddingModel
from core.models.library import CUT_AS
from core.models.row_security import bypass_row_security

_CONNECT_TIMEOUT_S = 10
_NAMED = 5  # migrations in a line


@dataclass(frozen=True, kw_only=True, slots=True)
class Installed:
    """The state of the configured database."""

    applied: int  # migrations
    missing: list[str]  # of this version and not applied, such as "core.0043_backups"
    unknown: list[str]  # applied by another version, of Footnote's own applications
    postgresql: str
    pgvector: str  # empty where it is not installed
    embedding_model: str  # of the library; empty before the first document
    embedding_dimension: int | None
    cut: int  # in which this version cuts documents
    chunks_by_cut: dict[str, int]  # of the library

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def list_lines(self) -> Iterator[str]:
        """In words."""
        yield f"Migrations: {self.applied} applied" + _join_names(", missing: ", self.missing)
        if self.missing:
            yield "Run: manage.py migrate"
        if self.unknown:
            yield f"The tables are of a newer version{_join_names(': ', self.unknown)}. See docs/upgrading.md."
        yield f"PostgreSQL {self.postgresql}, pgvector {self.pgvector or 'not installed'}"
        if self.embedding_model:
            yield f"Embedding model: {self.embedding_model}, {self.embedding_dimension} dimensions"
        earlier = sum(count for cut, count in self.chunks_by_cut.items() if cut != str(self.cut))
        yield f"Documents are cut in way {self.cut}; {earlier:,} chunks of the library were cut in an earlier one"


def find_reason_away() -> str:
    """Return the server's reason for refusing a connection; empty when the database can be reached.

    Over a connection of its own: the pool waits, and keeps the reason to itself.
    """
    try:
        psycopg.connect(**(connection.get_connection_params() | {"connect_timeout": _CONNECT_TIMEOUT_S})).close()
    except psycopg.OperationalError as error:
        return " ".join(str(error).split()).rstrip(".")
    return ""


def describe_installation() -> Installed:
    """Describe the configured database. DatabaseError where it is away."""
    loader = MigrationLoader(connection)
    known, applied = set(loader.disk_migrations), set(loader.applied_migrations)
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    missing = sorted(".".join(key) for key in set(loader.graph.nodes) - applied)
    unknown = sorted(".".join(key) for key in applied - known - replaced if key[0] in {"core", "bot"})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
        postgresql, pgvector = cursor.fetchone()
    model, cuts = _look_at_library() if not missing else (None, dict[str, int]())
    return Installed(
        applied=len(applied),
        missing=missing,
        unknown=unknown,
        postgresql=postgresql,
        pgvector=pgvector or "",
        embedding_model=model.name if model else "",
        embedding_dimension=model.dimension if model else None,
        cut=CUT,
        chunks_by_cut=cuts,
    )


def _look_at_library() -> tuple[EmbeddingModel | None, dict[str, int]]:
    with bypass_row_security():
        counted = Chunk.objects.values_list(f"metadata__{CUT_AS}").annotate(Count("pk")).order_by()
        cuts = {str(cut or "unknown"): count for cut, count in counted}
        return EmbeddingModel.objects.first(), cuts


def _join_names(before: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return before + ", ".join(names[:_NAMED]) + more
