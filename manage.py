#!/usr/bin/env python
"""Footnote's command line: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    from django.core.management import execute_from_command_line

    from core.errors import FootnoteError

    try:
        execute_from_command_line(sys.argv)
    except FootnoteError as error:
        sys.exit(error.message)


if __name__ == "__main__":
    main()
