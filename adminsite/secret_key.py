"""The secret key of an installation that was given none: random, made once, kept in its folder."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key

from core.errors import FootnoteError


def local_secret_key(home: Path) -> str:
    """The key kept under `home`, made on first use. FootnoteError when that folder cannot be used.

    It serves one machine: several machines that share a database need the same SECRET_KEY, and the production checks
    ask for one.
    """
    try:
        home.mkdir(mode=0o711, parents=True, exist_ok=True)
        return _read_or_make(home)
    except OSError as error:
        raise FootnoteError(
            f"{home} cannot be used: {error.strerror}. Set FOOTNOTE_HOME to a folder of yours."
        ) from error


def _read_or_make(home: Path) -> str:
    path = home / "secret_key"
    unfinished = home / f"secret_key.{os.getpid()}"
    if not path.exists():
        unfinished.touch(mode=0o600)
        unfinished.write_text(get_random_secret_key())
        try:
            path.hardlink_to(unfinished)  # unlike a rename, it leaves the key of a process that was faster
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_text()
