"""Keep an installation's secrets in its folder, for its owner alone: made once, or written anew in one step."""

import os
from collections.abc import Callable
from pathlib import Path

from core.errors import FootnoteError


def keep_secret(home: Path, name: str, make: Callable[[], str]) -> str:
    """Return the secret in the file `name` under `home`, made by `make` on first use.

    FootnoteError when that folder cannot be used.
    """
    try:
        home.mkdir(mode=0o711, parents=True, exist_ok=True)
        return _read_or_make(home / name, make)
    except OSError as error:
        raise FootnoteError(
            f"{home} cannot be used: {error.strerror}. Set FOOTNOTE_HOME to a folder that you own."
        ) from error


def write_privately(path: Path, text: str) -> None:
    """Write a file for its owner alone, in one step so that a crash leaves the old file or the new one."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(path)


def _read_or_make(path: Path, make: Callable[[], str]) -> str:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        unfinished.touch(mode=0o600)
        unfinished.write_text(make())
        try:
            path.hardlink_to(unfinished)  # unlike a rename, it leaves the secret of a process that was faster
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_text()
