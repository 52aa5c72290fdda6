"""`manage.py create_token EMAIL`: a REST token for a person."""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from adminsite.tokens import default_days, issue, read_audience
from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE, person_with
from core.models import AuthToken
from core.models.tokens import check_network, read_only


class Command(FootnoteCommand):
    """Make a REST token and print it, this once."""

    help = (
        "Creates a REST token for a person and prints it once. A program with this token reads what the person "
        "may read. Exit code 0: done; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The person, what the token is for, from where it works, for whom else it asks, and for how long."""
        parser.add_argument("email", help="the person's e-mail address")
        parser.add_argument("--name", default="", help="what the token is for, such as the program that uses it")
        parser.add_argument(
            "--scope",
            dest="scopes",
            action="append",
            choices=AuthToken.Scope.values,
            help="what it may do; may be repeated (default: ask)",
        )
        parser.add_argument(
            "--from",
            dest="networks",
            action="append",
            default=[],
            metavar="NETWORK",
            help="an address or network from which it works; may be repeated (default: anywhere)",
        )
        parser.add_argument(
            "--for-people",
            default="",
            metavar="EMAIL,EMAIL",
            help="who must also be able to read what the program is given, for one that tells it to several people; "
            "only with the scope ask",
        )
        parser.add_argument(
            "--for-channel",
            default="",
            metavar="TEAM/CHANNEL",
            help="a Slack channel, such as T0123ABCD/C0123ABCD, whose readers must all be able to read what the "
            "program is given, by Slack's word at each request; only with the scope ask",
        )
        parser.add_argument("--days", type=int, help="how long it works (default: the setting REST_TOKEN_DAYS)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the token. CommandError for an unknown or inactive person, or other values that cannot be used."""
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError("--days must be a number from 1.", returncode=WRONG_USAGE)
        try:
            for network in options["networks"]:
                check_network(network)
        except ValidationError as error:
            raise CommandError(f"--from: {error.message}", returncode=WRONG_USAGE) from error
        person = person_with(options["email"])
        if not person.is_active:
            raise CommandError(
                f"The account of {options['email']} is inactive: activate it first.", returncode=WRONG_USAGE
            )
        scopes = sorted(set(options["scopes"] or read_only()))
        addresses = [part.strip() for part in options["for_people"].split(",") if part.strip()]
        try:
            asks_for = read_audience(addresses, options["for_channel"].strip(), scopes)
        except ValidationError as error:
            raise CommandError(error.message, returncode=WRONG_USAGE) from error
        token = issue(
            person,
            name=options["name"][:100],
            scopes=scopes,
            networks=options["networks"],
            days=days or default_days(),
            by=None,
            asks_for=asks_for,
        )
        self.stdout.write(token)
