"""Connections of urllib3, on which several libraries stand, to addresses that were checked."""

import socket
import sys
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from core.ingestion.sources.connections import AddressesOf, open_socket
from core.sync.files import store


def guard(manager: urllib3.PoolManager, addresses_of: AddressesOf) -> None:
    """Let a manager of pools connect to no address but those that were checked.

    Its own classes of pools are kept for the rest. The name that is asked for stays in the Host header, in the name
    that is sent for TLS, and in the certificate's check. ValueError for a manager that asks a proxy, which would
    resolve the name again.
    """
    if manager.proxy is not None:
        raise ValueError("A proxy would resolve the name again.")
    manager.pool_classes_by_scheme = {
        scheme: _guarded(pool, addresses_of) for scheme, pool in manager.pool_classes_by_scheme.items()
    }


def build_session(addresses_of: AddressesOf) -> requests.Session:
    """Build a session of requests that connects to no address but those that were checked, and reads no environment."""
    session = requests.Session()
    session.trust_env = False  # no proxy, and no passwords of a .netrc
    for scheme in ("http://", "https://"):
        session.mount(scheme, _GuardedAdapter(addresses_of))
    return session


class _GuardedAdapter(HTTPAdapter):
    def __init__(self, addresses_of: AddressesOf) -> None:
        super().__init__()
        guard(self.poolmanager, addresses_of)

    def proxy_manager_for(self, proxy: str, **_: Any) -> Any:
        raise ValueError("A proxy would resolve the name again.")


def _guarded(pool: type[HTTPConnectionPool], addresses_of: AddressesOf) -> type[HTTPConnectionPool]:
    connection: Any = pool.ConnectionCls

    class Connection(connection):  # type: ignore[misc]  # a class that is known only here
        def _new_conn(self) -> socket.socket:
            """As urllib3's own, which resolves the name by itself."""
            seconds = store.ANSWER_S if self.timeout is None else self.timeout
            try:
                opened = open_socket(addresses_of, self.host.strip("[]"), self.port, seconds=seconds)
            except TimeoutError as error:
                raise ConnectTimeoutError(self, f"Connecting to {self.host} took too long.") from error
            except OSError as error:
                raise NewConnectionError(self, f"{self.host} cannot be connected to.") from error
            for option in self.socket_options or ():
                opened.setsockopt(*option)
            sys.audit("http.client.connect", self, self.host, self.port)
            return opened

    return type(f"Guarded{pool.__name__}", (pool,), {"ConnectionCls": Connection})
