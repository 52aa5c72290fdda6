"""`manage.py revoke`: take documents away from a role, or a role from people."""

import json
from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from core.access import grants
from core.access.grants import change_members
from core.management.base import FootnoteCommand
from core.management.checking import describe_held
from core.management.granting import (
    add_arguments,
    check_here,
    find_chosen_documents,
    person_with,
    plan_for,
    role_named,
)
from core.quality.change_checks.submitting import check_grants, is_held_by_limit


class Command(FootnoteCommand):
    """Revoke documents from a role, and the role from people."""

    help = (
        "Revokes a role's access to documents at once, including for answers that were given before. With --user, "
        "takes the role from people. Either everything is done or nothing. Where the limit of grants is switched on, "
        "a revocation of so many documents is checked first: people lose the role at once, and the role its documents "
        "once the check crosses no limit or somebody says yes. Exit code 0: done, even if there was nothing to "
        "revoke, or checked first; 2: an argument names nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser, verb="revoke")

    def handle(self, *args: Any, **options: Any) -> None:
        """Revoke, and say how much there was to take."""
        by = person_with(options["email"]) if options["email"] else None
        people = [person_with(email) for email in options["user"]]
        if options["check"]:
            check_here(self, options, gives=False, by=by)
            return
        check, revoked = None, 0
        with transaction.atomic():
            role = role_named(options["role"])
            documents = find_chosen_documents(options)
            change = plan_for(role, documents, gives=False)
            if is_held_by_limit(change):
                check = check_grants(change, by=by, is_gate=True)
            else:
                revoked = grants.revoke(role, documents, by=by)
            left = change_members(role, people, give=False, by=by)
        if options["json"]:
            result = {
                "role": role.name,
                "revoked": revoked,
                "documents": [str(document.pk) for document in documents],
                "users": left,
                **({"check": str(check.pk)} if check else {}),
            }
            self.stdout.write(json.dumps(result, ensure_ascii=False))
            return
        if check:
            self.stdout.write(describe_held(check))
        elif documents:
            self.stdout.write(
                f"{role.name} was granted {revoked:,} of the {len(documents):,} documents named; "
                f"{'it is' if revoked == 1 else 'they are'} revoked."
                if revoked
                else f"{role.name} was granted none of the {len(documents):,} documents named."
            )
        if people:
            self.stdout.write(f"{left:,} of the {len(people):,} people named had the role {role.name} and lost it.")
