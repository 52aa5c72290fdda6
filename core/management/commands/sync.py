"""The command that has a data source asked now."""

import json
import sys
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import Count
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from core.errors import FootnoteError
from core.library.sync.listing import find_failing
from core.library.sync.runs import decide, start
from core.management.base import FootnoteCommand
from core.models import DataSource, SyncChange, SyncRun
from core.values.change_checks import UNDER_WAY, CheckState

NOT_DONE, WRONG_USAGE = 1, 2  # exit codes
_LOOK_S = 0.5
_PATIENCE_S = 15  # until it is said that no worker takes the run


class Command(FootnoteCommand):
    """Ask a data source now, and say what came of it."""

    help = (
        "Has the worker ask a data source and waits until it has. Without a name, lists the data sources. Exit code 0: "
        "the library is in step with the source, 1: something failed or waits for a decision, 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("source", nargs="?", metavar="NAME", help="The data source, as the admin calls it.")
        parser.add_argument(
            "--withdraw",
            action="store_true",
            help="Withdraw also more than the source's limit, about which a run would otherwise ask.",
        )
        parser.add_argument(
            "--readers",
            action="store_true",
            help="Ask only who reads what is in the library, and what is gone; nothing is loaded.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, wait, and say what came of it."""
        if not options["source"]:
            self._list(as_json=options["json"])
            return
        source = DataSource.objects.filter(name=options["source"]).first()
        if source is None:
            raise CommandError(f"There is no data source {options['source']}.", returncode=WRONG_USAGE)
        try:
            if options["readers"] and not source.takes_readers:
                raise CommandError(f"{source} does not take readers from its source.", returncode=WRONG_USAGE)
            run = start(source, scope=SyncRun.Scope.READERS if options["readers"] else SyncRun.Scope.ALL)
            self._follow(run, quiet=options["json"])
            if run.state == SyncRun.State.ASKING and options["withdraw"]:
                decide(run, withdraw=True, by=None)
                self._follow(run, quiet=options["json"])
        except FootnoteError as error:
            raise CommandError(error.message) from error
        self._print(run, as_json=options["json"])
        if run.state != SyncRun.State.DONE:
            sys.exit(NOT_DONE)

    def _list(self, *, as_json: bool) -> None:
        rows = [
            {
                "name": source.name,
                "kind": source.kind,
                "documents": source.documents.filter(withdrawn_at=None).count(),
                "failing": find_failing(source).count(),
                "latest": latest.state if (latest := source.runs.first()) else None,
                "next_run_at": source.next_run_at.isoformat() if source.next_run_at else None,
            }
            for source in DataSource.objects.all()
        ]
        if as_json:
            self.stdout.write(json.dumps(rows, ensure_ascii=False))
            return
        for row in rows:
            failing = f", {row['failing']} failing" if row["failing"] else ""
            self.stdout.write(
                f"{row['name']} ({row['kind']}): {row['documents']} documents{failing}, {row['latest'] or 'not asked'}"
            )
        if not rows:
            self.stdout.write("There is no data source yet. The admin adds them, under Library.")

    def _follow(self, run: SyncRun, *, quiet: bool) -> None:
        """Wait until a run has ended, asks, or waits for a yes, with a bar while standard error is a terminal."""
        console = Console(stderr=True, quiet=quiet)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        began, told = time.monotonic(), False
        with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
            task = bar.add_task("queued", total=None)
            run.refresh_from_db()
            while _goes_on(run):
                if not told and _is_untaken(run) and time.monotonic() - began > _PATIENCE_S:
                    self.stderr.write("The run waits for a worker. Is one running (make run, or manage.py worker)?")
                    told = True
                pending = run.source.items.filter(is_pending=True).count()
                total = run.to_load or None
                bar.update(task, total=total, completed=run.to_load - pending if total else 0, description=run.state)
                time.sleep(_LOOK_S)
                run.refresh_from_db()

    def _print(self, run: SyncRun, *, as_json: bool) -> None:
        counts = dict(run.changes.values_list("outcome").annotate(count=Count("pk")).order_by())
        if as_json:
            result = {"run": str(run.pk), "state": run.state, "error": run.error, "listed": run.listed}
            result |= {outcome: counts.get(outcome, 0) for outcome in SyncChange.Outcome.values}
            failed = run.changes.filter(outcome=SyncChange.Outcome.FAILED)
            result["failures"] = [{"name": change.name, "error": change.message} for change in failed]
            self.stdout.write(json.dumps(result, ensure_ascii=False))
            return
        for change in run.changes.filter(outcome=SyncChange.Outcome.FAILED):
            self.stderr.write(self.style.ERROR(f"Failed: {change.name}: {change.message}"))
        if run.error:
            self.stderr.write(self.style.ERROR(run.error))
        if run.state == SyncRun.State.ASKING:
            self.stderr.write(
                "More is gone at the source than is withdrawn without asking. Decide in the admin, or add --withdraw."
            )
        if run.state == SyncRun.State.CHECKING:
            self.stderr.write(
                "What the source brings has been checked, and is not in the library yet: it waits for a yes, in the "
                "admin under Changes before they are live."
            )
        did = ", ".join(f"{count} {SyncChange.Outcome(outcome).label}" for outcome, count in sorted(counts.items()))
        self.stdout.write(
            f"{run.source}: {run.get_state_display()}, {run.listed} at the source, {did or 'nothing new'}"
        )


def _goes_on(run: SyncRun) -> bool:
    """Return True while a worker has something to do for a run: its slices, or the questions of its check."""
    if run.state != SyncRun.State.CHECKING:
        return run.state in SyncRun.ACTIVE
    return not run.checks.exists() or run.checks.filter(state__in=UNDER_WAY).exists()


def _is_untaken(run: SyncRun) -> bool:
    """Return True while no worker has taken a run, or its check."""
    if run.state == SyncRun.State.CHECKING:
        return not run.checks.filter(state=CheckState.RUNNING).exists()
    return run.state == SyncRun.State.QUEUED
