"""Share code between the commands that check a change before it is live."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich import box
from rich.console import Console
from rich.table import Table

from core.management.progress import follow
from core.models import ChangeCheck
from core.quality.change_checks.running import run_check
from core.values.change_checks import LIMITS_IN_WORDS, OUTCOMES_IN_WORDS, CheckState, Limit, Outcome

CROSSED, NOT_CHECKED = 1, 3  # exit codes
CHECK_HELP = (
    "Only look: ask last month's questions and the library's own without the change and with it, here and now, and "
    "change nothing. Exit code 1 where it crosses a limit that is switched on; 3 where it could not be checked."
)
_SHOWN = 20  # questions in the table
_ROWS = (
    ("Questions asked", "questions"),
    ("of people", "of_people"),
    *((words.capitalize(), outcome.value) for outcome, words in OUTCOMES_IN_WORDS.items()),
    ("Worse or vanished", "worse"),
    ("People whose answers change", "people_changed"),
    ("People whose answers get worse", "people_worse"),
    ("Answers from documents that the asker cannot read now", "gaining"),
    ("People who gain or lose documents", "people"),
    ("Documents", "documents"),
)


def describe_held(check: ChangeCheck) -> str:
    """Say that a change is checked before it is live, and where somebody decides about it."""
    return (
        f"The change is checked before it is live; nothing of it is made yet. Check: {check.pk}. The worker asks the "
        "questions. The change is made where it crosses no limit and whoever is named with --as may make it. "
        "Otherwise it waits for a yes: in the admin under Changes before they are live, or over REST at "
        f"/api/v1/change-checks/{check.pk}."
    )


def run_here(command: BaseCommand, check: ChangeCheck, *, as_json: bool) -> None:
    """Run a check that is not queued, print what it found, and end the command with its exit code.

    CommandError where it could not be checked.
    """
    with follow("Asking", quiet=as_json) as watch:
        run_check(check.pk, watch=watch)
    check.refresh_from_db()
    if check.state != CheckState.TRIED:
        raise CommandError(check.reason or "The change could not be checked.", returncode=NOT_CHECKED)
    if as_json:
        command.stdout.write(json.dumps(_as_json(check)))
    else:
        _print_check(Console(file=command.stdout), check)  # type: ignore[arg-type]  # it writes like a file
    if check.crossed:
        sys.exit(CROSSED)


def _as_json(check: ChangeCheck) -> dict[str, Any]:
    return {"check": str(check.pk), "limits": check.limits, "crossed": check.crossed, "figures": check.figures}


def _print_check(console: Console, check: ChangeCheck) -> None:
    """Print the figures, and the outcomes of the worst questions: no words of anybody's."""
    figures = Table(box=box.SIMPLE)
    figures.add_column("")
    figures.add_column("", justify="right")
    for words, name in _ROWS:
        if name in check.figures:
            figures.add_row(words, f"{check.figures[name]:,}")
    console.print(figures)
    order = list(Outcome)
    lines = sorted(
        check.lines.exclude(outcome=Outcome.SAME),
        key=lambda line: (not line.is_worse, order.index(Outcome(line.outcome)), line.number),
    )
    if lines:
        console.print(_build_table(lines))
    if len(lines) > _SHOWN:
        console.print(f"and {len(lines) - _SHOWN:,} more")
    if not check.limits:
        console.print("No limit is switched on for such changes, so it crosses none.")
    elif not check.crossed:
        console.print("It crosses no limit.")
    for limit in check.crossed:
        console.print(f"It would wait for a yes: {LIMITS_IN_WORDS[Limit(limit)]}.")
    console.print(f"Check: {check.pk}")


def _build_table(lines: list[Any]) -> Table:
    table = Table("Question", "Asked by", "Outcome", "Worse", "New documents", box=box.SIMPLE)
    for line in lines[:_SHOWN]:
        outcome = OUTCOMES_IN_WORDS[Outcome(line.outcome)]
        worse = "yes" if line.is_worse else ""
        table.add_row(str(line.number), line.asked_for, outcome, worse, str(line.gains or ""))
    return table
