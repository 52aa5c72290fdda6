"""`manage.py evaluate`: ask the questions of a dataset, and score and judge the answers."""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from core.errors import FootnoteError
from core.evaluation.dataset import FAILED, RIGHT, WRONG, Asked, Item, ask_and_score, read, summary
from core.evaluation.metrics import NAMES
from core.management.asking import person
from core.models import User
from core.types import Answer

SOME_FAILED, WRONG_USAGE = 1, 2  # exit codes
_COLOURS = {RIGHT: "green", WRONG: "red", FAILED: "red"}


class Command(BaseCommand):
    """Ask every question of a dataset as a person, and report how it went."""

    help = (
        'Asks the questions of a dataset, a JSON object a line: {"question", "as"?, "expected"?, "source"?}. expected '
        "is a text that a right answer holds, a list of such texts of which one is enough, or null when a refusal is "
        "right; source is a part of the name or address of a document that it must cite. Every answer is scored with "
        "the RAG triad. Exit code 0: all was asked and scored; 1: part of it failed; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("dataset", metavar="DATASET", help='A JSONL file; "-": standard input.')
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who asks where a line does not say it.")
        parser.add_argument("--json", action="store_true", help="Print figures and results as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask all, and print the table and the figures."""
        items = _items(options["dataset"])
        people = {email: person(email) for email in dict.fromkeys(item.email or options["email"] for item in items)}
        started = time.monotonic()
        asked = _asked(items, people, options["email"], quiet=options["json"])
        figures = summary(asked, seconds=time.monotonic() - started)
        if options["json"]:
            results = [_as_json(number, one) for number, one in enumerate(asked, 1)]
            self.stdout.write(json.dumps({**figures, "results": results}, ensure_ascii=False))
        else:
            console = Console(file=self.stdout)  # type: ignore[arg-type]  # Django's wrapper writes like a file
            console.print(_table(asked))
            console.print_json(data=figures)
        if figures[FAILED] or figures["unscored"]:
            sys.exit(SOME_FAILED)


def _items(path: str) -> list[Item]:
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        return read(text.splitlines())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}", returncode=WRONG_USAGE) from error
    except FootnoteError as error:
        raise CommandError(f"{path}: {error.message}", returncode=WRONG_USAGE) from error


def _asked(items: list[Item], people: dict[str | None, User], email: str | None, *, quiet: bool) -> list[Asked]:
    asked = []
    try:
        with _progress(len(items), quiet=quiet) as step:
            for item in items:
                asked.append(ask_and_score(item, people[item.email or email]))
                step()
    except FootnoteError as error:
        raise CommandError(error.message, returncode=SOME_FAILED) from error
    return asked


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar on standard error while it is a terminal. Yields what is to be called after each question."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Asking", total=total)
        yield lambda: bar.advance(task)


def _table(asked: list[Asked]) -> Table:
    table = Table("#", expand=True)
    table.add_column("Question", no_wrap=True, ratio=1)
    table.add_column("Outcome", no_wrap=True)
    for heading in ("Conf.", "Relev.", "Ground.", "Ans. rel."):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, one in enumerate(asked, 1):
        outcome = f"{'answered' if isinstance(one.result, Answer) else 'refused'}, {one.verdict}"
        scores = one.scores
        table.add_row(
            str(number),
            Text(one.item.question),
            f"[{_COLOURS[one.verdict]}]{outcome}[/]" if one.verdict in _COLOURS else outcome,
            f"{one.result.confidence:.2f}",
            *("-" if scores[name] is None else f"{scores[name]:.3f}" for name in NAMES),
        )
    return table


def _as_json(number: int, one: Asked) -> dict[str, Any]:
    return {
        "number": number,
        "request_id": one.result.request_id,
        "answered": isinstance(one.result, Answer),
        "verdict": one.verdict,
        "confidence": round(one.result.confidence, 4),
        **one.scores,
        "trulens_record_id": one.evaluation.trulens_record_id if one.evaluation else None,
        "error": one.error or None,
        "processing_time_ms": one.result.processing_time_ms,
    }
