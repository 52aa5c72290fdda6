"""Fetching an address that somebody named, without becoming their way into this network.

Only http and https, and only addresses of the public Internet, unless an administrator has listed the host. A name is
resolved once, every address it has is checked, and the connection goes to the address that was checked; each redirect
is a new address with the same rules. Proxy settings of the environment are not used, because a proxy would resolve the
name again.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import httpcore

from core.errors import FetchError
from core.library.ingestion.errors import make_too_large_error
from core.library.ingestion.formats import BY_SUFFIX, ENDING_BY_MEDIA_TYPE, FileKind
from core.library.ingestion.naming import suffix
from core.library.ingestion.sources import LoadedFile, Source, fomc
from core.library.ingestion.sources.addresses import check_url
from core.library.ingestion.sources.connections import CheckedBackend, trust_authorities
from core.library.ingestion.sources.policy import MOST_REDIRECTS, REDIRECTS, Policy, follow
from core.values.sizes import MEGABYTE

_CONNECT_SECONDS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """A request to a server."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    credentials: dict[str, str] = field(default_factory=dict, repr=False)  # headers for this host alone
    body: bytes = b""
    may_be_packed: bool = False  # whether the answer may come packed with gzip; it is left so
    follows_redirects: bool = True  # False: a redirect is an answer like any other


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    """A server's response, after all redirects."""

    url: str  # that answered
    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes

    def as_file(self) -> LoadedFile:
        """Return the content as a file, with a name that shows its kind."""
        return LoadedFile(content=self.content, name=_file_name(self.url, self.headers.get("content-type", "")))


def web_source(url: str, *, max_mb: int, policy: Policy | None = None) -> Source:
    """Return a web page, or a file on the web. UnsafeUrlError when the address is of a kind that is never fetched."""
    address = check_url(url)
    hints = fomc.hints(urlsplit(address).path) if _is_federal_reserve(address) else fomc.Hints("", None)
    return Source(
        name=address,
        key=address,
        load=partial(_load_page, address, max_mb, policy or Policy()),
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
    request, deadline = replace(request, url=check_url(url, longest=policy.longest)), time.monotonic() + policy.seconds
    for _ in range(MOST_REDIRECTS + 1):
        try:
            response = _ask_once(request, url, max_mb, policy, deadline)
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as error:
            raise FetchError(f"{url} could not be fetched: the server does not answer correctly.") from error
        except httpcore.TimeoutException as error:
            raise FetchError(f"{url} could not be fetched within {policy.seconds:g} seconds.") from error
        is_followed = request.follows_redirects and request.method == "GET"
        if response.status not in REDIRECTS or "location" not in response.headers or not is_followed:
            return response
        hop = follow(policy, request.url, response.headers["location"])
        request = replace(request, url=hop.url, credentials=request.credentials if hop.keeps_credentials else {})
        policy = hop.policy
    raise FetchError(f"{url} redirects more than {MOST_REDIRECTS} times.")


def _ask_once(request: Request, url: str, max_mb: int, policy: Policy, deadline: float) -> Response:
    """One request. url: the address as it was named, for messages. deadline: by the monotonic clock."""
    headers = {"Host": urlsplit(request.url).netloc, "User-Agent": "Footnote", "Accept-Encoding": "identity"}
    length = {"Content-Length": str(len(request.body))} if request.method != "GET" else {}
    sent = list((headers | length | request.headers | request.credentials).items())
    wait = policy.seconds
    timeout = {"connect": min(wait, _CONNECT_SECONDS), "read": wait, "write": wait, "pool": _CONNECT_SECONDS}
    with (
        httpcore.ConnectionPool(
            ssl_context=policy.ssl_context or trust_authorities(),
            network_backend=CheckedBackend(policy.addresses_of, lambda: deadline),
        ) as pool,
        pool.stream(
            request.method, request.url, headers=sent, content=request.body, extensions={"timeout": timeout}
        ) as response,
    ):
        answered = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        content = bytearray()
        if response.status not in REDIRECTS:
            encoding = answered.get("content-encoding", "identity").lower()
            if encoding != "identity" and not (request.may_be_packed and encoding in {"gzip", "x-gzip"}):
                raise FetchError(f"{url} could not be fetched: the server sends it compressed although asked not to.")
            for piece in response.iter_stream():
                content += piece
                if len(content) > max_mb * MEGABYTE:
                    raise make_too_large_error(url, max_mb)
        return Response(url=request.url, status=response.status, headers=answered, content=bytes(content))


def _load_page(url: str, max_mb: int, policy: Policy) -> LoadedFile:
    return fetch(url, max_mb=max_mb, policy=policy)


def _file_name(address: str, content_type: str) -> str:
    """Build a name with an ending that shows the kind: the server's, else the address's own."""
    name = PurePosixPath(urlsplit(address).path).name or "page"
    ending = ENDING_BY_MEDIA_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    stated, named = BY_SUFFIX.get(ending), BY_SUFFIX.get(suffix(name))
    if stated is None or stated is named or (stated is FileKind.TEXT and named):  # servers call much "text/plain"
        return name if named else f"{name}{FileKind.HTML.value.ending}"
    return f"{name}{ending}"


def _is_federal_reserve(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    return host == "federalreserve.gov" or host.endswith(".federalreserve.gov")
