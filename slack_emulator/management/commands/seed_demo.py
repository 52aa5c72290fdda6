"""`manage.py seed_demo`: the sample library and its people."""

import secrets
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from core.infrastructure.kept_secrets import keep_secret
from core.management.base import FootnoteCommand
from core.management.library import ingest_collections, make_people
from core.models import EvaluationRun
from core.operations.safe_database import SAMPLE_LIBRARY
from core.quality.evaluation.datasets.starting import list_datasets, queue_run
from slack_emulator.seeding import give_passwords, read_demo, seed_channels

FIRST_DATASET = "samples.jsonl"
_FIRST_RUN_AFTER_S = 60  # so that it is not in the way of the first questions


class Command(FootnoteCommand):
    """Add the sample library, the demo people and their channels. Does nothing where they are already."""

    help = "Adds the sample library, demo people with different roles, and their channels on the local page."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, and print who there is to sign in as."""
        if not settings.LOCAL_PAGE:
            raise CommandError(
                "The demo has an administrator whose password is printed. It is added only if LOCAL_PAGE is on.",
                returncode=2,
            )
        demo = read_demo(settings.BASE_DIR / SAMPLE_LIBRARY)
        make_people(demo.library, password=None)
        password = keep_secret(settings.FOOTNOTE_HOME, "demo_password", lambda: secrets.token_urlsafe(12))
        give_passwords(demo, password)
        ingest_collections(demo.library, sys.stderr)  # as progress; the result is whom to sign in as
        seed_channels(demo)
        # The worker asks the samples' questions once, so that there is a run to look at. Nobody waits for it.
        if not EvaluationRun.objects.exists() and FIRST_DATASET in list_datasets():
            queue_run(FIRST_DATASET, delay_s=_FIRST_RUN_AFTER_S)
        admins = " and ".join(person["email"] for person in demo.library.people if person["staff"])
        self.stdout.write(f"  People: choose one on the page; {admins} signs in to the admin, password {password}.")
        for person in demo.library.people:
            self.stdout.write(f"    {person['email']:<22} {person['about']}")
