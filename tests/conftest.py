"""Provide fixtures for every test: the cast, a fast embedding, a scripted model."""

import asyncio
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from socketserver import BaseServer
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.db.backends.utils import CursorWrapper
from hypothesis import Phase, settings
from pytest_django import DjangoDbBlocker

from bot.delivery import progress, rate_limiting
from bot.identity import membership
from core.library.retrieval.vector_copy import drop_copy
from core.testing import Cast, fast_embedding, make_cast
from tests.job_queue import empty_queue
from tests.quick_server import quicken_server

pytest_plugins = (
    "tests.figures",
    "tests.flush",
    "tests.garbage",
    "tests.order",
    "tests.prepared_home",
    "tests.skips",
)

# Tests start Python hundreds of times, and each would compile anew what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# How long an example takes is the machine's affair: a busy one would fail tests that are right.
settings.register_profile("untimed", deadline=None, max_examples=50)
settings.load_profile("untimed")
# `make test-all` tries twice as many, as Hypothesis does by itself.
settings.register_profile("all", deadline=None)
# `--hypothesis-profile=thorough` tries more than 40,000 worlds in the leak tests. It takes hours.
settings.register_profile("thorough", deadline=None)
# `--hypothesis-profile=unshrunk` tries as many as `all`, of worlds twice as many, and stops at the first example that
# fails: for the mutation check, which only wants to know whether one does.
settings.register_profile("unshrunk", deadline=None, phases=[Phase.explicit, Phase.generate])


class FirstTemplate:
    """The template of the process that made the tables first, of those that share the tests.

    A process asks for it, and waits while another one makes it; then it copies it, or makes the tables and says so.
    """

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, file.with_suffix(".lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    @property
    def name(self) -> str | None:
        """The database's name; None in the first process."""
        return self._file.read_text() if self._file.exists() else None

    def tell(self, name: str) -> None:
        """It is there."""
        if not self._file.exists():
            self._file.write_text(name)
        self.release()

    def release(self) -> None:
        """Let another process go on, whether it is there or not."""
        self._lock.close()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> Iterator[FirstTemplate]:
    """The database of this session is copied from the first process's template, if there is one."""
    folder = tmp_path_factory.getbasetemp()
    first = FirstTemplate((folder if worker_id == "master" else folder.parent) / "tables")
    if first.name is None:
        quicken_server(django_settings.FOOTNOTE_HOME, int(connection.settings_dict["PORT"] or 0))
    tests: dict[str, Any] = connection.settings_dict["TEST"]
    before = tests.get("TEMPLATE")
    tests["TEMPLATE"] = first.name or before
    yield first
    tests["TEMPLATE"] = before
    first.release()


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_modify_db_settings: FirstTemplate, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The session's database, and its empty tables kept as a template: databases that commands make are copied from it.

    Making the tables takes ten seconds, and dozens of tests run a command that measures in a database of its own.
    """
    template = f"{connection.settings_dict['NAME']}_tables"
    with django_db_blocker.unblock():
        _copy_database(template)
        _commit_without_waiting()
    connection.settings_dict["TEST"]["TEMPLATE"] = template
    django_db_modify_db_settings.tell(template)
    yield
    with django_db_blocker.unblock(), connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{template}"')
        _end_other_sessions(cursor)


def _end_other_sessions(cursor: CursorWrapper) -> None:
    """End the sessions of threads that a test left running: the database is about to be dropped, and they have no use.

    A thread of a server that a test stopped may keep its connection until Python collects it.
    """
    cursor.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
        [connection.settings_dict["NAME"]],
    )


def _commit_without_waiting() -> None:
    """Let commits return before they are on the disk: no test has this server's machine fail."""
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" SET synchronous_commit = off')


def _copy_database(copy: str) -> None:
    """Make a copy of the session's database, which nobody may be connected to meanwhile."""
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # only PostgreSQL has one
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{copy}"')
        cursor.execute(f'CREATE DATABASE "{copy}" TEMPLATE "{name}"')


@pytest.fixture(scope="session", autouse=True)
def _own_originals(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Files that tests ingest are kept in a folder of the tests."""
    django_settings.STORAGES["originals"]["OPTIONS"]["location"] = tmp_path_factory.mktemp("originals")


@pytest.fixture(scope="session", autouse=True)
def _each_call_is_made() -> None:
    """A scripted model is asked each time; tests of replies that are given again set the hours themselves."""
    django_settings.MODEL_CACHE_HOURS = 0


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_read() -> None:
    """The reader takes a second of each question; tests of reading set it themselves, and processes have it."""
    django_settings.READER = "none"
    # The fast embedding compares words by chance a little: what it makes .44 to .46 is what it calls unlike.
    django_settings.ANSWER_FROM = 0.46


@pytest.fixture(scope="session", autouse=True)
def _quick_hashes() -> None:
    """Passwords cost nothing: how long they take is not what is tried."""
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def _prompt_servers() -> Iterator[None]:
    """Servers in this process notice at once that they are to stop; by themselves they look every half second.

    Django's of a live site, those of the tests, and those that packages bring for tests.
    """
    serve = BaseServer.serve_forever

    def serve_promptly(server: BaseServer, poll_interval: float = 0.01) -> None:
        serve(server, poll_interval)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BaseServer, "serve_forever", serve_promptly)
        yield


@pytest.fixture
def cast(db: None) -> Cast:
    """Alice (owners, staff), Bob (staff) and Charlie (nothing)."""
    return make_cast()


@pytest.fixture
def fast(db: None) -> Iterator[None]:
    """Embeds by hashing words: no model is loaded."""
    with fast_embedding():
        yield


@pytest.fixture(autouse=True)
def _empty_queue(request: pytest.FixtureRequest) -> Iterator[None]:
    """After a test that commits the queue is empty."""
    marker = request.node.get_closest_marker("django_db")
    commits = "transactional_db" in request.fixturenames or (marker is not None and marker.kwargs.get("transaction"))
    if not commits:
        yield
        return
    request.getfixturevalue("transactional_db")
    yield
    empty_queue()


@pytest.fixture(autouse=True)
def _own_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that Slack said in one test is believed in another, and it takes messages as fast as they come.

    No step of an answer is shown in between, however slow the machine is: a test that looks at steps sets its own time.
    """
    without_pauses(monkeypatch)
    membership.forget()


def without_pauses(patch: pytest.MonkeyPatch) -> None:
    """Let this process send messages at once, and no steps of answers."""
    patch.setattr(progress, "INTERVAL_S", 60)
    patch.setattr(rate_limiting, "INTERVAL_S", 0.0)
    patch.setattr(rate_limiting, "_pace", rate_limiting.Pace())


@pytest.fixture(autouse=True)
def _own_vectors() -> Iterator[None]:
    """No copy of the vectors, which a command may load for its process, outlives the test."""
    yield
    drop_copy()


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the machine reaches a test."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _event_loop() -> Iterator[None]:
    """An event loop that is closed afterwards.

    LiteLLM asks for the thread's loop after some calls. Where there is none, asyncio makes one that nobody closes: it
    would warn in whichever test the garbage happens to be collected.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
