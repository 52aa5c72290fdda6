"""The version of Footnote: here, and nowhere else. CHANGELOG.md says what each release brought."""

import subprocess
from functools import cache
from pathlib import Path

VERSION = "0.4.0.dev0"


@cache
def find_commit() -> str:
    """Return the commit that runs, in short; empty where nobody knows.

    FOOTNOTE_COMMIT gives it where there is no history, as in an image.
    """
    from django.conf import settings  # a command asks for the version before Django is imported

    given: str = settings.FOOTNOTE_COMMIT
    return given or _ask_git(settings.BASE_DIR)


def _ask_git(folder: Path) -> str:
    if not (folder / ".git").exists():  # a folder above may be the history of something else
        return ""
    command = ["git", "-C", str(folder), "rev-parse", "--short=12", "HEAD"]  # of whatever PATH has
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
