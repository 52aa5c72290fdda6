"""The embedded server itself: create its files, set up what needs a superuser, start it, join it, stop it.

Callers hold the lock of `lease` around every method that changes something. The server's main process is found by the
file that it keeps in its data folder (postmaster.pid). The file outlives a killed server, and its process number may by
then be another program's. PostgreSQL itself looks only at the number, and so refuses to start beside a stranger or a
dead process that nobody has reaped yet.
"""

import hashlib
import os
import shlex
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import psutil
import psycopg
from psycopg import sql

from core.errors import DatabaseUnavailableError
from core.infrastructure.embedded.account import Account
from core.infrastructure.embedded.binaries import Binaries
from core.infrastructure.embedded.credentials import HOST, ROLE, SUPERUSER, Credentials
from core.values.sizes import MEGABYTE

_START_TIMEOUT_S = 120  # long enough for crash recovery
_STOP_TIMEOUT_S = 60
_START_ATTEMPTS = 3  # a free port may be taken by another program before the server has it
_ENVIRONMENT = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
_SMALL_SHARED_MEMORY = 1 << 30  # bytes; containers often get 64 MB, too little for building an index in parallel
_SERVER_SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "100",
    "maintenance_work_mem": "256MB",
    "timezone": "UTC",
    "random_page_cost": "1.1",  # of solid-state disks; with 4 PostgreSQL prefers reading whole tables
    "jit": "off",  # compiling costs more than it saves on queries this short
    # The server's log must not hold what people ask or read: no statements, no rows in error details.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}

_DYING_TIMEOUT_S = 30
_PORT_LINE = 3  # of postmaster.pid, from 0 (PostgreSQL's src/include/utils/pidfile.h, LOCK_FILE_LINE_PORT)


