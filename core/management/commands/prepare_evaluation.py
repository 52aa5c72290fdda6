"""`manage.py prepare_evaluation`: what only the owner of the tables may do for the evaluation."""

from typing import Any

from core.management.base import FootnoteCommand
from core.quality.evaluation.triad.recorder import prepare


class Command(FootnoteCommand):
    """Make TruLens's tables, for an application role that may make none."""

    help = "Creates the tables in which TruLens keeps its records. Does nothing if they exist."

    def handle(self, *args: Any, **options: Any) -> None:
        """Make them."""
        prepare()
        self.stdout.write("The TruLens tables are there.")
