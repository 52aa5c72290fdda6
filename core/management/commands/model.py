"""Set up an answer model on this machine, by one command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from core.errors import FootnoteError
from core.llm.local_model.choosing import (
    OFFERS,
    Observer,
    Offer,
    Options,
    Step,
    find_offer,
    list_choices,
    take_file,
    take_offer,
)
from core.llm.local_model.machine import Machine, look_at_machine
from core.llm.local_model.registration import Registered, unregister
from core.llm.local_model.setting_up import CONTEXT, OllamaError, in_gigabytes, list_installed, set_up_ollama
from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE


class Command(FootnoteCommand):
    """List what this machine can run; fetch, check and set up the chosen model."""

    help = (
        "Sets up an answer model on this machine. Without an argument it says what the machine can run, offers models "
        "and asks which to fetch. Only what you choose is fetched. The model answers nobody until it is examined and "
        "an administrator lets it in."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("name", nargs="?", default="", help="the name of an offered model, to fetch without asking")
        chosen.add_argument("--file", type=Path, help="a GGUF file, in the place of one that is fetched")
        chosen.add_argument("--ollama", metavar="MODEL", help="a model of the Ollama that runs on this machine")
        chosen.add_argument("--list", action="store_true", help="only say what the machine can run, and what is set up")
        chosen.add_argument("--forget", action="store_true", help="set up no model any more; its file stays")
        parser.add_argument("--sha256", default="", help="what the file has to have")
        parser.add_argument("--threads", type=int, default=0, help="to serve it with; one core is left free by default")
        parser.add_argument("--context", type=int, default=CONTEXT, help=f"tokens of a conversation ({CONTEXT:,})")
        parser.add_argument("--anyway", action="store_true", help="serve it though memory seems too small")

    def handle(self, *args: Any, **options: Any) -> None:
        machine = look_at_machine()
        try:
            if options["forget"]:
                self._forget()
            elif options["file"]:
                self._finish(self._take_file(options["file"], machine, options))
            elif options["ollama"]:
                self._finish(self._take_from_ollama(options["ollama"]))
            else:
                self._describe(machine)
                offer = None if options["list"] else self._choose(options["name"])
                if offer:
                    self._finish(self._take_offer(offer, machine, options))
        except FootnoteError as error:
            raise CommandError(error.message) from error

    def _describe(self, machine: Machine) -> None:
        """Say what the machine has, what it can run, and what is set up."""
        cores = f"{machine.cores} core{'s' if machine.cores != 1 else ''}"
        self.stdout.write(f"This machine: {cores}, {in_gigabytes(machine.memory)} of memory free")
        if machine.accelerator:
            self.stdout.write(f"  and {machine.accelerator}.")
        if settings.LOCAL_MODEL_PROBLEM:
            self.stdout.write(f"Answers come without a model: {settings.LOCAL_MODEL_PROBLEM}")
        if settings.LOCAL_MODEL:
            self.stdout.write(f"Set up now: {settings.LOCAL_MODEL.model}")
        self.stdout.write("\nModels that can be fetched:")
        for number, choice in enumerate(list_choices(machine, settings.FOOTNOTE_HOME), 1):
            offer, fits = choice.offer, "" if choice.fits else "  (too large for this machine)"
            self.stdout.write(f"  {number}  {offer.name}{fits}{'  (fetched)' if choice.is_fetched else ''}")
            self.stdout.write(
                f"     {offer.title}, {in_gigabytes(offer.size)}, {offer.licence}; needs {in_gigabytes(choice.memory)} "
                f"of memory; about {choice.seconds:.0f} seconds for an answer"
            )
        self.stdout.write(
            "\nThe seconds are estimated from the model's size and the cores, for an idle machine; they are measured "
            "when it is set up."
        )
        self._describe_ollama()

    def _describe_ollama(self) -> None:
        try:
            names = [one.name for one in list_installed()]
        except OllamaError:
            return
        shown = ", ".join(names[:10]) or "no model yet"
        self.stdout.write(f"An Ollama runs on this machine, with {shown}: manage.py model --ollama MODEL")

    def _choose(self, name: str) -> Offer | None:
        """Return the offer of that name, or the one that is chosen now."""
        if name:
            offer = find_offer(name)
            if offer is None:
                raise CommandError(f"No model {name} is offered. See: manage.py model --list", returncode=WRONG_USAGE)
            return offer
        if not sys.stdin.isatty():
            self.stdout.write("\nTo fetch one: manage.py model NAME")
            return None
        answer = input(f"\nWhich one shall be fetched? 1 to {len(OFFERS)}, or nothing to fetch none: ").strip()
        if not answer:
            return None
        if not answer.isdigit() or not 1 <= int(answer) <= len(OFFERS):
            raise CommandError(f"{answer} is none of them. Nothing was fetched.")
        return OFFERS[int(answer) - 1]

    def _take_offer(self, offer: Offer, machine: Machine, options: dict[str, Any]) -> Registered:
        with self._show_progress(offer) as progress:
            observer = Observer(step=partial(self._say_step, address=offer.address), progress=progress)
            return take_offer(
                offer, home=settings.FOOTNOTE_HOME, machine=machine, options=_read(options), observer=observer
            )

    def _take_file(self, path: Path, machine: Machine, options: dict[str, Any]) -> Registered:
        return take_file(
            path,
            home=settings.FOOTNOTE_HOME,
            machine=machine,
            options=_read(options),
            observer=Observer(step=self._say_step),
        )

    def _say_step(self, step: Step, *, address: str = "") -> None:
        if step == Step.FETCHING:
            self.stdout.write(f"Fetching {address}")
        elif step == Step.LOADING:
            self.stdout.write("Loading the model once, to see that it works and how fast ...")

    def _take_from_ollama(self, name: str) -> Registered:
        installed = list_installed()
        found = next((one for one in installed if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in installed) or "none"
            raise CommandError(f"Ollama has no model {name}. It has: {known}", returncode=WRONG_USAGE)
        return set_up_ollama(found, home=settings.FOOTNOTE_HOME)

    def _forget(self) -> None:
        forgotten = unregister(settings.FOOTNOTE_HOME)
        self.stdout.write("No model is set up any more." if forgotten else "No model was set up.")

    def _finish(self, registered: Registered) -> None:
        """Say what was set up, and what is to be done next."""
        self.stdout.write(f"\n{registered.title} is set up as {registered.model}")
        if registered.sha256:
            self.stdout.write(f"  SHA-256 {registered.sha256}")
        if registered.licence:
            self.stdout.write(f"  Licence: {registered.licence}")
        if registered.seconds_per_answer:
            self.stdout.write(f"  About {registered.seconds_per_answer:.0f} seconds for an answer, measured just now")
        self.stdout.write(
            "\nIt answers nobody yet. Start Footnote anew (make run), then open Model examinations in the admin and "
            "press Examine."
        )
        if settings.LLM_MODEL not in {"extractive/sentences", registered.model} and not settings.LOCAL_MODEL:
            self.stdout.write(f"LLM_MODEL is set to {settings.LLM_MODEL}: remove it, or this model is not used.")

    @contextmanager
    def _show_progress(self, offer: Offer) -> Iterator[Any]:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        with Progress(*columns, TimeRemainingColumn(), disable=not sys.stderr.isatty()) as bar:
            task = bar.add_task(offer.title, total=offer.size)
            yield lambda done, total: bar.update(task, completed=done, total=total or offer.size)


def _read(options: dict[str, Any]) -> Options:
    """Return the options of the command line that say how a model is checked and served."""
    return Options(**{name: options[name] for name in ("sha256", "threads", "context", "anyway")})
