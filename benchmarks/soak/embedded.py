"""Two PostgreSQL servers of the soak's own, in a folder of its own: one follows the other, and both may be killed."""

import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import psutil
import psycopg

from core.infrastructure.embedded.account import Account
from core.infrastructure.embedded.binaries import Binaries
from core.infrastructure.embedded.cluster import Cluster, find_postmaster
from core.infrastructure.embedded.credentials import ROLE, Credentials
from tests.integration.retrieval.replica import Replica, copy_server

_END_S = 30.0
_IN_STEP_S = 120.0  # within which a standby has to have what the primary has
_LOOK_S = 0.1
# What an operator sets on a primary that others follow, and what 0069 needs.
_SETTINGS = {
    "track_commit_timestamp": "on",
    "hot_standby_feedback": "on",
    "wal_keep_size": "256MB",  # so that a standby that was away for a while can go on
    "wal_retrieve_retry_interval": "500ms",  # commits wait for the standby once a primary that was killed is back
}
_COMMAND_LINE = "SELECT name, current_setting(name) FROM pg_settings WHERE source = 'command line'"
_IN_STEP = """
SELECT coalesce(bool_or(state = 'streaming' AND flush_lsn >= pg_current_wal_lsn()
    AND (sync_state = 'sync' OR current_setting('synchronous_standby_names') = '')), false)
FROM pg_stat_replication WHERE application_name = %s
"""


class Server:
    """The servers under a home: a primary, and a standby that is copied from it.

    While the standby is well, a commit is told to be one only when the standby has it too (synchronous replication): so
    nothing that was told is lost when the standby is moved to the front.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._numbers = count(1)
        self._primary: Replica | None = None
        self._standby: Replica | None = None
        self.is_up = False
        self.standby_is_up = False

    # --- The primary ------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Make the primary, and start it; or start it again after it was killed."""
        if self._primary is None:
            self._primary = self._create()
        _start(self._primary)
        self.is_up = True

    def kill(self, number: signal.Signals) -> None:
        """SIGKILL: the main process is gone at once. SIGQUIT: an immediate stop, without a checkpoint."""
        self.is_up = False
        _kill(self._running, number)

    @property
    def port(self) -> int:
        """The primary's port, also while it is down."""
        return self._running.port

    @property
    def superuser_url(self) -> str:
        """The primary's address for who looks at everything."""
        return self._credentials.superuser_url(ROLE)

    def url_through(self, port: int) -> str:
        """The application's address of a server that is behind a door at this port."""
        return replace(self._credentials, port=port).url()

    # --- The standby ------------------------------------------------------------------------------------------------
    @property
    def standby_port(self) -> int:
        """The standby's port, also while it is down; 0 while there is none."""
        return self._standby.port if self._standby else 0

    @property
    def standby_superuser_url(self) -> str:
        """The standby's address, as superuser_url."""
        return replace(self._credentials, port=self.standby_port).superuser_url(ROLE)

    def add_standby(self) -> None:
        """Copy the primary, let the copy follow it, and have commits wait for it from now on."""
        folder = Path(self._credentials.base) / f"standby{next(self._numbers)}"
        standby = copy_server(self._credentials, folder, settings=self._running.settings)
        # A copy has the primary's settings. Moved to the front it must not wait for who follows nobody.
        with (standby.data / "postgresql.auto.conf").open("a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self._standby = standby
        self.start_standby()

    def start_standby(self) -> None:
        """Let it follow again, and have commits wait for it once it has what the primary has."""
        _start(self._following)
        self.standby_is_up = True
        self.wait_until_in_step()
        self._wait_for_standby(self._name)
        self.wait_until_in_step()

    def kill_standby(self) -> None:
        """It is gone at once, and commits wait for it until `leave_standby`."""
        self.standby_is_up = False
        _kill(self._following, signal.SIGKILL)

    def stop_standby(self) -> None:
        """Stop it as an operator does: commits wait for it no more, then it is stopped in order."""
        self.leave_standby()
        self.standby_is_up = False
        _kill(self._following, signal.SIGINT)

    def leave_standby(self) -> None:
        """Have no commit wait for it, also none that waits now."""
        self._wait_for_standby("")

    def pause_standby(self) -> None:
        """Let it receive, and show nothing of it."""
        self._following.pause()

    def resume_standby(self) -> None:
        """Let it show what it received, and wait until it does."""
        self._following.resume()

    def turn_to_standby(self) -> None:
        """After the primary's end have its door lead to the standby. Nothing of the old one is kept."""
        old = self._running
        self._primary, self._standby, self.standby_is_up = self._following, None, False
        find_postmaster(old.data)  # waits until nothing of it runs
        shutil.rmtree(old.data)

    def promote(self) -> None:
        """Let the server that it was turned to take what is written."""
        self._running.promote()
        self.is_up = True

    def wait_until_in_step(self) -> None:
        """Wait until the standby has what the primary has, and commits wait for it if they are to."""
        deadline = time.monotonic() + _IN_STEP_S
        while not self._is_in_step():
            if time.monotonic() > deadline:
                raise TimeoutError("the standby does not follow")
            time.sleep(_LOOK_S)

    def stop(self) -> None:
        """End both, whatever they are at."""
        for one in (self._standby, self._primary):
            if one is not None:
                _kill(one, signal.SIGQUIT)

    # ----------------------------------------------------------------------------------------------------------------
    def _create(self) -> Replica:
        """The first primary: the embedded server, with what it needs to be followed."""
        cluster = Cluster.at(self._home)
        cluster.ensure_running()
        try:
            credentials = Credentials.load(self._home / "postgres.json")
            assert credentials is not None, "the server was started"
            with psycopg.connect(credentials.superuser_url("postgres"), autocommit=True) as connection:
                for name, value in _SETTINGS.items():
                    connection.execute(f"ALTER SYSTEM SET {name} = '{value}'")
                given: dict[str, str] = dict(connection.execute(_COMMAND_LINE).fetchall())
        finally:
            cluster.stop()
        data = Path(credentials.base) / "postgres"
        account = Account.for_server(data)
        return Replica(
            primary=credentials,
            data=data,
            port=credentials.port,
            account=account,
            binaries=Binaries.for_account(account, base=Path(credentials.base)),
            settings=given,
        )

    @property
    def _running(self) -> Replica:
        assert self._primary is not None, "it was started"
        return self._primary

    @property
    def _following(self) -> Replica:
        assert self._standby is not None, "there is one"
        return self._standby

    @property
    def _credentials(self) -> Credentials:
        """Those of the primary that runs now: all servers are copies of the first one."""
        return replace(self._running.primary, port=self.port)

    @property
    def _name(self) -> str:
        """The standby's own name."""
        return self._following.data.parent.name

    def _wait_for_standby(self, name: str) -> None:
        """Have commits wait for the standby of this name, or for none."""
        with psycopg.connect(self.superuser_url, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
            connection.execute("SELECT pg_reload_conf()")

    def _is_in_step(self) -> bool:
        with psycopg.connect(self.superuser_url) as connection:
            row = connection.execute(_IN_STEP, [self._name]).fetchone()
        return row is not None and bool(row[0])


def _start(server: Replica) -> None:
    find_postmaster(server.data)  # clears up after one that was killed
    server.start()


def _kill(server: Replica, number: signal.Signals) -> None:
    running = find_postmaster(server.data)
    if running is not None:
        os.kill(running.pid, number)
        _wait_for_end(running.pid)


def _wait_for_end(pid: int) -> None:
    deadline = time.monotonic() + _END_S
    with suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
            time.sleep(0.05)
