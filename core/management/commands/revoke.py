"""`manage.py revoke`: take documents away from a role, or a role from people."""

import json
from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from core.access import grants
from core.access.grants import change_members
from core.management.base import FootnoteCommand
from core.management.granting import add_arguments, find_chosen_documents, person_with, role_named


class Command(FootnoteCommand):
    """Revoke documents from a role, and the role from people."""

    help = (
        "Revokes a role's access to documents at once, including for answers that were given before. With --user, "
        "takes the role from people. Either everything is done or nothing. Exit code 0: done, even if there was "
        "nothing to revoke; 2: an argument names nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser, verb="revoke")

    def handle(self, *args: Any, **options: Any) -> None:
        """Revoke, and say how much there was to take."""
        by = person_with(options["email"]) if options["email"] else None
        people = [person_with(email) for email in options["user"]]
        with transaction.atomic():
            role = role_named(options["role"])
            documents = find_chosen_documents(options)
            revoked = grants.revoke(role, documents, by=by)
            left = change_members(role, people, give=False, by=by)
        if options["json"]:
            result = {
                "role": role.name,
                "revoked": revoked,
                "documents": [str(document.pk) for document in documents],
                "users": left,
            }
            self.stdout.write(json.dumps(result, ensure_ascii=False))
            return
        if documents:
            self.stdout.write(
                f"{role.name} was granted {revoked:,} of the {len(documents):,} documents named; "
                f"{'it is' if revoked == 1 else 'they are'} revoked."
                if revoked
                else f"{role.name} was granted none of the {len(documents):,} documents named."
            )
        if people:
            self.stdout.write(f"{left:,} of the {len(people):,} people named had the role {role.name} and lost it.")
