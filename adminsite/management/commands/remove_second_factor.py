"""`manage.py remove_second_factor`: for who has lost both the authenticator app and the recovery codes."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction

from core.management.base import FootnoteCommand
from core.management.granting import person_with
from core.models import AuditEvent


class Command(FootnoteCommand):
    """Remove a person's second factor, so that the password alone lets them in."""

    help = (
        "Removes a person's authenticator app and recovery codes. First make sure that the request really comes "
        "from that person."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("email", help="The person's e-mail address.")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it, and say whether there was one."""
        person = person_with(options["email"])
        removed, _ = Authenticator.objects.filter(user_id=person.pk).delete()
        if removed:
            AuditEvent.objects.create(
                action=AuditEvent.Action.REMOVE_SECOND_FACTOR, object_type="user", object_id=str(person.pk)
            )
        self.stdout.write("The second factor is removed." if removed else "There was no second factor.")
