"""`manage.py thresholds`: show the thresholds of answers, check others, and put them live."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.management.base import FootnoteCommand
from core.management.checking import CHECK_HELP, describe_held, run_here
from core.management.granting import WRONG_USAGE, person_with
from core.models import ChangeCheck, User
from core.quality.change_checks.kinds.thresholds import CHANGE_THRESHOLDS
from core.quality.change_checks.submitting import CheckError, change_thresholds, check_thresholds
from core.quality.reports.promises import Thresholds, answer_from, read_thresholds


class Command(FootnoteCommand):
    """Show the thresholds of answers, or change them."""

    help = (
        "Shows the thresholds of answers that hold now. With --answer-from and --closest-from puts others live, with "
        "--from-settings those of the settings again; every process goes by them within some seconds. Where the limit "
        "of thresholds is switched on, they are checked first. Exit code 0: done, or checked first; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--answer-from", type=float, metavar="X", help="The estimate, 0 to 1, from which there is an answer."
        )
        parser.add_argument(
            "--closest-from", type=float, metavar="Y", help="From which the closest passages are shown; at most X."
        )
        # Django's own --settings names a module.
        parser.add_argument("--from-settings", action="store_true", help="Go by those of the settings again.")
        parser.add_argument("--check", action="store_true", help=CHECK_HELP)
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who changes them: a person who may.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show, check or change the thresholds."""
        if options["answer_from"] is None and options["closest_from"] is None and not options["from_settings"]:
            self._show(None, as_json=options["json"])
            return
        thresholds, by = _read_thresholds(options), person_with(options["email"]) if options["email"] else None
        try:
            if options["check"]:
                check = check_thresholds(thresholds, by=by, is_queued=False)
                run_here(self, check, as_json=options["json"])
            else:
                held = change_thresholds(thresholds, by=_need_right(by))
                self._show(held, as_json=options["json"])
        except CheckError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error

    def _show(self, check: ChangeCheck | None, *, as_json: bool) -> None:
        """Print the thresholds that hold now. check: of those that are checked before they are live."""
        now = read_thresholds()
        if as_json:
            shown = {
                "answer_from": answer_from(),
                "closest_from": now.closest_from,
                "is_put_live": now.is_put_live,
                **({"check": str(check.pk)} if check else {}),
            }
            self.stdout.write(json.dumps(shown))
            return
        if check:
            self.stdout.write(describe_held(check))
        origin = "put live by a person" if now.is_put_live else "those of the settings"
        self.stdout.write(
            f"There is an answer from {answer_from():.2f} on, and the closest passages are shown from "
            f"{now.closest_from:.2f} on: {origin}."
        )


def _read_thresholds(options: dict[str, Any]) -> Thresholds | None:
    """Return what the options name; None for those of the settings. CommandError for half of it, or for both."""
    answer, closest = options["answer_from"], options["closest_from"]
    if options["from_settings"] and answer is None and closest is None:
        return None
    if options["from_settings"] or answer is None or closest is None:
        raise CommandError("Give --answer-from and --closest-from, or --from-settings alone.", returncode=WRONG_USAGE)
    return Thresholds(answer_from=answer, closest_from=closest)


def _need_right(by: User | None) -> User:
    """Return who changes the thresholds. CommandError unless they may."""
    if by is None or not by.is_active or not by.has_perm(CHANGE_THRESHOLDS):
        raise CommandError("Name a person who may change thresholds with --as.", returncode=WRONG_USAGE)
    return by
