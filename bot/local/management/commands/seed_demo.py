"""`manage.py seed_demo`: the sample library and its people."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bot.local.demo import PASSWORD, read_demo, seed_channels, seed_library, seed_people

LIBRARY = "samples/library.toml"


class Command(BaseCommand):
    """Add the sample library, the demo people and their channels. Does nothing where they are already."""

    help = "Adds the sample library, demo people with different roles, and their channels on the local page."

    def handle(self, *args: Any, **options: Any) -> None:
        """Seed, and print who there is to sign in as."""
        if not settings.LOCAL_PAGE:
            raise CommandError(
                "The demo has people with a password that everyone knows. It is added only where LOCAL_PAGE is on.",
                returncode=2,
            )
        demo = read_demo(settings.BASE_DIR / LIBRARY)
        seed_people(demo)
        seed_library(demo)
        seed_channels(demo)
        self.stdout.write(f"  People, all with the password {PASSWORD}:")
        for person in demo.people:
            self.stdout.write(f"    {person['email']:<22} {person['about']}")
