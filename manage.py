#!/usr/bin/env python
"""Footnote's command line: `manage.py help` lists the commands."""

import os
import sys


def main() -> None:
    """Run one management command, or let a Footnote that runs do it."""
    from adminsite.running.client import try_running

    if sys.argv[1:2] == ["verify_receipt"]:  # on any machine: it needs no settings and no database
        from core.asking.receipts.verify_receipt import main as verify

        sys.exit(verify(sys.argv[2:]))
    code = try_running(sys.argv, os.environ)
    if code is not None:
        sys.exit(code)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adminsite.settings")
    import django
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import ManagementUtility, execute_from_command_line

    from adminsite.migrate_first import prepare_for
    from core.errors import FootnoteError
    from core.infrastructure.database_errors import DATABASE_AWAY
    from core.infrastructure.version import VERSION

    asks_version = sys.argv[1:2] in (["version"], ["--version"])
    try:
        prepare_for(sys.argv)
        if asks_version:  # Django would tell its own
            django.setup()
            ManagementUtility(sys.argv).fetch_command("version").run_from_argv([sys.argv[0], "version", *sys.argv[2:]])
        else:
            execute_from_command_line(sys.argv)
    except FootnoteError as error:
        sys.exit(f"Footnote {VERSION}\n{error.message}" if asks_version else error.message)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except DATABASE_AWAY as error:  # to the operator the driver's words are help
        from adminsite.launcher.database import in_one_line

        sys.exit(f"The database cannot be used: {in_one_line(error)}. Check DATABASE_URL and that the server runs.")


if __name__ == "__main__":
    main()
