"""`manage.py research`: look into a topic by many questions, and print a page of what was proven."""

import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.db import connections

from core import api
from core.access.audiences import asker_for, audience_of
from core.errors import FootnoteError, InvalidQuestionError, NotFoundError
from core.management.asking import FILTERS, filters_of, json_line, person
from core.management.base import FootnoteCommand
from core.models import User
from core.programs.research_json import research_as_json
from core.signals import research_moved
from core.types import Origin
from core.values.research import MOST_MINUTES, Budget, Estimate, Outcome, Research, ResearchState, StopReason

WRONG_USAGE, NOT_DONE = 2, 1  # exit codes
_REASONS = {
    StopReason.ASKER: "Stopped. What was found until then is kept.",
    StopReason.MINUTES: "The time is up (--minutes). What was found until then is kept.",
    StopReason.COST: "The cost is reached (--usd). What was found until then is kept.",
    StopReason.BUDGET: "A monthly budget for language models is used up. An administrator can raise it.",
    StopReason.ACCOUNT: "This person's account is not active any more.",
    StopReason.ERROR: "It could not go on. The log says why (-v 2); look at the model's settings, and try again.",
}


class Command(FootnoteCommand):
    """Plan a page about a topic, ask the questions of the plan as a person, and print what was proven."""

    help = (
        "Plans questions about a topic from what a person may read, shows the plan and what it will probably take, and "
        "after a yes asks them one by one. Prints the page as Markdown; each sentence names the quotes that prove it. "
        "Ctrl-C stops, and what was found is kept. Exit code 0: all was asked; 1: it ended before; 2: wrong usage, or "
        "nothing speaks of the topic."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("topic", help="Such as: how our travel rules changed since 2023.")
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="The person to read as.")
        parser.add_argument("--yes", action="store_true", help="Start without asking for a yes.")
        parser.add_argument("--minutes", type=int, metavar="N", help=f"Stop after so many, 1 to {MOST_MINUTES} (15).")
        parser.add_argument("--usd", metavar="N", help="Stop once the answer model has cost so much, such as 0.50.")
        parser.add_argument("--markdown", type=Path, metavar="FILE", help="Write the page to a new file besides.")
        parser.add_argument("--docx", type=Path, metavar="FILE", help="Write the page for Word to a new file.")
        parser.add_argument("--json", action="store_true", help="Print JSON in place of Markdown.")
        for name in FILTERS:
            example = " (like 2024-03-20)" if name.startswith("date") else ""
            parser.add_argument(f"--{name.replace('_', '-')}", help=f"Only what matches this {name}{example}.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Plan, ask for a yes, run, and print."""
        self.stderr.style_func = None  # a plan and its progress are no errors
        user, filters, budget = person(options["email"]), filters_of(options), _read_budget(options)
        files = {form: options[form] for form in ("markdown", "docx") if options[form]}
        for target in files.values():
            _refuse_target(target)
        if not options["yes"] and not sys.stdin.isatty():
            raise CommandError("Nobody can be asked for a yes here. Start it with --yes.", returncode=WRONG_USAGE)
        try:
            research_id = api.plan_research(
                options["topic"],
                asker=asker_for(user),
                audience=audience_of([user.pk]),
                origin=Origin.COMMAND,
                filters=filters,
            )
            if not self._is_wanted(_read(research_id, user), is_sure=options["yes"]):
                api.delete_research(research_id, user_id=user.pk)
                self.stderr.write("Nothing was asked.")
                return
            research = self._run(research_id, user, budget)
        except FootnoteError as error:
            is_usage = isinstance(error, InvalidQuestionError | NotFoundError)
            raise CommandError(error.message, returncode=WRONG_USAGE if is_usage else NOT_DONE) from error
        is_written = self._print(research, files, as_json=options["json"])
        if research.state is not ResearchState.DONE or not is_written:
            sys.exit(NOT_DONE)

    def _is_wanted(self, research: Research, *, is_sure: bool) -> bool:
        """Show the plan, and return whether it shall be asked."""
        heading = None
        for one in research.questions:
            if one.heading != heading:
                heading = one.heading
                self.stderr.write(heading or "Without a heading")
            self.stderr.write(f"  {one.number}. {one.text}")
        estimate = api.estimate_research(len(research.questions), user_id=research.user_id)
        self.stderr.write(_describe_estimate(estimate))
        return is_sure or input("Ask these questions? [y/N] ").strip().casefold() in ("y", "yes")

    def _run(self, research_id: UUID, user: User, budget: Budget) -> Research:
        """Ask the questions, with a line for each, and return the research at its end."""
        told: set[UUID] = set()

        def tell(**_: Any) -> None:
            research = _read(research_id, user)
            for one in research.questions:
                if one.outcome is not Outcome.OPEN and one.question_id not in told:
                    told.add(one.question_id)
                    self.stderr.write(f"[{len(told)}/{research.progress.total}] {one.outcome}: {one.text}")

        research_moved.connect(tell)
        try:
            with _stopped_by_interrupt(lambda: api.stop_research(research_id, user_id=user.pk)):
                api.run_research_here(research_id, user_id=user.pk, budget=budget)
        finally:
            research_moved.disconnect(tell)
        return _read(research_id, user)

    def _print(self, research: Research, files: dict[str, Path], *, as_json: bool) -> bool:
        """Print the page and write its files. Returns False where one cannot be written."""
        written = api.write_research(research, form="markdown").decode()
        self.stdout.write(json_line(research_as_json(research)) if as_json else written)
        if research.stop_reason:
            self.stderr.write(_REASONS[research.stop_reason])
        try:
            for form, target in files.items():
                with target.open("xb") as file:
                    file.write(api.write_research(research, form=form))
        except OSError as error:
            self.stderr.write(f"{target} cannot be written: {error.strerror}. The page is kept, as printed above.")
            return False
        return True


def _read(research_id: UUID, user: User) -> Research:
    return api.read_research(research_id, user_id=user.pk, audience=audience_of([user.pk]))


def _read_budget(options: dict[str, Any]) -> Budget:
    """Return the limits that were given. CommandError for one that cannot be."""
    minutes = Budget().most_minutes if options["minutes"] is None else options["minutes"]
    if not 1 <= minutes <= MOST_MINUTES:
        raise CommandError(f"--minutes must be a number from 1 to {MOST_MINUTES}.", returncode=WRONG_USAGE)
    if options["usd"] is None:
        return Budget(most_minutes=minutes)
    try:
        usd = Decimal(options["usd"])
        is_amount = Decimal("0.0001") <= usd < 1_000_000
    except InvalidOperation:
        is_amount = False
    if not is_amount:
        raise CommandError("--usd must be an amount of dollars above 0, such as 0.50.", returncode=WRONG_USAGE)
    return Budget(most_minutes=minutes, most_usd=usd.quantize(Decimal("0.0001")))


def _refuse_target(target: Path) -> None:
    """Raise CommandError where no new file can be made."""
    if target.exists():
        raise CommandError(f"{target} is there already. Give the name of a new file.", returncode=WRONG_USAGE)
    if not target.parent.is_dir():
        raise CommandError(f"There is no folder {target.parent}. Make it first.", returncode=WRONG_USAGE)


def _describe_estimate(estimate: Estimate) -> str:
    """Say what a plan will probably take."""
    minutes = max(1, round(estimate.seconds / 60))
    takes = f"{minutes} minutes" if minutes > 1 else "a minute"
    if estimate.cost_usd is None:
        cost = f"and what {estimate.model} costs, whose price is not known"
    else:
        cost = f"and ${estimate.cost_usd:.2f} by {estimate.model}" if estimate.cost_usd else "and costs nothing"
    count = f"{estimate.questions} questions" if estimate.questions > 1 else "One question"
    return f"{count}: that takes about {takes}, {cost}."


@contextmanager
def _stopped_by_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Let Ctrl-C stop the research at its next step. A second one ends the command as usual."""

    def work() -> None:
        try:
            stop()
        finally:
            connections.close_all()  # those of this thread

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        threading.Thread(target=work).start()  # the connection of the main thread may be in use at this moment

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
