"""`manage.py verify_receipt`: whether a receipt is as it was signed. manage.py itself runs it, without settings."""

import sys
from argparse import ArgumentParser
from typing import Any

from core.asking.receipts.verify_receipt import EPILOGUE, add_arguments, run
from core.management.base import FootnoteCommand


class Command(FootnoteCommand):
    """Verify a signed receipt of an answer, without the database."""

    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own; a receipt is verified on any machine
    help = f"Verifies a signed receipt of an answer: that its words are as they were signed. {EPILOGUE}"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify it. SystemExit with the code of the verdict."""
        code, shown = run(options)
        self.stdout.write(shown)
        sys.exit(code)
