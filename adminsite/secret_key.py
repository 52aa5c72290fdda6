"""The secret key of an installation that was given none: random, made once, kept in its folder."""

import os
from pathlib import Path

from django.core.management.utils import get_random_secret_key


def local_secret_key(home: Path) -> str:
    """The key kept under `home`, made on first use.

    It serves one machine: several machines that share a database need the same SECRET_KEY, and the production checks
    ask for one.
    """
    path = home / "secret_key"
    home.mkdir(mode=0o711, parents=True, exist_ok=True)
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
