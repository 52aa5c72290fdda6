"""`manage.py oversharing`: list what more people may read than anybody expects, narrow it, or find it right."""

import json
import sys
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE, person_with
from core.management.progress import progress
from core.models import OversharingRisk, User
from core.quality.oversharing.deciding import RiskDecisionError, accept
from core.quality.oversharing.listing import RELATED, name_subject
from core.quality.oversharing.looking import look_now, select_waiting
from core.quality.oversharing.narrowing import Narrowing, RoleOption, narrow, plan_narrowing
from core.quality.oversharing.refreshing import refresh_all
from core.values.oversharing import RISKS_IN_WORDS, STATES_IN_WORDS, RiskKind, RiskState, find_level

NOT_DONE = 1  # exit code
_SHORT_ID, _LEAST_ID = 8, 4  # characters of an id in the table, and of one that is given


class Command(FootnoteCommand):
    """List risks that too many read something, or decide about one."""

    help = (
        "Lists what more people may read than anybody expects, the highest risk first: figures and titles, no words of "
        "documents. With --look looks through documents that wait first. With --narrow takes roles away from what a "
        "risk is of, with --accept says that it is right so. Exit code 0: done; 1: the risk cannot be decided so now; "
        "2: wrong usage, or there is no such risk."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--all", action="store_true", help="List those that are right so, narrowed or gone, too.")
        parser.add_argument(
            "--look",
            action="store_true",
            help="First look through all documents that wait, and bring risks up to date.",
        )
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("--narrow", metavar="ID", help="Narrow this risk. ID: as listed, or the beginning of one.")
        chosen.add_argument("--accept", metavar="ID", help="Say that this risk is right so; with --reason.")
        parser.add_argument(
            "--role",
            action="append",
            default=[],
            metavar="NAME",
            help="With --narrow: take away this role; may be repeated. Without it: those that are suggested.",
        )
        parser.add_argument("--reason", default="", metavar="TEXT", help="With --accept: why it is right so.")
        parser.add_argument("--yes", action="store_true", help="Narrow without asking for a yes.")
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who does this, for the audit log.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, decide or list."""
        self.stderr.style_func = None  # a question is no error
        if options["role"] and not options["narrow"]:
            raise CommandError("--role goes with --narrow.", returncode=WRONG_USAGE)
        if options["reason"] and not options["accept"]:
            raise CommandError("--reason goes with --accept.", returncode=WRONG_USAGE)
        by = person_with(options["email"]) if options["email"] else None
        figures = _look(quiet=options["json"]) if options["look"] else {}
        try:
            if options["narrow"]:
                self._narrow(_find(options["narrow"]), options, by)
            elif options["accept"]:
                self._accept(_find(options["accept"]), options, by)
            else:
                self._list(figures, with_all=options["all"], as_json=options["json"])
        except RiskDecisionError as error:
            raise CommandError(error.message, returncode=NOT_DONE) from error

    def _list(self, figures: dict[str, int], *, with_all: bool, as_json: bool) -> None:
        """Print the risks. figures: of what was looked through before."""
        rows = OversharingRisk.objects.select_related(*RELATED).order_by("-score", "-people", "pk")
        risks = list(rows if with_all else rows.filter(state=RiskState.OPEN))
        if as_json:
            self._print({"risks": [_as_json(risk) for risk in risks], **figures})
            return
        if figures:
            self.stdout.write(f"Documents looked through: {figures['looked']:,}. Risks opened: {figures['opened']:,}.")
        if not risks:
            self.stdout.write("There is no risk." if with_all else "There is no open risk.")
            return
        console = Console(file=self.stdout)  # type: ignore[arg-type]  # it writes like a file
        console.print(_build_table(risks, with_state=with_all))

    def _narrow(self, risk: OversharingRisk, options: dict[str, Any], by: User | None) -> None:
        plan = plan_narrowing(risk)
        chosen = _choose(plan, options["role"])
        if not options["yes"] and not self._is_wanted(risk, plan, chosen):
            self.stderr.write("Nothing was changed.")
            return
        taken = narrow(risk, [option.role_id for option in chosen], by=by)
        if options["json"]:
            roles = [option.name for option in chosen]
            self._print({"risk": _as_json(_read(risk.pk)), "roles": roles, "taken": taken})
        elif risk.kind == RiskKind.ODD_GROUP:
            self.stdout.write(f"The usergroup gives the role no more; people who lost it: {taken:,}.")
        else:
            self.stdout.write(f"Narrowed; grants taken back: {taken:,}.")

    def _is_wanted(self, risk: OversharingRisk, plan: Narrowing, chosen: list[RoleOption]) -> bool:
        """Say what would be taken away, and return whether it shall be. CommandError where nobody can be asked."""
        if not sys.stdin.isatty():
            raise CommandError("Nobody can be asked for a yes here. Narrow it with --yes.", returncode=WRONG_USAGE)
        self.stderr.write(f"{name_subject(risk)}. People who read it now: {plan.people:,}.")
        for option in chosen:
            self.stderr.write(
                f"  Take away: {option.name} (people: {option.people:,}, documents: {option.documents:,})"
            )
        if {option.role_id for option in chosen} == plan.suggested:
            self.stderr.write(f"  People who read it then: {plan.people_after:,}.")
        return input("Narrow it? [y/N] ").strip().casefold() in ("y", "yes")

    def _accept(self, risk: OversharingRisk, options: dict[str, Any], by: User | None) -> None:
        if not options["reason"].strip():
            raise CommandError("Say with --reason why it is right so.", returncode=WRONG_USAGE)
        accept(risk, by=by, reason=options["reason"])
        if options["json"]:
            self._print({"risk": _as_json(_read(risk.pk))})
        else:
            self.stdout.write("It is right so, until it grows.")

    def _print(self, result: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(result, ensure_ascii=False))


def _look(*, quiet: bool) -> dict[str, int]:
    """Look through what waits, and bring the risks up to date; figures of both. CommandError where it is off."""
    if not settings.OVERSHARING_ENABLED:
        raise CommandError("Nothing is looked through while OVERSHARING_ENABLED is false.", returncode=WRONG_USAGE)
    waiting = list(select_waiting().values_list("pk", "version"))
    with progress("Looking through documents", len(waiting), quiet=quiet) as done:
        looked = look_now(waiting, done=done)
    return {"looked": looked, "opened": refresh_all()}


def _read(pk: UUID) -> OversharingRisk:
    return OversharingRisk.objects.select_related(*RELATED).get(pk=pk)


def _find(reference: str) -> OversharingRisk:
    """Return the risk whose id begins so. CommandError where there is none, or more than one."""
    begins = reference.strip().lower()
    rows = OversharingRisk.objects.select_related(*RELATED).filter(pk__startswith=begins)
    found = list(rows[:2]) if len(begins) >= _LEAST_ID else []
    if len(found) != 1:
        message = "Several risks have such an id: give more of it." if found else f"There is no risk {reference}."
        raise CommandError(message, returncode=WRONG_USAGE)
    return found[0]


def _choose(plan: Narrowing, names: list[str]) -> list[RoleOption]:
    """Return the roles to take away. RiskDecisionError where none can be; CommandError for a name that is no option."""
    if plan.reason:
        raise RiskDecisionError(plan.reason)
    by_name = {option.name: option for option in plan.options}
    if unknown := [name for name in names if name not in by_name]:
        raise CommandError(
            f"{', '.join(unknown)} does not read it. Roles that do: {', '.join(by_name) or 'none'}.",
            returncode=WRONG_USAGE,
        )
    chosen = [by_name[name] for name in dict.fromkeys(names)] or [one for one in plan.options if one.is_suggested]
    if not chosen:
        raise RiskDecisionError("No role is suggested to be taken away. Name one with --role.")
    return chosen


def _build_table(risks: list[OversharingRisk], *, with_state: bool) -> Table:
    states = ["State"] if with_state else []
    table = Table("ID", "Level", "Score", "Risk", "Of", "People", *states, box=box.SIMPLE)
    for risk in risks:
        table.add_row(
            str(risk.pk)[:_SHORT_ID],
            find_level(risk.score).value,
            str(risk.score),
            RISKS_IN_WORDS[RiskKind(risk.kind)],
            escape(name_subject(risk)),
            f"{risk.people:,}",
            *([STATES_IN_WORDS[RiskState(risk.state)]] if with_state else []),
        )
    return table


def _as_json(risk: OversharingRisk) -> dict[str, Any]:
    return {
        "id": str(risk.pk),
        "kind": risk.kind,
        "level": find_level(risk.score).value,
        "score": risk.score,
        "state": risk.state,
        "of": name_subject(risk),
        "role": risk.role.name if risk.role else None,
        "subjects": risk.subjects,
        "people": risk.people,
        "people_before": risk.people_before,
        "documents": risk.documents,
        "reason": risk.reason or None,
        "found_at": risk.found_at.isoformat(),
        "opened_at": risk.opened_at.isoformat(),
    }
