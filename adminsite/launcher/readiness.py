"""Waiting for the web process to answer."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable

_INTERVAL_S = 0.1
_ANSWER_TIMEOUT_S = 30  # the first answer of a process is slow; asking again meanwhile would make it slower


def wait_until_ready(url: str, *, host: str, timeout_s: float, cancelled: Callable[[], bool]) -> bool:
    """Ask `url` until it answers 200; False when that takes too long or `cancelled` says to stop.

    host: the name to ask for, one of those that ALLOWED_HOSTS lets in.
    """
    request = urllib.request.Request(url, headers={"Host": host})  # noqa: S310 - a constant http address
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline and not cancelled():
        try:
            with urllib.request.urlopen(request, timeout=_ANSWER_TIMEOUT_S) as response:  # noqa: S310 - as above
                if response.status == 200:
                    return True
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            pass
        time.sleep(_INTERVAL_S)
    return False
