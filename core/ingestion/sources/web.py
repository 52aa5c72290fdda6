"""Fetching an address that somebody named, without becoming their way into this network.

Only http and https, and only addresses of the public Internet, unless an administrator has listed the host. A name is
resolved once, every address it has is checked, and the connection goes to the address that was checked; each redirect
is a new address with the same rules. Proxy settings of the environment are not used, because a proxy would resolve the
name again.
"""

import functools
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore

from core.errors import FetchError, UnsafeUrlError
from core.ingestion.detection import BY_SUFFIX, FileKind
from core.ingestion.errors import make_too_large_error
from core.ingestion.naming import suffix
from core.ingestion.sources import fomc
from core.ingestion.sources.addresses import check_url
from core.ingestion.sources.connections import CheckedBackend
from core.ingestion.sources.source import LoadedFile, Source
from core.sizes import MEGABYTE

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Iterable[str]]

_MOST_REDIRECTS = 5
_SECONDS = 60  # for the whole fetch
_CONNECT_SECONDS = 10
_REDIRECTS = {301, 302, 303, 307, 308}
_AZURE_PLATFORM = ipaddress.ip_address("168.63.129.16")  # public by its number, inside by its use
# Where machines in clouds learn their own credentials, besides the link-local 169.254.169.254.
_METADATA = {
    _AZURE_PLATFORM,
    *map(ipaddress.ip_address, ("100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")),
}
_THIS_NETWORK = ipaddress.ip_network("0.0.0.0/8")
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
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, ipaddress.IPv6Address) and address.is_site_local:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved and address != _AZURE_PLATFORM


def _may_be_listed(address: IPAddress, host: str) -> bool:
    """Whether an address inside may be fetched when its host is listed: that of a cloud's metadata never.

    A name that leads to this machine itself is no host of the network: whoever wants that lists it as it is.
    """
    inner = _embedded(address)
    if inner is not None:
        return _may_be_listed(inner, host)
    if address.is_loopback:
        return host in {"localhost", str(address)}
    if address in _METADATA or address in _THIS_NETWORK:
        return False
    return not (address.is_link_local or address.is_multicast or address.is_reserved or address.is_unspecified)


def _embedded(address: IPAddress) -> ipaddress.IPv4Address | None:
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if inner is None and address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return inner


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as the system knows them. OSError when there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Which addresses may be fetched. Without arguments: public ones alone. Tests allow one of their own."""

    resolver: Resolver = resolve
    allowed: Callable[[IPAddress], bool] = is_public
    inside_hosts: frozenset[str] = frozenset()  # that an administrator listed: their names may lead inside
    ssl_context: ssl.SSLContext | None = None  # None: the authorities that the system trusts
    seconds: float = _SECONDS  # for one fetch, with all that it is redirected to

    def addresses_of(self, host: str, port: int) -> list[str]:
        """The addresses of a host. UnsafeUrlError when one of them may not be fetched, FetchError without any."""
        try:
            addresses = list(self.resolver(host, port))
        except OSError as error:
            raise FetchError(f"The host {host} is not known. Check the address.") from error
        if not addresses or not all(self._allows(ipaddress.ip_address(each), host) for each in addresses):
            raise UnsafeUrlError(f"{host} is not on the public Internet. Only public addresses are fetched.")
        return addresses

    def from_outside(self) -> "Policy":
        """The same for what an address outside leads to: nobody there knows what may be read inside."""
        return replace(self, inside_hosts=frozenset())

    def _allows(self, address: IPAddress, host: str) -> bool:
        return self.allowed(address) or (host in self.inside_hosts and _may_be_listed(address, host))


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What is asked of a server."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict, repr=False)  # headers for this host alone
    body: bytes = b""
    may_be_packed: bool = False  # whether the answer may come packed with gzip; it is left so


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """What a server answered, after all redirects."""

    url: str  # that answered
    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes

    def as_file(self) -> LoadedFile:
        """The content as a file, with a name that tells its kind."""
        return LoadedFile(content=self.content, name=_file_name(self.url, self.headers.get("content-type", "")))


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
    response = send(Request(url=url), max_mb=max_mb, policy=policy or Policy())
    if response.status != 200:
        raise FetchError(f"{url} could not be fetched: the server answered with status {response.status}.")
    return response.as_file()


def send(request: Request, *, max_mb: int, policy: Policy) -> Response:
    """Ask a server, following redirects of what is only read. Any status counts as an answer.

    Errors as of `fetch`. Credentials go to the host that was named, and to no other that it leads to.
    """
    url = request.url
    request, deadline = replace(request, url=check_url(url)), time.monotonic() + policy.seconds
    for _ in range(_MOST_REDIRECTS + 1):
        try:
            response = _ask(request, url, max_mb, policy, deadline)
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise FetchError(f"{url} could not be fetched: the server does not answer correctly.") from error
        except httpcore.TimeoutException as error:
            raise FetchError(f"{url} could not be fetched within {policy.seconds:g} seconds.") from error
        if response.status not in _REDIRECTS or "location" not in response.headers or request.method != "GET":
            return response
        target = check_url(urljoin(request.url, response.headers["location"]))
        here, there = urlsplit(request.url), urlsplit(target)
        if _origin(here) != _origin(there):
            request = replace(request, credentials={})
        if here.hostname != there.hostname and here.hostname not in policy.inside_hosts:
            policy = policy.from_outside()
        request = replace(request, url=target)
    raise FetchError(f"{url} redirects more than {_MOST_REDIRECTS} times.")


def _ask(request: Request, url: str, max_mb: int, policy: Policy, deadline: float) -> Response:
    """One request. url: the address as it was named, for messages. deadline: by the monotonic clock."""
    headers = {"Host": urlsplit(request.url).netloc, "User-Agent": "Footnote", "Accept-Encoding": "identity"}
    length = {"Content-Length": str(len(request.body))} if request.method != "GET" else {}
    sent = list((headers | length | request.headers | request.credentials).items())
    wait = policy.seconds
    timeout = {"connect": min(wait, _CONNECT_SECONDS), "read": wait, "write": wait, "pool": _CONNECT_SECONDS}
    with (
        httpcore.ConnectionPool(
            ssl_context=policy.ssl_context or _trusted(),
            network_backend=CheckedBackend(policy.addresses_of, deadline),
        ) as pool,
        pool.stream(
            request.method, request.url, headers=sent, content=request.body, extensions={"timeout": timeout}
        ) as response,
    ):
        answered = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        content = bytearray()
        if response.status not in _REDIRECTS:
            encoding = answered.get("content-encoding", "identity").lower()
            if encoding != "identity" and not (request.may_be_packed and encoding in {"gzip", "x-gzip"}):
                raise FetchError(f"{url} could not be fetched: the server sends it compressed although asked not to.")
            for piece in response.iter_stream():
                content += piece
                if len(content) > max_mb * MEGABYTE:
                    raise make_too_large_error(url, max_mb)
        return Response(url=request.url, status=response.status, headers=answered, content=bytes(content))


@functools.cache
def _trusted() -> ssl.SSLContext:
    """The authorities that the system trusts; reading them takes longer than many a request."""
    return httpcore.default_ssl_context()


def _origin(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme, parts.netloc


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
