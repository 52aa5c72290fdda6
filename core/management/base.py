"""Define the base class of Footnote's commands."""

from django.core.management.base import BaseCommand

SETTINGS_TAG = "footnote"  # the tag of the system checks that look at settings alone


class FootnoteCommand(BaseCommand):
    """A command that looks at Footnote's settings before it begins.

    Django's own commands look at everything, for which they import each page of the web side: twice as long as a
    command here takes to start. `manage.py check` still does.
    """

    requires_system_checks: list[str] = [SETTINGS_TAG]  # noqa: RUF012 - Django's name
