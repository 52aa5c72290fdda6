"""Fetching an address that somebody named, without becoming their way into this network.

Only http and https, and only addresses of the public Internet. A name is resolved once, every address it has is
checked, and the connection goes to the address that was checked; each redirect is a new address with the same rules.
Proxy settings of the environment are not used, because a proxy would resolve the name again.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpcore

from core.errors import FetchError, UnsafeUrlError
from core.ingestion.detection import BY_SUFFIX, FileKind
from core.ingestion.errors import make_too_large_error
from core.ingestion.naming import suffix
from core.ingestion.sources import fomc
from core.ingestion.sources.addresses import check_url
from core.ingestion.sources.source import LoadedFile, Source
from core.sizes import MEGABYTE

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Iterable[str]]

_MOST_REDIRECTS = 5
_SECONDS = 60  # for the whole fetch
_CONNECT_SECONDS = 10
_AZURE_PLATFORM = ipaddress.ip_address("168.63.129.16")  # public by its number, inside by its use
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "message/rfc822": ".eml",
    "application/json": ".json",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.oasis.opendocument.text": ".odt",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
    "application/vnd.oasis.opendocument.presentation": ".odp",
    "application/rtf": ".rtf",
    "text/rtf": ".rtf",
    "application/vnd.ms-outlook": ".msg",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/tiff": ".tiff",
}


def is_public(address: IPAddress) -> bool:
    """True for an address of the public Internet; what is embedded in an IPv6 address is judged as well."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved and address != _AZURE_PLATFORM


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system knows them. OSError when there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Which addresses may be fetched. Without arguments: public ones alone. Tests allow one of their own."""

    resolver: Resolver = resolve
    allowed: Callable[[IPAddress], bool] = is_public
    ssl_context: ssl.SSLContext | None = None  # None: the authorities that the system trusts


class _CheckedBackend(httpcore.NetworkBackend):
    """Connects to the address that was checked, whatever the name resolves to a moment later."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Resolve, check all, connect to the first. UnsafeUrlError when one of them may not be fetched."""
        try:
            addresses = list(self._policy.resolver(host, port))
        except OSError as error:
            raise FetchError(f"The host {host} is not known. Check the address.") from error
        if not addresses or not all(self._policy.allowed(ipaddress.ip_address(each)) for each in addresses):
            raise UnsafeUrlError(f"{host} is not on the public Internet. Only public addresses are fetched.")
        return self._sockets.connect_tcp(
            addresses[0], port, timeout=timeout, local_address=local_address, socket_options=socket_options
        )


def web_source(url: str, *, max_mb: int, policy: Policy | None = None) -> Source:
    """A web page, or a file on the web. UnsafeUrlError when the address is of a kind that is never fetched."""
    address = check_url(url)
    hints = fomc.hints(urlsplit(address).path) if _is_federal_reserve(address) else fomc.Hints("", None)
    return Source(
        name=address,
        key=address,
        load=partial(_load, address, max_mb, policy or Policy()),
        is_address=True,
        source_url=address,
        document_type=hints.document_type,
        document_date=hints.document_date,
    )


def fetch(url: str, *, max_mb: int, policy: Policy | None = None) -> LoadedFile:
    """Fetch an address, following redirects.

    UnsafeUrlError for what may not be fetched, FileTooLargeError over `max_mb`, FetchError for the rest.
    """
    policy = policy or Policy()
    deadline = time.monotonic() + _SECONDS
    address = check_url(url)
    context = policy.ssl_context or httpcore.default_ssl_context()
    with httpcore.ConnectionPool(ssl_context=context, network_backend=_CheckedBackend(policy)) as pool:
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                target, loaded = _get(pool, address, url, deadline, max_mb)
            except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException, OSError) as error:
                raise FetchError(f"{url} could not be fetched: the server does not answer correctly.") from error
            if loaded is not None:
                return loaded
            address = check_url(urljoin(address, target))
    raise FetchError(f"{url} redirects more than {_MOST_REDIRECTS} times.")


def _get(
    pool: httpcore.ConnectionPool, address: str, url: str, deadline: float, max_mb: int
) -> tuple[str, LoadedFile | None]:
    """One request: where it redirects to, or what it brought."""
    headers: dict[bytes | str, bytes | str] = {
        "Host": urlsplit(address).netloc,
        "User-Agent": "Footnote",
        "Accept-Encoding": "identity",
    }
    timeout = {"connect": _CONNECT_SECONDS, "read": _SECONDS, "write": _CONNECT_SECONDS, "pool": _CONNECT_SECONDS}
    with pool.stream("GET", address, headers=headers, extensions={"timeout": timeout}) as response:
        answered = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        if response.status in {301, 302, 303, 307, 308} and "location" in answered:
            return answered["location"], None
        if response.status != 200:
            raise FetchError(f"{url} could not be fetched: the server answered with status {response.status}.")
        if answered.get("content-encoding", "identity") != "identity":
            raise FetchError(f"{url} could not be fetched: the server sends it compressed although asked not to.")
        content = bytearray()
        for piece in response.iter_stream():
            content += piece
            if len(content) > max_mb * MEGABYTE:
                raise make_too_large_error(url, max_mb)
            if time.monotonic() > deadline:
                raise FetchError(f"{url} could not be fetched within {_SECONDS} seconds.")
        return "", LoadedFile(content=bytes(content), name=_file_name(address, answered.get("content-type", "")))


def _load(url: str, max_mb: int, policy: Policy) -> LoadedFile:
    return fetch(url, max_mb=max_mb, policy=policy)


def _file_name(address: str, content_type: str) -> str:
    """A name with an ending that tells the kind: what the server says, else what the address ends in."""
    name = PurePosixPath(urlsplit(address).path).name or "page"
    ending = _ENDINGS.get(content_type.partition(";")[0].strip().lower(), "")
    stated, named = BY_SUFFIX.get(ending), BY_SUFFIX.get(suffix(name))
    if stated is None or stated is named or (stated is FileKind.TEXT and named):  # servers call much "text/plain"
        return name if named else f"{name}.html"
    return f"{name}{ending}"


def _is_federal_reserve(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "federalreserve.gov" or host.endswith(".federalreserve.gov")
