"""How fast a data source is asked."""

import time


class Pace:
    """Lets requests through one by one, as many in a minute as a source is given."""

    def __init__(self, per_minute: int) -> None:
        """per_minute: 0 for as many as it answers."""
        self._apart = 60 / per_minute if per_minute else 0.0  # seconds
        self._next = 0.0  # by the monotonic clock

    def wait(self) -> None:
        """Return when the next request may be made."""
        now = time.monotonic()
        if now < self._next:
            time.sleep(self._next - now)
        self._next = max(now, self._next) + self._apart
