"""`manage.py explain_access`: why a person can or cannot read a document."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from core.access.reasons import Explanation, explain
from core.management.base import FootnoteCommand
from core.management.granting import document_meant, person_with
from core.models import Document

NOT_READABLE = 1  # exit code


class Command(FootnoteCommand):
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
        said = explain(person, document)
        if options["json"]:
            explanation = {
                "email": person.email,
                "document_id": str(document.pk),
                "document": document.title,
                "readable": said.may_read,
                "active": person.is_active,
                "roles_held": said.held,
                "roles_granted": said.granted,
                "deciding": said.deciding,
            }
            self.stdout.write(json.dumps(explanation, ensure_ascii=False))
        else:
            self.stdout.write(_in_words(said, document))
        if not said.may_read:
            sys.exit(NOT_READABLE)


def _in_words(said: Explanation, document: Document) -> str:
    person = said.person
    lines = [f"{person.email} may {'read' if said.may_read else 'not read'} {document.title!r}."]
    if said.may_read:
        lines.append(f"Because of the role: {_names(said.deciding)}.")
    elif not person.is_active:
        lines.append("The account is inactive, so none of its roles count.")
    elif not said.held:
        lines.append("The person has no role.")
    elif not said.granted:
        lines.append("The document is not granted to any role.")
    else:
        lines.append("The document is not granted to any of the person's roles.")
    lines.append(f"Roles of the person: {_names(said.held)}.")
    lines.append(f"Roles that may read the document: {_names(said.granted)}.")
    return "\n".join(lines)


def _names(roles: tuple[str, ...]) -> str:
    return ", ".join(roles) or "none"
