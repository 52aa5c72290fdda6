"""`manage.py end_conversation`: end a conversation before it times out."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from core.access.audiences import asker_for
from core.api import end_conversation
from core.errors import FootnoteError
from core.management.asking import person
from core.management.base import FootnoteCommand


class Command(FootnoteCommand):
    """End a conversation that a person opened."""

    help = (
        "End a conversation that a person opened, outside of Slack: no question can continue it. Its id stands in the "
        "JSON of ask, as conversation_id. Exit code 0: it has ended, even if it had before; 2: the person has opened "
        "no such conversation."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("conversation", help="The id of the conversation.")
        parser.add_argument("--as", dest="email", required=True, metavar="EMAIL", help="Whose conversation it is.")

    def handle(self, *args: Any, **options: Any) -> None:
        """End it."""
        try:
            end_conversation(UUID(options["conversation"]), asker=asker_for(person(options["email"])))
        except ValueError as error:
            raise CommandError("The id of a conversation is a UUID.", returncode=2) from error
        except FootnoteError as error:
            raise CommandError(error.message, returncode=2) from error
        self.stdout.write("The conversation has ended.")
