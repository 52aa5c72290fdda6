"""Lock the embedded server: one lock for changing its state, and one that all of its users share.

The locks are flock(2) locks on files, which the system drops by itself when a process ends, however it ends.
"""

import atexit
import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import DatabaseUnavailableError

logger = logging.getLogger(__name__)


class Lease:
    """This process's share in the server under `home`. `last_one_out` runs when the last share is given back.

    A process that is killed gives nothing back in order; the server then runs on until the next user leaves.
    """

    def __init__(self, home: Path, *, last_one_out: Callable[[], None]) -> None:
        self._mutex_path = home / "postgres.lock"
        self._shared_path = home / "postgres.lease"
        self._last_one_out = last_one_out
        self._shared: int | None = None
        self._owner_pid = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Take a share for the life of this process; the server's state may be changed inside the block."""
        with self._hold_lock():
            self._shared = _open_locked(self._shared_path, fcntl.LOCK_SH)
            self._owner_pid = os.getpid()
            try:
                yield
            except BaseException:
                os.close(self._shared)
                raise
            # A forked child has a copy of the descriptor, so the share lasts until parent and child have ended.
            atexit.register(self._give_back)

    def _give_back(self) -> None:
        if self._shared is None or os.getpid() != self._owner_pid:
            return
        try:
            with self._hold_lock():
                os.close(self._shared)
                self._shared = None
                if self._is_last():
                    self._last_one_out()
        except (OSError, DatabaseUnavailableError):
            logger.warning("embedded_server_left_running", exc_info=True)

    def _is_last(self) -> bool:
        try:
            descriptor = _open_locked(self._shared_path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.close(descriptor)
        return True

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        descriptor = _open_locked(self._mutex_path, fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(descriptor)


def _open_locked(path: Path, operation: int) -> int:
    """Return a descriptor of the file with the lock on it. Python keeps it from programs that this process starts."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
