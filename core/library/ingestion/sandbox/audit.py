"""Python's audit hook: the layer that every system has. Native code passes it by."""

import sys
from typing import Any

_REFUSED = (
    "open",
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.listdir",
    "os.scandir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.kill",
    "shutil.",
    "tempfile.",
    "ftplib.",
    "http.client.",
    "urllib.",
)


def refuse() -> bool:
    """Refuse in Python what a parser never needs once it is imported: files, sockets, processes. Always True."""
    sys.addaudithook(_hook)
    return True


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event.startswith(_REFUSED):
        raise PermissionError(f"a parser may not use {event}")
