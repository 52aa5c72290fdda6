"""`manage.py explain_access`: why a person can or cannot read a document."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from core.access.audiences import audience_of
from core.management.granting import document_meant, person_with
from core.models import Document, User

NOT_READABLE = 1  # exit code


class Command(BaseCommand):
    """Say whether a person may read a document, and which roles decide it."""

    help = (
        "Says whether a person may read a document, and why. Exit code 0: they may; 1: they may not; 2: there is no "
        "such person or document."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("email", metavar="EMAIL", help="The person.")
        parser.add_argument("document", metavar="DOCUMENT", help="Its id, source, arXiv id or exact title.")
        parser.add_argument("--json", action="store_true", help="Print the explanation as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Explain by the rule itself: the verdict is that of `visible_to`, the roles are its reason."""
        person = person_with(options["email"])
        document = document_meant(options["document"])
        may_read = Document.objects.visible_to(audience_of([person.pk])).filter(pk=document.pk).exists()
        held = set(person.roles.values_list("name", flat=True))
        granted = set(document.roles.values_list("name", flat=True))
        if options["json"]:
            explanation = {
                "email": person.email,
                "document_id": str(document.pk),
                "document": document.title,
                "readable": may_read,
                "active": person.is_active,
                "roles_held": sorted(held),
                "roles_granted": sorted(granted),
                "deciding": sorted(held & granted) if may_read else [],
            }
            self.stdout.write(json.dumps(explanation, ensure_ascii=False))
        else:
            self.stdout.write(_in_words(person, document, may_read=may_read, held=held, granted=granted))
        if not may_read:
            sys.exit(NOT_READABLE)


def _in_words(person: User, document: Document, *, may_read: bool, held: set[str], granted: set[str]) -> str:
    lines = [f"{person.email} may {'read' if may_read else 'not read'} {document.title!r}."]
    if may_read:
        lines.append(f"Because of the role: {_names(held & granted)}.")
    elif not person.is_active:
        lines.append("The account is inactive, so none of its roles count.")
    elif not held:
        lines.append("The person has no role.")
    elif not granted:
        lines.append("The document is not granted to any role.")
    else:
        lines.append("The document is not granted to any of the person's roles.")
    lines.append(f"Roles of the person: {_names(held)}.")
    lines.append(f"Roles that may read the document: {_names(granted)}.")
    return "\n".join(lines)


def _names(roles: set[str]) -> str:
    return ", ".join(sorted(roles)) or "none"
