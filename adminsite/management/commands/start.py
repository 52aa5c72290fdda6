"""Prepare this machine and run Footnote on it: what `make run` calls."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, connection

from adminsite.checks import refuse_unsafe_start
from adminsite.home import local_page_token
from adminsite.launcher import database
from adminsite.launcher import port as web_port
from adminsite.launcher.environment import child_environment, has_local_page, is_trial
from adminsite.launcher.processes import Processes
from adminsite.launcher.record import RunRecord
from core.library.ingestion.sandbox.probe import probe
from core.management.base import FootnoteCommand
from core.operations.safe_database import refuse_unsafe_database

_READY_TIMEOUT_S = 120
_EXIT_S = 5  # for ending itself, after the time that a worker has for its jobs


class Command(FootnoteCommand):
    """Migrate, add the sample library, run web, bot and worker, and say where to click."""

    hides_logs = False
    help = (
        "Prepares the database and the sample library, then runs web, bot and worker until Ctrl-C. Without the "
        "settings of an installation (a secret key, a database, Slack, a host), it runs for this machine only."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="add no sample library and no demo people")

    def handle(self, *args: Any, **options: Any) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _exit_in_order)  # until the processes run, which have a way of their own
        if not is_trial(os.environ):
            refuse_unsafe_start()  # as the web process would, when all the others run already
        record_path = settings.FOOTNOTE_HOME / "run.json"
        with RunRecord.claim(record_path):
            self._clear_the_way(record_path)
            record = RunRecord.of_this_process(port=settings.PORT)
            record.save(record_path)
        try:
            code = self._run_processes(record, record_path, with_demo=not options["no_demo"])
        finally:
            record_path.unlink(missing_ok=True)
        if code:
            raise CommandError(_why_ended(code), returncode=code if code > 0 else 128 - code)
        self._print_now("Footnote has stopped.")

    def _run_processes(self, record: RunRecord, record_path: Path, *, with_demo: bool) -> int:
        env = child_environment(
            os.environ,
            database_url=settings.DATABASE_URL,
            home=settings.FOOTNOTE_HOME,
            port=settings.PORT,
            in_terminal=sys.stdout.isatty(),
        )
        self._prepare_database()
        people = ""
        if with_demo and is_trial(os.environ) and has_local_page(env):
            people = self._seed_demo(env, record, record_path)
        if not is_trial(os.environ):
            refuse_unsafe_database()
            call_command("collectstatic", interactive=False, verbosity=0)
        usual_stop_s = settings.PROCRASTINATE_WORKER_DEFAULTS["shutdown_graceful_timeout"]
        processes = Processes(
            settings.BASE_DIR / "Procfile",
            env,
            record=record,
            record_path=record_path,
            stop_timeout_s=int(env.get("WORKER_STOP_TIMEOUT_S", usual_stop_s)) + _EXIT_S,
            beside=_list_beside(),
        )
        return processes.run(meanwhile=lambda: self._announce_address(processes, env, people))

    def _clear_the_way(self, record: Path) -> None:
        """End what a killed run has left; CommandError when Footnote runs already or its port is taken."""
        last = RunRecord.load(record)
        if last is not None:
            if last.launcher.is_alive():
                raise CommandError(
                    f"Footnote is already running on http://{web_port.HOST}:{last.port} (process "
                    f"{last.launcher.pid}). Stop it with Ctrl-C where it was started, or set FOOTNOTE_HOME to another "
                    "folder to run a second one."
                )
            if last.end_processes():
                self._print_now("Stopped processes left over from an earlier run.")
            record.unlink(missing_ok=True)
        try:
            free = web_port.is_free(settings.PORT)
        except PermissionError as error:
            raise CommandError(
                f"Port {settings.PORT} is only for root. Choose a port from 1024 up: PORT=8000 make run"
            ) from error
        if not free:
            raise CommandError(
                f"Port {settings.PORT} is taken by {web_port.holder(settings.PORT)}. "
                f"Stop it, or choose another port: PORT={settings.PORT + 1} make run"
            )

    def _prepare_database(self) -> None:
        self._print_now("Preparing the database ...")
        try:
            problem = database.problem(connection)
            if problem:
                raise CommandError(problem)
            call_command("migrate", interactive=False, verbosity=0)
        except DatabaseError as error:
            raise CommandError(
                f"The database cannot be prepared. Its message: {database.in_one_line(error)}. docs/postgresql.md says "
                "what Footnote needs."
            ) from error
        # The connections must not pass into the processes that are forked from here.
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has it, others do not

    def _seed_demo(self, env: dict[str, str], record: RunRecord, record_path: Path) -> str:
        """Add the sample library where it is missing, and return whom to sign in as.

        A process of its own, because the embedding model would stay in this one's memory for good.
        """
        self._print_now("Preparing the sample library (the first time takes about a minute) ...")
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "seed_demo"]
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True)
        record = record.with_processes([process.pid])
        record.save(record_path)
        try:
            people, _ = process.communicate()
        finally:
            record.end_processes()
        if process.returncode:
            raise CommandError("The sample library could not be added. The lines above say why.", returncode=1)
        return people.rstrip()

    def _announce_address(self, processes: Processes, env: dict[str, str], people: str) -> None:
        address = f"http://{web_port.HOST}:{settings.PORT}"
        host = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
        ready = web_port.wait_until_ready(
            f"{address}/readyz", host=host, timeout_s=_READY_TIMEOUT_S, cancelled=lambda: processes.ended
        )
        if processes.ended:
            return
        if not ready:
            self.stderr.write(f"Footnote has started, but {address}/readyz does not report that it is ready.")
            return
        lines = ["", "Footnote is ready.", ""]
        if has_local_page(env):
            token = local_page_token(settings.FOOTNOTE_HOME)
            lines.append(f"  Ask    {address}/local/?token={token}")
            lines.append("         a page that stands in for Slack; keep its token to yourself")
        lines.append(f"  Admin  {address}/admin/")
        lines.append(f"  REST   {address}/api/v1/docs")
        if not probe().holds:
            lines += ["", f"  Files are read in a sandbox: {probe().words}. docs/sandbox.md says what is missing."]
        if people:
            lines += ["", people]
        if env.get("LOG_LEVEL") != os.environ.get("LOG_LEVEL"):
            lines += ["", "Only warnings are printed below; LOG_LEVEL=INFO make run prints each step."]
        self._print_now("\n".join([*lines, "", "Stop with Ctrl-C.", ""]))

    def _print_now(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()  # when it goes into a file or a pipe, too


def _list_beside() -> dict[str, str]:
    """Return the command of the model's server, where a model of this machine is set up and used."""
    local = settings.LOCAL_MODEL
    is_used = local is not None and bool(local.file) and local.model == settings.LLM_MODEL
    return {"model": "exec python -m core.llm.local_model.watching"} if is_used else {}


def _why_ended(code: int) -> str:
    """Explain why a process ended by itself. code: its exit code; below 0, the signal that killed it."""
    if code == -signal.SIGKILL:
        return (
            "A process was killed from outside, so all were stopped. If nobody did this, the system killed it "
            "because memory ran out: Footnote needs about 2 GB."
        )
    return "A process ended on its own, so all were stopped. The lines above say why."


def _exit_in_order(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