class Cluster:
    """The server whose state is kept under `home`."""

    def __init__(self, home: Path, credentials: Credentials) -> None:
        self._home = home
        self._credentials = credentials
        self._base = Path(credentials.base)
        self._data = self._base / "postgres"
        self._log = self._base / "postgres.log"

    @classmethod
    def at(cls, home: Path) -> Self:
        """The server of this home, which need not exist yet. DatabaseUnavailableError when home cannot be used."""
        try:
            if not home.exists():
                home.mkdir(parents=True)
                home.chmod(0o711)  # the server's account passes through, and sees nothing else
            credentials = Credentials.load(credentials_path(home))
        except OSError as error:
            raise DatabaseUnavailableError(f"{home} cannot be used: {error.strerror}. {_OTHER_HOME}") from error
        if not os.access(home, os.W_OK):
            raise DatabaseUnavailableError(f"{home} belongs to another user. {_OTHER_HOME}")
        return cls(home, credentials or Credentials.new(_base_for(home)))

    def ensure_running(self) -> str:
        """Start the server unless it runs, and return its DATABASE_URL."""
        # Another process may have written them while this one waited for the lock.
        saved = Credentials.load(credentials_path(self._home))
        if saved is None and self._data.exists():
            raise DatabaseUnavailableError(
                f"{credentials_path(self._home)}, which holds the passwords of the database in {self._data}, is "
                "missing. Restore it, or move that folder away to start with an empty database."
            )
        self._credentials = saved or self._credentials
        try:
            if not self._is_joinable():
                self._start_server()
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DatabaseUnavailableError(f"The embedded PostgreSQL cannot be started: {error}") from error
        return self._credentials.url()

    def stop(self) -> None:
        """Shut down quickly and in order: open transactions are rolled back, connections are closed."""
        account = Account.for_server(self._data)
        binaries = Binaries.for_account(account, base=self._base)
        self._run_pg_ctl(binaries, account, "stop", "--mode=fast", timeout_s=_STOP_TIMEOUT_S)

    def _is_joinable(self) -> bool:
        """True once a running server answers; False when there is none or it has gone, after clearing up."""
        deadline = time.monotonic() + _START_TIMEOUT_S
        while (running := find_postmaster(self._data)) is not None:
            if running.port and self._does_answer(running.port):
                self._remember_port(running.port)
                return True
            if time.monotonic() > deadline:
                raise DatabaseUnavailableError(
                    f"The embedded PostgreSQL (process {running.pid}) runs but does not answer. Its log is {self._log}."
                )
            time.sleep(0.1)
        return False

    def _does_answer(self, port: int) -> bool:
        credentials = replace(self._credentials, port=port)
        try:
            psycopg.connect(credentials.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return self._prepare_late(credentials)
        return True

    def _prepare_late(self, credentials: Credentials) -> bool:
        """Set up a server whose starter was killed before it had; False while no server answers."""
        try:
            prepare_databases(credentials)
        except DatabaseUnavailableError:
            return False
        return True

    def _start_server(self) -> None:
        account = Account.for_server(self._data)
        self._base.mkdir(mode=0o711, parents=True, exist_ok=True)
        binaries = Binaries.for_account(account, base=self._base)
        if not self._data.exists():
            self._create_files(binaries, account)
        self._log.touch(mode=0o600)
        account.own(self._log)
        for attempt in range(1, _START_ATTEMPTS + 1):
            self._remember_port(_free_port(preferred=self._credentials.port))
            settings = (
                _SERVER_SETTINGS | _buffers_setting() | _choose_shared_memory() | {"port": str(self._credentials.port)}
            )
            options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items())
            arguments = ("start", f"--log={self._log}", f"--options={options}")
            if self._run_pg_ctl(binaries, account, *arguments, timeout_s=_START_TIMEOUT_S) == 0:
                break
            if attempt == _START_ATTEMPTS or _is_free(self._credentials.port):
                raise DatabaseUnavailableError(f"The embedded PostgreSQL did not start. Its log is {self._log}.")
        prepare_databases(self._credentials)

    def _create_files(self, binaries: Binaries, account: Account) -> None:
        """Make the server's files; under another name until they are complete."""
        self._credentials.save(credentials_path(self._home))
        unfinished = self._base / "postgres.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        account.own(unfinished)
        password_file = self._base / "postgres.password"
        password_file.unlink(missing_ok=True)
        descriptor = os.open(password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(self._credentials.superuser_password)
            account.own(password_file)
            command = [
                str(binaries.program("initdb")),
                f"--pgdata={unfinished}",
                f"--username={SUPERUSER}",
                f"--pwfile={password_file}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--locale=C",
            ]
            done = account.run(command, env=_ENVIRONMENT, timeout_s=_START_TIMEOUT_S)
        finally:
            password_file.unlink()
        if done.returncode != 0:
            reason = _find_reason(done.stdout)
            raise DatabaseUnavailableError(
                f"The embedded PostgreSQL could not be created in {self._base}: {reason}. {_OTHER_HOME}"
            )
        unfinished.rename(self._data)

    def _run_pg_ctl(self, binaries: Binaries, account: Account, action: str, *arguments: str, timeout_s: int) -> int:
        """Run pg_ctl and return its exit code; 0 is success."""
        pg_ctl = str(binaries.program("pg_ctl"))
        command = [pg_ctl, action, f"--pgdata={self._data}", "--wait", f"--timeout={timeout_s}", *arguments]
        try:
            return account.run(command, env=_ENVIRONMENT, timeout_s=timeout_s + 10).returncode
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DatabaseUnavailableError(f"pg_ctl {action} failed. The server's log is {self._log}.") from error

    def _remember_port(self, port: int) -> None:
        if port != self._credentials.port:
            self._credentials = replace(self._credentials, port=port)
            self._credentials.save(credentials_path(self._home))


_OTHER_HOME = "Set FOOTNOTE_HOME to a folder that you own, or DATABASE_URL to a PostgreSQL server."


def _find_reason(output: str) -> str:
    """Return the lines of a program's output that say what went wrong; all of it where none does."""
    lines = output.strip().splitlines()
    telling = [line for line in lines if any(word in line for word in ("FATAL", "PANIC", "error:", "could not"))]
    return "; ".join(telling or lines).rstrip(".")


def credentials_path(home: Path) -> Path:
    """Return the file that keeps a server's port and passwords."""
    return home / "postgres.json"


def _base_for(home: Path) -> Path:
    """Return the folder for a new server's files: home, or one of its own where its account cannot reach home."""
    if Account.for_server().reaches(home):
        return home
    return Path("/var/lib") / f"footnote-{hashlib.sha256(str(home).encode()).hexdigest()[:12]}"


def _free_port(*, preferred: int) -> int:
    if preferred and _is_free(preferred):
        return preferred
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def _buffers_setting() -> dict[str, str]:
    """Return a sixteenth of the machine's memory, of which only what is used is taken.

    With the vector index in it, a search of 200,000 chunks takes half the time that it takes with 128 MB.
    """
    least, most = 128, 2048
    megabytes = psutil.virtual_memory().total // 16 // MEGABYTE
    return {"shared_buffers": f"{min(max(megabytes, least), most)}MB"}


def _choose_shared_memory() -> dict[str, str]:
    shared_memory = Path("/dev/shm")  # noqa: S108 - it is measured, nothing is written there
    if shared_memory.exists() and shutil.disk_usage(shared_memory).total < _SMALL_SHARED_MEMORY:
        return {"dynamic_shared_memory_type": "mmap"}
    return {}


def prepare_databases(credentials: Credentials) -> None:
    """Bring the role, the database and the extension to their present form. Harmless when they are there.

    The role is no superuser. It may create databases, for tests; those get pgvector, which only a superuser may
    install, from the template.
    """
    try:
        with psycopg.connect(credentials.superuser_url("template1"), autocommit=True) as template:
            _ensure_prepared(template)
            _ensure_role_and_database(template, credentials.password)
        with psycopg.connect(credentials.superuser_url(ROLE), autocommit=True) as database:
            _ensure_prepared(database)
    except psycopg.Error as error:
        raise DatabaseUnavailableError(f"The embedded PostgreSQL could not be set up: {error}") from error


def _ensure_prepared(connection: psycopg.Connection) -> None:
    connection.execute("SET client_min_messages = warning")
    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    connection.execute("ALTER EXTENSION vector UPDATE")  # after an upgrade of the package
    # Under row-level security PostgreSQL uses an index only for conditions that cannot reveal hidden rows, by an error
    # for example. Matching words cannot; PostgreSQL leaves saying so to whoever runs it.
    connection.execute("ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF")


def _ensure_role_and_database(connection: psycopg.Connection, password: str) -> None:
    role = sql.Identifier(ROLE)
    if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
        statement = sql.SQL("CREATE ROLE {} LOGIN CREATEDB PASSWORD {}")
        connection.execute(statement.format(role, sql.Literal(password)))
    if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [ROLE]).fetchone() is None:
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(role, role))


