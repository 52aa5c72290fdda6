"""Check the database's version of pgvector."""

from django.db.backends.base.base import BaseDatabaseWrapper

# 0.6.0 to 0.8.1 write beyond a buffer in parallel HNSW builds (CVE-2026-3172); 0.8.3 ended corruption by VACUUM.
MINIMUM = (0, 8, 3)


def problem(connection: BaseDatabaseWrapper) -> str | None:
    """Describe why the database's pgvector is too old, or return None.

    Before the first migration the extension is not installed yet; then the version that would be installed counts.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
        )
        row = cursor.fetchone()
    if row is None:
        return "pgvector is not installed on the database server."
    if tuple(int(part) for part in row[0].split(".") if part.isdigit()) < MINIMUM:
        return f"pgvector {row[0]} is too old: {minimum_in_words()} or newer is needed."
    return None


def minimum_in_words() -> str:
    """Return the lowest version that will do, as pgvector writes it."""
    return ".".join(map(str, MINIMUM))
