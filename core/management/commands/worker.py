"""`manage.py worker`: what the Procfile's worker runs."""

import asyncio
import concurrent.futures as futures
import gc
import logging
import threading
import time
from argparse import ArgumentParser
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException
from procrastinate.signals import on_stop

from core.errors import DatabaseUnavailableError
from core.infrastructure.database_errors import translate_database_errors
from core.library.sync.endings import WORKER_STOPS
from core.management.base import FootnoteCommand
from core.operations.observation import observe, watch_job
from core.operations.safe_database import refuse_unsafe_database
from core.operations.warming import try_to_warm_up

logger = logging.getLogger(__name__)

_SPARE_THREADS = 4  # for what asyncio itself does in threads, as looking up the database's address
# Procrastinate's connections are psycopg's own, whose errors Django does not wrap.
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)
_PAUSE_S = 5  # before the database is looked for again; the pool has then looked for 30 seconds itself
_LOOK_EVERY_S = 1.0  # for jobs whose time has come, of which nothing tells: replies that were paced, for example


class Command(FootnoteCommand):
    """Work on answers, ingestion and evaluation until stopped. Any number may run, on any number of machines."""

    hides_logs = False
    help = "Runs the background jobs: answers first, then ingestion, then evaluation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        concurrency = settings.PROCRASTINATE_WORKER_DEFAULTS["concurrency"]
        parser.add_argument(
            "--concurrency",
            type=int,
            default=concurrency,
            help=f"Number of jobs at the same time. Default: WORKER_CONCURRENCY, here {concurrency}.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the models beside the first jobs, and run procrastinate's worker. It ends its jobs on SIGTERM.

        The database must be there at the start. When it goes away later, the worker waits until it is back.
        """
        try:
            with translate_database_errors():
                connection.ensure_connection()
        except DatabaseUnavailableError as error:
            raise CommandError(error.message) from error
        refuse_unsafe_database()
        connection.close()
        observe("worker")
        threading.Thread(target=try_to_warm_up, daemon=True, name="warm-up").start()
        while not _work_to_the_end(options["concurrency"]):
            logger.warning("database_away", extra={"again_in_s": _PAUSE_S})
            time.sleep(_PAUSE_S)
        gc.freeze()  # else Python looks through all that the models brought along before it ends, for seconds


def _work_to_the_end(concurrency: int) -> bool:
    """Work until stopped, and return True; False when the database went away meanwhile.

    CommandError when it is there and cannot be worked with.
    """
    connector = app.connector.get_worker_connector()  # type: ignore[attr-defined] # Django's connector has it
    try:
        with app.replace_connector(connector):
            return asyncio.run(_work(concurrency))
    except (ConnectorException, *_AWAY) as error:
        if isinstance(error, _AWAY) or isinstance(error.__cause__, _AWAY):
            return False
        raise CommandError(
            "The database lacks tables, or its tables are of another version. Run: manage.py migrate"
        ) from error


async def _work(concurrency: int) -> bool:
    """Work until stopped, and return True; False when procrastinate's worker ends by itself.

    It does so, without an error, when the listener or the heartbeat beside its jobs has lost the database.
    """
    # Jobs run in the loop's threads, of which Python gives it few on a machine with few processors.
    threads = futures.ThreadPoolExecutor(concurrency + _SPARE_THREADS, thread_name_prefix="job")
    asyncio.get_running_loop().set_default_executor(threads)
    told = False
    async with app.open_async():
        around = [*app.worker_defaults.get("task_middleware", ()), watch_job]  # those that end connections stay outside
        work = asyncio.create_task(
            app.run_worker_async(
                concurrency=concurrency,
                task_middleware=around,
                install_signal_handlers=False,
                fetch_job_polling_interval=_LOOK_EVERY_S,
            )
        )

        def stop() -> None:
            nonlocal told
            told = True
            WORKER_STOPS.set()
            work.cancel()  # it ends its jobs

        with on_stop(stop):
            try:
                await work
            except asyncio.CancelledError:
                if not told:
                    raise
            finally:
                WORKER_STOPS.clear()
    return told
