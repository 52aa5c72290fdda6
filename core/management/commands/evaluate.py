"""`manage.py evaluate`: ask the questions of a dataset, judge the answers, and say how it went."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console

from core.errors import FootnoteError
from core.management.asking import person
from core.management.base import FootnoteCommand
from core.management.evaluation_report import as_json, print_report
from core.management.progress import progress
from core.models import EvaluationRun, User
from core.operations.warming import warm_up
from core.quality.evaluation.datasets.comparison import Comparison, compare, earlier, find_run
from core.quality.evaluation.datasets.dataset import Dataset, read
from core.quality.evaluation.datasets.runs import Finished, run

SOME_FAILED, WRONG_USAGE = 1, 2  # exit codes
LAST = "last"


class Command(FootnoteCommand):
    """Ask every question of a dataset as a person, judge what comes, and keep it."""

    help = (
        "Asks the questions of a dataset (one JSON object per line) and judges the results: the right source cited, "
        "the answer there, rightly and wrongly abstained, statements dropped, forbidden documents shown, time. Runs "
        "are stored and can be compared. docs/evaluation.md describes the lines. Exit code 0: everything was asked, "
        "judged and scored; 1: part of it failed, a forbidden document was shown or a quote is not in its source; 2: "
        "wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("dataset", metavar="DATASET", help='A JSONL file; "-": standard input.')
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who asks if a line does not say.")
        parser.add_argument("--library", default="", metavar="NAME", help="Ask only the questions about this library.")
        parser.add_argument("--half", default="", metavar="NAME", help="Ask only the questions of this half.")
        parser.add_argument("--limit", type=int, metavar="N", help="Ask only the first N questions.")
        parser.add_argument(
            "--no-scores",
            action="store_true",
            help="Leave out the scores of the RAG triad; they take most of the time.",
        )
        parser.add_argument(
            "--stream",
            action="store_true",
            help="Let models stream, as in direct messages, and report when the first statement could be shown.",
        )
        parser.add_argument(
            "--compare", metavar="RUN", help=f'Print what changed since a run: its id, or "{LAST}" for the one before.'
        )
        parser.add_argument("--json", action="store_true", help="Print figures and results as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask all, and print the tables and the figures."""
        dataset = _dataset(options["dataset"], options["limit"], library=options["library"], half=options["half"])
        people = _people(dataset, options["email"])
        against = _run_to_compare(options["compare"])
        try:
            warm_up()  # the time of loading models is not that of the first question
            with progress("Asking", len(dataset.items), quiet=options["json"]) as done:
                finished = run(dataset, people, scores=not options["no_scores"], stream=options["stream"], done=done)
        except FootnoteError as error:
            raise CommandError(error.message, returncode=SOME_FAILED) from error
        comparison = _comparison(finished, against, options["compare"])
        if options["json"]:
            self.stdout.write(json.dumps(as_json(finished, comparison), ensure_ascii=False))
        else:
            print_report(Console(file=self.stdout), finished, comparison)  # type: ignore[arg-type]  # it writes like a file
        figures = finished.run.figures
        if any(figures.get(name) for name in ("failed", "unscored", "forbidden_shown", "unsupported")):
            sys.exit(SOME_FAILED)


def _dataset(path: str, limit: int | None, *, library: str, half: str) -> Dataset:
    if limit is not None and limit < 1:
        raise CommandError("--limit must be a number from 1.", returncode=WRONG_USAGE)
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        name = "standard input" if path == "-" else Path(path).name
        return read(text.splitlines(), name=name, library=library, half=half, most=limit)
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}", returncode=WRONG_USAGE) from error
    except FootnoteError as error:
        raise CommandError(f"{path}: {error.message}", returncode=WRONG_USAGE) from error


def _people(dataset: Dataset, fallback: str | None) -> dict[str, User]:
    """Return the askers by the address in their line; "" means none."""
    return {email: person(email or fallback) for email in dict.fromkeys(item.email or "" for item in dataset.items)}


def _run_to_compare(reference: str | None) -> EvaluationRun | None:
    """The run that the option names; found before anything is asked."""
    if reference is None or reference == LAST:
        return None
    try:
        return find_run(reference)
    except FootnoteError as error:
        raise CommandError(error.message, returncode=WRONG_USAGE) from error


def _comparison(finished: Finished, against: EvaluationRun | None, reference: str | None) -> Comparison | None:
    if reference is None:
        return None
    before = against or earlier(finished.run)
    return compare(before, finished.run) if before else None
