"""A second PostgreSQL server that follows the tests' one by streaming replication."""

import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from django.db import connection

from core.embedded.account import Account
from core.embedded.binaries import Binaries
from core.embedded.credentials import HOST, SUPERUSER, Credentials

_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
_TIMEOUT_S = 120


@dataclass(frozen=True, kw_only=True)
class Replica:
    """The server's files, programs, and where it listens."""

    primary: Credentials
    data: Path
    port: int
    account: Account
    binaries: Binaries

    @property
    def follows(self) -> bool:
        """Whether it is still a replica: PostgreSQL removes this file from one that is promoted."""
        return (self.data / "standby.signal").exists()

    def start(self) -> None:
        """Start it, and wait until it can be read."""
        options = f"-c port={self.port} -c listen_addresses={HOST} -c unix_socket_directories= -c hot_standby=on"
        self._control("start", f"--log={self.data}.log", f"--options={options}")

    def stop(self) -> None:
        """Stop it at once, as a machine that fails."""
        self._control("stop", "--mode=immediate")

    def promote(self) -> None:
        """Make it a server of its own, that follows nobody."""
        self._control("promote")

    def pause(self) -> None:
        """Let it receive, and show nothing of it, until resume: a replica that is late."""
        self._execute("SELECT pg_wal_replay_pause()")

    def resume(self) -> None:
        """Go on, and wait until it shows what the primary has."""
        self._execute("SELECT pg_wal_replay_resume()")
        self.catch_up()

    def catch_up(self) -> None:
        """Wait until it shows what the primary has now.

        The tests' database commits without waiting for the disk, and only what is there is sent: a commit that waits
        takes all before it along.
        """
        with psycopg.connect(self.primary.superuser_url("postgres"), autocommit=True) as primary:
            primary.execute("SELECT pg_logical_emit_message(true, 'tests', '')")
            reached = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone()
        assert reached is not None
        deadline = time.monotonic() + _TIMEOUT_S
        while not self._execute(f"SELECT pg_last_wal_replay_lsn() >= '{reached[0]}'::pg_lsn"):
            assert time.monotonic() < deadline, "the replica does not catch up"
            time.sleep(0.02)

    def _execute(self, statement: str) -> object:
        url = f"postgres://{SUPERUSER}:{self.primary.superuser_password}@{HOST}:{self.port}/postgres"
        with psycopg.connect(url, autocommit=True) as database:
            [value] = database.execute(statement).fetchone() or [None]
            return value

    def _control(self, action: str, *arguments: str) -> None:
        command = [str(self.binaries.program("pg_ctl")), action, f"--pgdata={self.data}", "--wait", *arguments]
        done = self.account.run(command, env=_ENVIRONMENT, timeout_s=_TIMEOUT_S)
        assert done.returncode == 0, done.stdout


@contextmanager
def follow(primary: Credentials) -> Iterator[Replica]:
    """A replica of the embedded server, made by pg_basebackup beside it; stopped and removed afterwards."""
    account = Account.for_server(Path(primary.base) / "postgres")
    binaries = Binaries.for_account(account, base=Path(primary.base))
    folder = Path(primary.base) / f"replica-{secrets.token_hex(4)}"  # which the server's account can reach
    folder.mkdir(mode=0o711)
    data = folder / "postgres"
    data.mkdir(mode=0o700)
    account.own(data)
    log = folder / "postgres.log"
    log.touch(mode=0o600)
    account.own(log)
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = int(probe.getsockname()[1])
    replica = Replica(primary=primary, data=data, port=port, account=account, binaries=binaries)
    source = f"host={HOST} port={primary.port} user={SUPERUSER} password={primary.superuser_password}"
    command = [str(binaries.program("pg_basebackup")), f"--pgdata={data}", f"--dbname={source}"]
    command += ["--write-recovery-conf", "--checkpoint=fast"]
    done = account.run(command, env=_ENVIRONMENT, timeout_s=_TIMEOUT_S)
    assert done.returncode == 0, done.stdout
    try:
        replica.start()
        yield replica
    finally:
        replica.stop()
        shutil.rmtree(folder)


def as_database(replica: Replica) -> dict[str, object]:
    """Django's settings for the tests' database on the replica."""
    own = {"PORT": replica.port, "OPTIONS": {"connect_timeout": 2}, "TEST": {"MIRROR": "default"}}
    return connection.settings_dict | own
