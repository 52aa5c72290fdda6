"""A second PostgreSQL server that follows the tests' one by streaming replication."""

import secrets
import shlex
import shutil
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from django.db import connection

from core.infrastructure.embedded.account import Account
from core.infrastructure.embedded.binaries import Binaries
from core.infrastructure.embedded.credentials import HOST, SUPERUSER, Credentials

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
    settings: Mapping[str, str] = field(default_factory=dict)  # beside those that it has from the primary's files

    @property
    def follows(self) -> bool:
        """Return True if it is still a replica: PostgreSQL removes this file from one that is promoted."""
        return (self.data / "standby.signal").exists()

    def start(self) -> None:
        """Start it, and wait until it can be read."""
        own = {"port": str(self.port), "listen_addresses": HOST, "unix_socket_directories": "", "hot_standby": "on"}
        options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in {**self.settings, **own}.items())
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
    folder = Path(primary.base) / f"replica-{secrets.token_hex(4)}"  # which the server's account can reach
    replica = copy_server(primary, folder)
    try:
        replica.start()
        yield replica
    finally:
        replica.stop()
        shutil.rmtree(folder)


def copy_server(primary: Credentials, folder: Path, *, settings: Mapping[str, str] | None = None) -> Replica:
    """A replica in a new folder, made by pg_basebackup. It is not started yet, and knows itself by the folder's name.

    settings: what it is started with, beside what the primary keeps in its files.
    """
    account = Account.for_server(Path(primary.base) / "postgres")
    folder.mkdir(mode=0o711)
    data = folder / "postgres"
    data.mkdir(mode=0o700)
    account.own(data)
    log = folder / "postgres.log"
    log.touch(mode=0o600)
    account.own(log)
    replica = Replica(
        primary=primary,
        data=data,
        port=_free_port(),
        account=account,
        binaries=Binaries.for_account(account, base=Path(primary.base)),
        settings=settings or {},
    )
    source = f"host={HOST} port={primary.port} user={SUPERUSER} password={primary.superuser_password}"
    command = [str(replica.binaries.program("pg_basebackup")), f"--pgdata={data}"]
    command += [f"--dbname={source} application_name={folder.name}", "--write-recovery-conf", "--checkpoint=fast"]
    done = account.run(command, env=_ENVIRONMENT, timeout_s=_TIMEOUT_S)
    assert done.returncode == 0, done.stdout
    return replica


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def as_database(replica: Replica) -> dict[str, object]:
    """Django's settings for the tests' database on the replica."""
    own = {"PORT": replica.port, "OPTIONS": {"connect_timeout": 2}, "TEST": {"MIRROR": "default"}}
    return connection.settings_dict | own
