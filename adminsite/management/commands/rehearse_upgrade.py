"""`manage.py rehearse_upgrade`: this version's migrations and questions on a copy of the database."""

import json
import os
import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Tags, run_checks
from django.core.management.base import CommandError

from adminsite.launcher.environment import is_trial
from core.errors import FootnoteError
from core.management.base import DATABASE_TAG, SETTINGS_TAG, FootnoteCommand
from core.management.progress import progress
from core.operations.rehearsal.rehearsing import Wanted, rehearse
from core.operations.rehearsal.report import Finding, Report, as_finding

FAILS, CANNOT, INTERRUPTED = 1, 2, 130  # exit codes
MOST = 500  # questions of each kind


class Command(FootnoteCommand):
    """Rehearse the upgrade to this version, and say what it would take and change."""

    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own; they are part of the report
    help = (
        "Run it with the new version's code and the old installation's settings, before upgrading: it copies the "
        "database, applies this version's migrations to the copy, asks on it what people have asked and what the "
        "library itself answers, says what would change and what there is to do, and drops the copy. The database "
        "itself is only read; no word goes to Slack or to a model that costs money. Questions are named by their ids. "
        "Exit code 0: the upgrade would go through; 1: it would fail; 2: it could not be rehearsed; 130: interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--backup", type=Path, metavar="PATH", help="Rehearse with this backup, not with the database."
        )
        parser.add_argument(
            "--into",
            default="",
            metavar="NAME",
            help="Make the copy in this empty database on the same server, for a user who may create none. It is "
            "emptied again.",
        )
        parser.add_argument("--keep", action="store_true", help="Keep the copy, to look at it.")
        parser.add_argument(
            "--questions", type=int, default=24, metavar="N", help="How many questions of each kind (24); 0 for none."
        )
        parser.add_argument(
            "--call-embedding-model",
            action="store_true",
            help="Ask also where the library's embedding model is asked over the network, which may cost money.",
        )
        parser.add_argument("--json", action="store_true", help="Print JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Rehearse and report."""
        if not 0 <= options["questions"] <= MOST:
            raise CommandError(f"--questions must be a number from 0 to {MOST}.", returncode=CANNOT)
        wanted = Wanted(
            backup=options["backup"],
            into=options["into"],
            keeps=options["keep"],
            questions=options["questions"],
            calls_embedding_model=options["call_embedding_model"],
            check_tags=(Tags.database, DATABASE_TAG),
            serves_others=_serves_others(),
        )
        try:
            with _ended_by_signals():
                report = rehearse(wanted, announce=self._print_step, progress=partial(progress, quiet=options["json"]))
        except FootnoteError as error:
            raise CommandError(error.message, returncode=CANNOT) from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted. The copy was dropped.", returncode=INTERRUPTED) from None
        report.findings = [*_check_settings(), *report.findings]
        self._print_report(report, as_json=options["json"])
        if report.would_fail:
            sys.exit(FAILS)

    def _print_step(self, step: str) -> None:
        self.stderr.write(f"{step} ...")

    def _print_report(self, report: Report, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
            return
        for line in report.list_lines():
            self.stdout.write(line)
        if report.is_kept:
            self.stdout.write(f"The copy is the database {report.copy}. It holds every document, question and answer.")


def _serves_others() -> bool:
    """Return True unless Footnote runs for this machine alone, where a start asks for less."""
    return not settings.DEBUG and not is_trial(os.environ)


def _check_settings() -> list[Finding]:
    """Return what the checks say of the settings as they are here, those too that forbid a start to serve others."""
    messages = [*run_checks(), *run_checks(tags=[SETTINGS_TAG], include_deployment_checks=_serves_others())]
    return list(dict.fromkeys(as_finding(message) for message in messages))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Within the block a request to end counts as Ctrl-C does, so that the copy is dropped.

    Ctrl-C too: a shell that starts a command in the background has it ignored.
    """

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
