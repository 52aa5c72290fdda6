"""The PostgreSQL that Footnote brings along, for machines without a server."""

from pathlib import Path


def embedded_database_url(home: Path) -> str:
    """Start the embedded PostgreSQL under `home`, or join the one that runs, and return its DATABASE_URL."""
    raise NotImplementedError
