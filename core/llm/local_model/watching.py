"""`python -m core.llm.local_model.watching`: keep the server of the model of this machine running.

It starts it again when it ends or no longer says that it is ready, later each time, and never ends by itself: what
`manage.py start` runs beside it must not stop because of a model. Meanwhile answers come without one.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Protocol
from urllib.parse import urlsplit

from core.llm.local_model.registration import FOLDER, Registered, RegistrationError, find_registered
from core.llm.local_model.server import explain_end, is_healthy, start_server

logger = logging.getLogger("core.llm.local_model.watching")

_LOOK_EVERY_S = 5.0
_LOADED_WITHIN_S = 600  # before a server that is not ready counts as stuck
_NOT_READY = 6  # looks in a row, of one that was ready
_LONGEST_PAUSE_S = 60.0
_STEADY_AFTER_S = 120.0  # after which the next pause is a short one again


class Start(Protocol):
    """Starts the server of a model."""

    def __call__(self, registered: Registered, *, port: int, log: Path) -> subprocess.Popen[bytes]:
        """Return its process."""


class Watch:
    """Keeps one server running."""

    def __init__(self, home: Path, *, look_every_s: float = _LOOK_EVERY_S, start: Start = start_server) -> None:
        """home: FOOTNOTE_HOME. start: starts the server's process."""
        self._home, self._look_every_s, self._start = home, look_every_s, start
        self._process: subprocess.Popen[bytes] | None = None
        self._ending = threading.Event()
        self._told = ""  # the problem that was logged last

    def end(self, _number: int = 0, _frame: FrameType | None = None) -> None:
        """End the server, and then the watch."""
        self._ending.set()
        if self._process:
            self._process.terminate()

    def run(self) -> None:
        """Watch until `end` is called."""
        pause = 1.0
        while not self._ending.is_set():
            registered = self._find_served()
            if registered is None:
                self._sleep_unless_ended(self._look_every_s)
                continue
            began = time.monotonic()
            self._serve_model(registered)
            if self._ending.is_set():
                return
            pause = 1.0 if time.monotonic() - began > _STEADY_AFTER_S else min(pause * 2, _LONGEST_PAUSE_S)
            self._sleep_unless_ended(pause)

    def _find_served(self) -> Registered | None:
        try:
            registered = find_registered(self._home)
        except RegistrationError as error:
            if error.message != self._told:  # once, not at every look
                logger.error("model_not_registered", extra={"error": error.message})
            self._told = error.message
            return None
        self._told = ""
        return registered if registered and registered.file else None

    def _serve_model(self, registered: Registered) -> None:
        """Serve a model until it ends, is stuck, or another one is set up."""
        port, log = urlsplit(registered.address).port or 0, self._home / FOLDER / "server.log"
        self._process = process = self._start(registered, port=port, log=log)
        began, was_ready, not_ready = time.monotonic(), False, 0
        while process.poll() is None and not self._ending.is_set():
            self._sleep_unless_ended(self._look_every_s)
            if self._find_served() != registered:
                break
            is_ready = is_healthy(port)
            was_ready, not_ready = was_ready or is_ready, 0 if is_ready else not_ready + 1
            is_stuck = not_ready >= _NOT_READY if was_ready else time.monotonic() - began > _LOADED_WITHIN_S
            if is_stuck:
                logger.error("model_server_stuck")
                break
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        elif not self._ending.is_set():
            logger.error("model_server_ended", extra={"error": explain_end(process.returncode, log)})

    def _sleep_unless_ended(self, seconds: float) -> None:
        """Wait, and notice within a moment that the watch is to end or the server has."""
        until = time.monotonic() + seconds
        process = self._process
        was_running = process is not None and process.poll() is None
        while time.monotonic() < until and not self._ending.is_set():
            if was_running and process is not None and process.poll() is not None:
                return
            time.sleep(min(0.2, seconds))


def main() -> int:
    """Watch the model of FOOTNOTE_HOME."""
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s %(message)s %(error)s")
    home = Path(os.environ.get("FOOTNOTE_HOME") or Path(__file__).resolve().parents[3] / "var").resolve()
    watch = Watch(home)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, watch.end)
    watch.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
