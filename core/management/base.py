"""Define the base class of Footnote's commands."""

import logging
from typing import Any, ClassVar

from django.core.management.base import BaseCommand

SETTINGS_TAG = "footnote"  # the tag of the system checks that look at settings alone
DATABASE_TAG = "footnote_database"  # unlike Django's own, part of `check --deploy` without further arguments
LOGS_SHOWN = 2  # the verbosity from which on commands for people show logs


class FootnoteCommand(BaseCommand):
    """A command that looks at Footnote's settings before it begins.

    Django's own commands look at everything, for which they import each page of the web side: twice as long as a
    command here takes to start. `manage.py check` still does.
    """

    requires_system_checks: list[str] = [SETTINGS_TAG]  # noqa: RUF012 - Django's name
    # From the terminal of whoever runs it, unless they ask with -v 2. Only a process that goes on by itself has no
    # other words than its logs.
    hides_logs: ClassVar[bool] = True

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command, in a process of its own without logs where people read what it prints."""
        if self.hides_logs and getattr(self, "_called_from_command_line", False) and options["verbosity"] < LOGS_SHOWN:
            logging.disable(logging.CRITICAL)
        return super().execute(*args, **options)
