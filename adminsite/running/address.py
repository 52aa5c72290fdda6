"""Say where the socket of commands is. Imports nothing of Django: a command looks here before anything else."""

import os
from collections.abc import Mapping
from pathlib import Path

LONGEST = 100  # bytes of a socket's path; systems allow 104 or 108
_HERE = Path(__file__).resolve().parents[2]


def find_socket(env: Mapping[str, str]) -> Path | None:
    """Return the path of the socket for this environment, or None where its path would be too long for one."""
    home = Path(env.get("FOOTNOTE_HOME", str(_HERE / "var"))).resolve()
    path = home / "commands" / "socket"
    return path if len(os.fsencode(path)) <= LONGEST else None


def is_private(folder: Path) -> bool:
    """Return True if the folder belongs to this account, or to root, and nobody else may enter it."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    is_trusted = os.geteuid() in (found.st_uid, 0)
    return folder.is_dir() and not folder.is_symlink() and not found.st_mode & 0o077 and is_trusted


def prepare_socket(env: Mapping[str, str]) -> Path | None:
    """Make the socket's folder, for its owner alone, and return the socket's path; None where that cannot be had."""
    path = find_socket(env)
    if path is None:
        return None
    try:
        path.parent.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
    except OSError:  # a folder that is only read, as in a container: commands then work by themselves
        return None
    return path if is_private(path.parent) and os.access(path.parent, os.W_OK | os.X_OK) else None
