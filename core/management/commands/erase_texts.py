"""Erase the texts of questions and answers, and keep the figures: `manage.py erase_texts`."""

import datetime as dt
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from core.api import count_erasable_texts, erase_texts
from core.management.base import FootnoteCommand
from core.management.granting import WRONG_USAGE, person_with


class Command(FootnoteCommand):
    """Erase the text of questions and of their answers, by age or by person."""

    help = (
        "Erases the text of questions and of their answers, quotes and comments. Ids, times, scores and counts stay, "
        "so reports do not change. This cannot be undone. Messages in Slack stay there. The setting RETENTION_DAYS "
        "does the same every night. Exit code 0: done, even if there was nothing to erase; 2: wrong usage."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--older-than", type=int, metavar="DAYS", help="Questions asked more than this many days ago."
        )
        parser.add_argument("--of", metavar="EMAIL", help="Only this person's questions.")
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="Who does this, for the audit log.")
        parser.add_argument("--dry-run", action="store_true", help="Only count them.")
        parser.add_argument("--json", action="store_true", help='Print {"questions", "erased"} as JSON.')

    def handle(self, *args: Any, **options: Any) -> None:
        """Erase, or count, and say how many."""
        days = options["older_than"]
        if days is None and not options["of"]:
            raise CommandError("Give --older-than DAYS, --of EMAIL, or both.", returncode=WRONG_USAGE)
        if days is not None and days < 0:
            raise CommandError("--older-than must be a number of days from 0.", returncode=WRONG_USAGE)
        of = person_with(options["of"]) if options["of"] else None
        by = person_with(options["email"]) if options["email"] else None
        before = timezone.now() - dt.timedelta(days=days or 0)
        if options["dry_run"]:
            count = count_erasable_texts(before=before, of=of)
        else:
            count = erase_texts(before=before, of=of, by=by)
        if options["json"]:
            self.stdout.write(json.dumps({"questions": count, "erased": not options["dry_run"]}))
            return
        whose = f"The text of {count:,} question{'' if count == 1 else 's'}"
        self.stdout.write(f"{whose} {'would be' if options['dry_run'] else 'is'} erased.")
