"""`manage.py mcp`: Footnote as an MCP server on standard input and output."""

import threading
from argparse import ArgumentParser
from typing import Any

from core.management.asking import person
from core.management.base import FootnoteCommand
from core.operations.warming import warm_up


class Command(FootnoteCommand):
    """Serve one person's MCP client, which starts this command and talks to it."""

    hides_logs = False
    help = (
        "Serves an MCP client over standard input and output, for one person. The client starts this command. Logs "
        "go to standard error. The command ends when standard input is closed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("--as", dest="email", metavar="EMAIL", help="The person to read as.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load the models beside the first messages, and serve until the client goes."""
        reader = person(options["email"])
        from core.mcp.transports import serve_stdio

        threading.Thread(target=warm_up, daemon=True, name="warm-up").start()
        serve_stdio(reader.pk)
