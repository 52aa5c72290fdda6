"""A PostgreSQL of the soak's own, in a folder of its own, so that it may be killed."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg

from core.embedded import postmaster
from core.embedded.cluster import Cluster
from core.embedded.credentials import ROLE, Credentials

_END_S = 30.0


class Server:
    """The server under a home: started, killed, started again, removed."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._cluster = Cluster.at(home)
        self.is_up = False

    def start(self) -> str:
        """Start it, or start it again; its DATABASE_URL."""
        url = self._cluster.ensure_running()
        self.is_up = True
        return url

    def keep_commit_times(self) -> None:
        """Have it keep the time of each commit. It starts again for that."""
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET track_commit_timestamp = on")
        self._cluster.stop()
        self.start()

    @property
    def port(self) -> int:
        """Where it listens, or will again."""
        return self._credentials.port

    @property
    def superuser_url(self) -> str:
        """Its address for who looks at everything."""
        return self._credentials.superuser_url(ROLE)

    @property
    def _credentials(self) -> Credentials:
        found = Credentials.load(self._home / "postgres.json")
        assert found is not None, "the server was started"
        return found

    def kill(self, number: signal.Signals) -> None:
        """SIGKILL: the main process is gone at once. SIGQUIT: an immediate stop, without a checkpoint."""
        running = postmaster.find(Path(self._credentials.base) / "postgres")
        if running is not None:
            self.is_up = False
            os.kill(running.pid, number)
            self._wait_for_end(running.pid)

    def stop(self) -> None:
        """Stop it in order, if it runs."""
        if (self._home / "postgres.json").exists():
            self._cluster.stop()

    def _wait_for_end(self, pid: int) -> None:
        deadline = time.monotonic() + _END_S
        with suppress(psutil.NoSuchProcess):
            while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
                time.sleep(0.05)
