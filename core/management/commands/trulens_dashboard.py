"""`manage.py trulens_dashboard`: TruLens's own pages over the records of this database."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.errors import EvaluationError
from core.management.base import FootnoteCommand


class Command(FootnoteCommand):
    """Open TruLens's dashboard."""

    help = (
        "Opens the dashboard of TruLens on this database, for this machine alone. The first time, it is installed into "
        "an environment of its own, .venv-trulens, which takes some minutes and needs the package index."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--port", type=int, default=8501, help="Port on 127.0.0.1. Default: 8501.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Install what is missing, and run."""
        from core.quality.evaluation.triad.dashboard import make_environment, run_dashboard

        try:
            make_environment()
            self.stdout.write(f"TruLens: http://127.0.0.1:{options['port']}/  (Ctrl+C stops it)")
            code = run_dashboard(options["port"])
        except EvaluationError as error:
            raise CommandError(error.message) from error
        if code:
            raise CommandError(
                f"The dashboard ended with exit code {code}. Is the port free? Choose another by --port."
            )
