"""Watch the memory of the process that parses a file, from outside: within it nothing could be trusted or opened."""

import contextlib
import os
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

_EVERY = 0.01  # seconds
_PROC = Path("/proc")


class Peak:
    """The most memory of the processes below this one's children, seen while the block runs; a context manager.

    The sandbox's template is a child of this process, and the copy that reads a file is the template's child. What a
    copy shares with its template is not counted. Linux tells; elsewhere nothing is known.
    """

    def __init__(self) -> None:
        """Nothing is watched yet."""
        self._most: dict[int, int] = {}
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def megabytes(self) -> float | None:
        """The most that one process took for itself; None where none was seen."""
        return round(max(self._most.values()) / 1024, 1) if self._most else None

    def _watch(self) -> None:
        while not self._is_over.wait(_EVERY):
            with contextlib.suppress(OSError, ValueError):  # processes come and go
                for template in _list_children(os.getpid()):
                    for copy in _list_children(template):
                        own = _read_kilobytes(copy) - _read_kilobytes(template)
                        self._most[copy] = max(self._most.get(copy, 0), own)  # of one that has ended, nothing


def _list_children(process: int) -> list[int]:
    threads = (_PROC / str(process) / "task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text(encoding="ascii").split()]


def _read_kilobytes(process: int) -> int:
    """Return the anonymous memory of a process: the files that a template has mapped are no part of its copy's."""
    lines = (_PROC / str(process) / "status").read_text(encoding="utf-8", errors="replace").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("RssAnon:")), 0)
