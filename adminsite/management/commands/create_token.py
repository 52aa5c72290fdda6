"""`manage.py create_token EMAIL`: a REST token for a person."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from knox.models import AuthToken

from core.models import AuditEvent, User


class Command(BaseCommand):
    """Make a REST token and print it, this once."""

    help = "Make a REST token for a person and print it, this once. A program with it reads what the person may read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The person, and for how long."""
        parser.add_argument("email", help="the person's e-mail address")
        parser.add_argument("--days", type=int, help="how long it works (default: the setting REST_TOKEN_DAYS)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the token. CommandError for an unknown or inactive person, or a lifetime below one day."""
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError("--days needs a number from 1.")
        try:
            person = User.objects.get_by_natural_key(options["email"])
        except User.DoesNotExist as error:
            raise CommandError(f"Nobody has the e-mail address {options['email']}.") from error
        if not person.is_active:
            raise CommandError(f"The account of {options['email']} is inactive: activate it first.")
        lifetime = {} if days is None else {"expiry": timedelta(days=days)}
        with transaction.atomic():
            row, token = AuthToken.objects.create(person, **lifetime)
            AuditEvent.objects.create(
                action="create",
                object_type="authtoken",
                object_id=row.token_key,
                details={"user": str(person.pk)},
            )
        self.stdout.write(token)
