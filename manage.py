#!/usr/bin/env python
"""Footnote's command line: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from adminsite.migrate_first import prepare_for
    from core.database_errors import DATABASE_AWAY
    from core.errors import FootnoteError

    try:
        prepare_for(sys.argv)
        execute_from_command_line(sys.argv)
    except FootnoteError as error:
        sys.exit(error.message)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except DATABASE_AWAY as error:  # to the operator the driver's words are help
        from adminsite.launcher.database import in_one_line

        sys.exit(f"The database cannot be used: {in_one_line(error)}. Check DATABASE_URL and that the server runs.")


if __name__ == "__main__":
    main()
