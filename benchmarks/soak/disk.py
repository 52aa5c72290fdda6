"""A small disk, to be filled, for the worker's temporary files, the sandbox's among them, and for originals."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZE_MB = 48


@contextmanager
def small_disk(path: Path) -> Iterator[Path | None]:
    """A file system in memory at this path, within the block. None, and a plain folder, where none can be mounted."""
    path.mkdir()
    path.chmod(0o755)
    command = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE_MB}m,mode=755", "soak", str(path)]
    is_mounted = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield path if is_mounted else None
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(path)], check=False, capture_output=True)  # noqa: S607


def on_disk(disk: Path) -> str:
    """The command line within which a process has its temporary files on this disk: it sees it as /tmp."""
    inside = temporary_files(disk)
    inside.mkdir()
    inside.chmod(0o1777)
    script = 'mount --bind "$0" /tmp && exec "$@"'
    return f"unshare --mount --propagation private sh -c '{script}' {inside} sh -c"


def temporary_files(disk: Path) -> Path:
    """Return the folder that such a process sees as /tmp."""
    return disk / "tmp"
