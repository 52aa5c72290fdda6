"""The port of the web process: is it free, who has it, and when does the process answer there?"""

import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable

import psutil

HOST = "127.0.0.1"
_INTERVAL_S = 0.1
_ANSWER_TIMEOUT_S = 30  # the first answer of a process is slow; asking again meanwhile would make it slower


def is_free(port: int) -> bool:
    """True when a server could listen on this port of the loopback address. PermissionError where only root may."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do, so that closed ones do not count
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise
        except OSError:
            return False
        return True


def holder(port: int) -> str:
    """Name the program that listens on the port; "another program" when the system does not show it."""
    try:
        for connection in psutil.net_connections(kind="tcp"):
            listens = connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port
            if listens and connection.pid:
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass
    return "another program"


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
