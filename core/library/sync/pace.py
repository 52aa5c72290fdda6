"""Limit how fast a data source is asked."""

import time
from collections.abc import Callable

_STEP_S = 1.0  # between two looks whether to wait on


class Pace:
    """Lets requests through one by one, as many in a minute as a source is given."""

    def __init__(self, per_minute: int, check: Callable[[], None] = lambda: None) -> None:
        """per_minute: 0 for as many as it answers. check: raises if no request is to be made any more."""
        self._apart = 60 / per_minute if per_minute else 0.0  # seconds
        self._next = 0.0  # by the monotonic clock
        self._check = check

    def wait(self) -> None:
        """Return when the next request may be made."""
        self._check()
        while (left := self._next - time.monotonic()) > 0:
            time.sleep(min(left, _STEP_S))
            self._check()
        self._next = time.monotonic() + self._apart
