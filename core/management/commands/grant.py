"""`manage.py grant`: let a role read documents, or give people a role."""

import datetime as dt
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db import transaction

from core.access import grants
from core.access.grants import change_members, find_end
from core.errors import FootnoteError
from core.management.base import FootnoteCommand
from core.management.checking import describe_held
from core.management.granting import (
    WRONG_USAGE,
    add_arguments,
    check_here,
    find_chosen_documents,
    person_with,
    plan_for,
    role_named,
)
from core.models import Role
from core.quality.change_checks.submitting import check_grants, is_held_by_limit


class Command(FootnoteCommand):
    """Grant documents to a role, and the role to people."""

    help = (
        "Lets a role read documents. With --user, gives people the role. Either everything is done or nothing. Where "
        "the limit of grants is switched on, a grant of so many documents is checked first: people get the role at "
        "once, and the documents once the check crosses no limit or somebody says yes. Exit code 0: done, even if "
        "everything was granted before, or checked first; 2: an argument names nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser, verb="grant")
        parser.add_argument("--create-role", action="store_true", help="Create the role if it does not exist.")
        parser.add_argument(
            "--until",
            type=dt.date.fromisoformat,
            metavar="DATE",
            help="The last day of the grants, such as 2026-12-31; they end by themselves when it is over.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Grant, and say how much of it is new."""
        by = person_with(options["email"]) if options["email"] else None
        people = [person_with(email) for email in options["user"]]
        try:
            until = find_end(options["until"]) if options["until"] else None
        except FootnoteError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        if options["check"]:
            check_here(self, options, gives=True, by=by, until=until)
            return
        check, granted = None, 0
        with transaction.atomic():
            role = self._role(options["role"], create=options["create_role"])
            documents = find_chosen_documents(options)
            change = plan_for(role, documents, gives=True)
            if is_held_by_limit(change):
                check = check_grants(change, by=by, until=until, is_gate=True)
            else:
                granted = grants.grant(role, documents, by=by, until=until)
            joined = change_members(role, people, give=True, by=by)
        if options["json"]:
            result = {
                "role": role.name,
                "granted": granted,
                "documents": [str(document.pk) for document in documents],
                "users": joined,
                **({"check": str(check.pk)} if check else {}),
            }
            self.stdout.write(json.dumps(result, ensure_ascii=False))
            return
        if check:
            self.stdout.write(describe_held(check))
        elif documents:
            self.stdout.write(
                f"{role.name} may read {len(documents):,} of the documents named; {granted:,} of these grants are new."
            )
        if people:
            self.stdout.write(f"{len(people):,} of the people named have the role {role.name}; {joined:,} got it now.")

    def _role(self, name: str, *, create: bool) -> Role:
        if not create:
            return role_named(name, hint=" To create it, add --create-role.")
        role, is_new = Role.objects.get_or_create(name=name)
        if is_new:
            self.stderr.write(f"Created the role {role.name}.")
        return role
