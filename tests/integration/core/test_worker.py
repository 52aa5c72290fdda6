"""The worker outlives its database, and says what is wrong with one that it cannot work with."""

import asyncio
import concurrent.futures
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import OperationalError
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException
from procrastinate.psycopg_connector import PsycopgConnector

from core.library.sync.endings import WORKER_STOPS
from core.management.commands import worker

pytestmark = pytest.mark.django_db

Ends = Callable[..., list[int]]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Ends:
    """Make procrastinate's worker end as configured, time after time; the list holds the jobs at once asked for."""
    monkeypatch.setattr(worker, "_PAUSE_S", 0)
    monkeypatch.setattr(worker, "try_to_warm_up", lambda: None)
    monkeypatch.setattr("gc.freeze", lambda: None)  # this process lives on

    def install(*endings: Exception | bool) -> list[int]:
        begun: list[int] = []
        coming: Iterator[Exception | bool] = iter(endings)

        async def work(concurrency: int) -> bool:
            begun.append(concurrency)
            await asyncio.sleep(0)
            ending = next(coming)
            if isinstance(ending, Exception):
                raise ending
            return ending

        monkeypatch.setattr(worker, "_work", work)
        return begun

    return install


def _wrapped(cause: Exception) -> ConnectorException:
    """An error as procrastinate gives it on."""
    error = ConnectorException()
    error.__cause__ = cause
    return error


def test_a_database_that_goes_away_is_waited_for(ends: Ends, caplog: pytest.LogCaptureFixture) -> None:
    """However it is noticed; when it is back, the work goes on until the worker is stopped."""
    begun = ends(_wrapped(psycopg.OperationalError()), psycopg.InterfaceError(), False, True)
    call_command("worker", "--concurrency", "3")
    assert begun == [3, 3, 3, 3]
    assert [record.message for record in caplog.records if record.name == worker.__name__] == ["database_away"] * 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_told", [True, False])
def test_that_the_listener_lost_the_database_is_no_stop(is_told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Procrastinate's worker ends then as if it were stopped, and without an error. Listings learn of a real stop."""
    told: list[bool] = []

    async def listen(*_: object, **__: object) -> None:
        """Be stopped while listening, or lose the connection without another one to be had."""
        if not is_told:
            raise psycopg.OperationalError
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        finally:
            told.append(WORKER_STOPS.is_set())

    async def work() -> bool:
        return await asyncio.wait_for(worker._work(1), 30)

    class Watched(ThreadPoolExecutor):
        """As TruLens puts one in the place of Python's at the first scoring, with which a worker must go on."""

    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", Watched)
    monkeypatch.setattr(PsycopgConnector, "_loop_notify", listen)
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined]
    with app.replace_connector(connector):
        assert asyncio.run(work()) is is_told
    assert told == [True] * is_told
    assert not WORKER_STOPS.is_set()


def test_a_database_without_tables_is_said(ends: Ends) -> None:
    """It would not get any by waiting."""
    begun = ends(_wrapped(psycopg.errors.UndefinedTable()))
    with pytest.raises(CommandError, match=r"Run: manage\.py migrate"):
        call_command("worker")
    assert len(begun) == 1


def test_a_database_that_was_never_there_is_said(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong address is found at the start, not waited for."""

    def refuse() -> None:
        raise OperationalError("refused")

    begun = ends()
    monkeypatch.setattr(connection, "ensure_connection", refuse)
    with pytest.raises(CommandError, match="Check DATABASE_URL"):
        call_command("worker")
    assert begun == []
