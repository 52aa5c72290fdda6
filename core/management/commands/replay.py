"""`manage.py replay`: a logged question once more, beside what came of it then."""

import difflib
import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from core import api
from core.errors import DatabaseUnavailableError, FootnoteError
from core.language.wording import write_disagreement
from core.management.base import FootnoteCommand
from core.serialization import identify_citation, replay_as_json
from core.types import Replay, Run

DIFFERS, WRONG_USAGE = 1, 2  # exit codes
_ROWS = ("outcome", "confidence", "steps", "dropped statements")
_COLOURS = {"+": "green", "-": "red"}


class Command(FootnoteCommand):
    """Answer a logged question again and show what differs."""

    help = (
        "Answers a logged question again, from the original passages as far as its asker may still read them, and "
        "shows what differs. Exit code 0: nothing differs; 1: something differs; 2: the question cannot be replayed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("request_id", metavar="REQUEST_ID", help="Such as req_20260102_1a2b3c4d.")
        parser.add_argument("--json", action="store_true", help="Print JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Replay and compare."""
        try:
            replay = api.replay(options["request_id"])
        except FootnoteError as error:
            code = DIFFERS if isinstance(error, DatabaseUnavailableError) else WRONG_USAGE
            raise CommandError(error.message, returncode=code) from error
        if options["json"]:
            self.stdout.write(json.dumps(replay_as_json(replay), ensure_ascii=False))
        else:
            self._print(replay)
        if replay.differing:
            sys.exit(DIFFERS)

    def _print(self, replay: Replay) -> None:
        console = Console(file=self.stdout, highlight=False, soft_wrap=True)  # type: ignore[arg-type]  # writes like a file
        for line in _about_passages(replay):
            console.print(Text(line))
        console.print(_table(replay))
        disagreeing = _about_contradiction(replay)
        for line in (*_about_citations(replay), *disagreeing, "", *_about_text(replay), ""):
            console.print(Text(line, style=_COLOURS.get(line[:1], "")))
        differing = ", ".join(replay.differing)
        console.print(Text(f"Differs: {differing}." if differing else "The same in every respect."))


def _about_passages(replay: Replay) -> Iterator[str]:
    of = f"of {replay.passages} passages"
    if replay.forbidden:
        yield f"Access has changed: {replay.forbidden} {of} may no longer be read and were not used."
    if replay.gone:
        yield f"{replay.gone} {of} have been deleted or replaced since."
    if replay.is_hidden:
        yield "The original answer is not shown: it cites something that its asker may no longer read."
    yield (
        f"A search would find {replay.found_again} {of} today "
        f"(strategy then: {replay.retrieval[0] or 'none'}, now: {replay.retrieval[1]})."
    )


def _table(replay: Replay) -> Table:
    table = Table("", "Then", "Now")
    for name, then, now in replay.settings:
        table.add_row(name, Text(then), Text(now))
    for name, then, now in zip(_ROWS, _row(replay.then), _row(replay.now), strict=True):
        table.add_row(name, then, now)
    return table


def _row(run: Run) -> tuple[str, ...]:
    outcome = f"refused: {run.refusal.replace('_', ' ')}" if run.refusal else "answered"
    return outcome, f"{run.confidence:.3f}", ", ".join(run.steps) or "none", str(run.dropped)


def _about_citations(replay: Replay) -> Iterator[str]:
    """Describe citations, or closest passages: the number on both sides, and those on one side only."""
    then, now = ({identify_citation(c): c for c in (*run.citations, *run.closest)} for run in (replay.then, replay.now))
    lost, new = [then[key] for key in then if key not in now], [now[key] for key in now if key not in then]
    yield f"Citations: {len(then) - len(lost)} the same, {len(lost)} lost, {len(new)} new."
    yield from (f"- {citation.label} {citation.excerpt}" for citation in lost)
    yield from (f"+ {citation.label} {citation.excerpt}" for citation in new)


def _about_contradiction(replay: Replay) -> Iterator[str]:
    """Say how sources disagree: once where they do then and now, else marked with the side on which they do."""
    then, now = (
        write_disagreement(run.contradiction) if run.contradiction else [] for run in (replay.then, replay.now)
    )
    if then == now:
        yield from then
        return
    yield from (f"- {line}" for line in then)
    yield from (f"+ {line}" for line in now)


def _about_text(replay: Replay) -> Iterator[str]:
    """The answer's sentences, those of one side marked; nothing of an answer that is hidden."""
    before, after = (run.text.splitlines() if run.text else [] for run in (replay.then, replay.now))
    differ = difflib.ndiff(before, after)
    return (line for line in differ if not line.startswith("?"))
