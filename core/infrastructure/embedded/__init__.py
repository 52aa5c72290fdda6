"""The PostgreSQL that Footnote brings along, for machines without a server.

The first process that needs the database starts the server, later ones join it, and the last one to leave stops it.
`account` says who the server runs as, `binaries` where its programs are, `cluster` creates, starts and stops it, and
`lease` counts who uses it.
"""

from pathlib import Path

from core.infrastructure.embedded.cluster import Cluster, credentials_path
from core.infrastructure.embedded.credentials import Credentials
from core.infrastructure.embedded.lease import Lease


def start_or_join_database(home: Path) -> str:
    """Start the embedded PostgreSQL under `home`, or join the one that runs, and return its DATABASE_URL.

    The server stays up until this process and all others that called this have ended. DatabaseUnavailableError,
    with a message for the operator, when it cannot be had.
    """
    cluster = Cluster.at(home)
    lease = Lease(home, last_one_out=cluster.stop)
    with lease.take():
        return cluster.ensure_running()


def find_folder(home: Path, *, port: int | str) -> Path | None:
    """Return the folder of the server under `home`; None where no server of it listens at that port."""
    credentials = Credentials.load(credentials_path(home))
    return Path(credentials.base) if credentials and str(credentials.port) == str(port) else None