@dataclass(frozen=True, kw_only=True)
class Postmaster:
    """A running server. `port` is 0 until it has one."""

    pid: int
    port: int


def find_postmaster(data: Path) -> Postmaster | None:
    """Return the server that runs on this data folder, if any. The file of one that is gone for good is removed."""
    file = data / "postmaster.pid"
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return None
    pid = int(lines[0]) if lines and lines[0].isdigit() else 0
    if pid and _serves_folder(pid, data):
        port = lines[_PORT_LINE] if len(lines) > _PORT_LINE else ""
        return Postmaster(pid=pid, port=int(port) if port.isdigit() else 0)
    _wait_for_children(data)
    file.unlink(missing_ok=True)
    return None


def _wait_for_children(data: Path) -> None:
    """Wait until no process works on the data. They end by themselves once they notice that the main one is gone."""
    deadline = time.monotonic() + _DYING_TIMEOUT_S
    while any(_serves_folder(process.pid, data) for process in psutil.process_iter()):
        if time.monotonic() > deadline:
            raise DatabaseUnavailableError(f"Processes of a killed server still use {data}. End them first.")
        time.sleep(0.1)


def _serves_folder(pid: int, data: Path) -> bool:
    """Return True if the process lives and is a PostgreSQL that works in this folder, as all its processes do."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE or not process.name().startswith("postgres"):
            return False
        return Path(process.cwd()) == data.resolve()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
