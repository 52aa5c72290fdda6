"""`manage.py remove_demo`: the people of a trial go, before its database serves anybody else."""

from typing import Any

from django.conf import settings
from django.db import transaction

from core.management.base import FootnoteCommand
from core.models import AuditEvent, User
from core.operations.safe_database import SAMPLE_LIBRARY, demo_addresses


class Command(FootnoteCommand):
    """Delete the people of the demo. Documents, roles and everybody else stay."""

    help = (
        "Deletes the demo people with their roles, tokens and passwords. Their questions stay, without a person. The "
        "sample documents stay too: delete their collections in the admin. Exit code 0: done, even if nobody was "
        "there."
    )

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Delete them, and say how many they were."""
        people = list(User.objects.filter(email__in=demo_addresses(settings.BASE_DIR / SAMPLE_LIBRARY)))
        for person in people:
            AuditEvent.objects.create(action=AuditEvent.Action.DELETE, object_type="user", object_id=str(person.pk))
            person.delete()
        self.stdout.write(f"{len(people)} demo people removed.")
