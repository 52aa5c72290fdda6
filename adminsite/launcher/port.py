"""Is the web's port free, and if not, who has it?"""

import socket

import psutil

HOST = "127.0.0.1"


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
