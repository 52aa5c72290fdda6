"""Prepare this machine and run Footnote on it: what `make run` calls."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, connection

from adminsite.launcher import port as web_port
from adminsite.launcher.environment import child_environment, is_trial
from adminsite.launcher.processes import Processes
from adminsite.launcher.readiness import wait_until_ready
from adminsite.launcher.record import RunRecord

_READY_TIMEOUT_S = 120
_DEMO_COMMAND = "seed_demo"


class Command(BaseCommand):
    """Migrate, add the sample library, run web, bot and worker, and say where to click."""

    help = (
        "Prepares the database and the sample library, then runs web, bot and worker until Ctrl-C. "
        "Without settings of a real installation (DEBUG, SECRET_KEY) it runs for this machine alone."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="add no sample library and no demo people")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _exit_in_order)
        record = settings.FOOTNOTE_HOME / "run.json"
        self._clear_the_way(record)
        env = child_environment(
            os.environ, database_url=settings.DATABASE_URL, home=settings.FOOTNOTE_HOME, port=settings.PORT
        )
        self._migrate()
        people = "" if options["no_demo"] or not is_trial(os.environ) else self._seed_demo(env)
        if not is_trial(os.environ):
            call_command("collectstatic", interactive=False, verbosity=0)
        processes = Processes(settings.BASE_DIR / "Procfile", env, record=record, port=settings.PORT)
        code = processes.run(meanwhile=lambda: self._announce(processes, env, people))
        if code:
            raise CommandError(
                "A process ended by itself, so all were stopped. The lines above say why.", returncode=code
            )
        self.stdout.write("Footnote has stopped.")

    def _clear_the_way(self, record: Path) -> None:
        """End what a killed run has left; CommandError when Footnote runs already or its port is taken."""
        last = RunRecord.load(record)
        if last is not None:
            if last.launcher.is_alive():
                raise CommandError(
                    f"Footnote runs already on http://{web_port.HOST}:{last.port} (process {last.launcher.pid}). "
                    "Stop it with Ctrl-C where it was started, or set FOOTNOTE_HOME to another folder for a second one."
                )
            if last.end_processes():
                self.stdout.write("Ended what an earlier run had left behind.")
            record.unlink(missing_ok=True)
        if not web_port.is_free(settings.PORT):
            raise CommandError(
                f"Port {settings.PORT} is taken by {web_port.holder(settings.PORT)}. "
                f"Stop it, or choose another port: PORT={settings.PORT + 1} make run"
            )

    def _migrate(self) -> None:
        self.stdout.write("Preparing the database ...")
        try:
            call_command("migrate", interactive=False, verbosity=0)
        except OperationalError as error:
            raise CommandError(f"The database cannot be reached: check DATABASE_URL. It said: {error}") from error
        # The connections must not pass into the processes that are forked from here.
        connection.close()
        connection.close_pool()

    def _seed_demo(self, env: dict[str, str]) -> str:
        """Add the sample library where it is missing, and return whom to sign in as.

        A process of its own, because the embedding model would stay in this one's memory for good.
        """
        if _DEMO_COMMAND not in get_commands():
            return ""
        self.stdout.write("Preparing the sample library ...")
        command = [sys.executable, str(settings.BASE_DIR / "manage.py"), _DEMO_COMMAND]
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise CommandError("The sample library could not be added. The lines above say why.", returncode=1)
        return done.stdout.strip()

    def _announce(self, processes: Processes, env: dict[str, str], people: str) -> None:
        address = f"http://{web_port.HOST}:{settings.PORT}"
        host = next((host.lstrip(".") for host in settings.ALLOWED_HOSTS if host != "*"), "localhost")
        ready = wait_until_ready(
            f"{address}/readyz", host=host, timeout_s=_READY_TIMEOUT_S, cancelled=lambda: processes.ended
        )
        if processes.ended:
            return
        if not ready:
            self.stderr.write(f"Footnote has started, but {address}/readyz does not say that it is ready.")
            return
        lines = ["", "Footnote is ready.", ""]
        if env.get("LOCAL_PAGE"):
            lines.append(f"  Ask    {address}/local/        a page that stands in for Slack")
        lines.append(f"  Admin  {address}/admin/")
        lines.append(f"  REST   {address}/api/v1/docs/")
        if people:
            lines += ["", people]
        self.stdout.write("\n".join([*lines, "", "Stop with Ctrl-C.", ""]))


def _exit_in_order(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
