"""`manage.py worker`: what the Procfile's worker runs."""

import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from core.api import warm_up


class Command(BaseCommand):
    """Work on answers, ingestion and evaluation until told to stop. Any number may run, on any number of machines."""

    help = "Works on the background jobs: answers first, then ingestion, then evaluation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        concurrency = settings.PROCRASTINATE_WORKER_DEFAULTS["concurrency"]
        parser.add_argument(
            "--concurrency",
            type=int,
            default=concurrency,
            help=f"Jobs at the same time: WORKER_CONCURRENCY, here {concurrency}.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the models beside the first jobs, and run procrastinate's worker. It ends its jobs on SIGTERM."""
        threading.Thread(target=warm_up, daemon=True, name="warm-up").start()
        call_command("procrastinate", "worker", f"--concurrency={options['concurrency']}")
