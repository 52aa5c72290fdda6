"""Fetching addresses: which ones, and how."""

import contextlib
import ipaddress
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.errors import FetchError, FileTooLargeError, UnsafeUrlError
from core.library.ingestion.sources.addresses import check_url
from core.library.ingestion.sources.arxiv import arxiv_source
from core.library.ingestion.sources.policy import Policy, is_public
from core.library.ingestion.sources.web import Request, fetch, send, web_source


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "0.0.0.0",  # noqa: S104 - an address to refuse
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "::",
        "::1",
        "fe80::1",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::1",
    ],
)
def test_addresses_inside(address: str) -> None:
    """Loopback, private, link-local, metadata, multicast and reserved addresses, also wrapped in IPv6."""
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946"])
def test_addresses_outside(address: str) -> None:
    """Ordinary public addresses."""
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a",
        "gopher://example.org",
        "http:///a",
        "http://[::1",
        "https://me:pw@example.org/",
        "javascript:alert(1)",
    ],
)
def test_addresses_of_a_kind_that_is_never_fetched(url: str) -> None:
    """Only http and https, with a host and without a password."""
    with pytest.raises(UnsafeUrlError):
        check_url(url)


def test_addresses_in_a_normal_form() -> None:
    """The same page has one key: no fragment, host in lower case, letters quoted."""
    assert check_url("HTTPS://Example.ORG/a b/ü?q=1#part") == "https://example.org/a%20b/%C3%BC?q=1"
    assert check_url("http://münchen.example/") == "http://xn--mnchen-3ya.example/"


def listed(host: str, *addresses: str) -> list[str]:
    """Return a policy's addresses for a listed host that resolves to some addresses."""
    return Policy(resolver=lambda _, __: addresses, inside_hosts=frozenset({host})).addresses_of(host, 443)


@pytest.mark.parametrize(
    "address", ["10.1.2.3", "192.168.1.1", "172.16.0.1", "100.64.3.4", "fd12:3456::1", "::ffff:10.0.0.1"]
)
def test_a_listed_host_may_be_inside(address: str) -> None:
    """Its name alone: another that leads to the same address may not."""
    assert listed("wiki.example", address) == [address]
    policy = Policy(resolver=lambda _, __: [address], inside_hosts=frozenset({"wiki.example"}))
    for host in ("other.example", "a.wiki.example", "wiki.example.org", address):
        with pytest.raises(UnsafeUrlError):
            policy.addresses_of(host, 443)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "fd00:ec2::254",
        "fd20:ce::254",
        "fe80::1",
        "0.0.0.0",  # noqa: S104 - an address to refuse
        "224.0.0.1",
        "240.0.0.1",
        "::",
        "::ffff:169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::",
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
    ],
)
def test_where_no_list_leads(address: str) -> None:
    """Neither to a cloud's metadata nor to nowhere, nor by a name to this machine; one bad address spoils others."""
    for addresses in ((address,), ("10.0.0.7", address)):
        with pytest.raises(UnsafeUrlError):
            listed("wiki.example", *addresses)


def test_this_machine_is_listed_as_it_is() -> None:
    """By its address or as localhost; its metadata not even so."""
    assert listed("127.0.0.1", "127.0.0.1") == ["127.0.0.1"]
    assert listed("localhost", "::1", "127.0.0.1") == ["::1", "127.0.0.1"]
    with pytest.raises(UnsafeUrlError):
        listed("169.254.169.254", "169.254.169.254")


class Pages(BaseHTTPRequestHandler):
    """A site with a page, redirects, and things that are too much."""

    def do_GET(self) -> None:
        """Answer by path."""
        SENT.append((self.headers["Host"].partition(":")[0], self.headers["Authorization"], self.headers["X-Plain"]))
        if self.path == "/trickle":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"X-A: b\r\n")
                    time.sleep(0.02)
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to/"))
            self.end_headers()
            return
        status = 404 if self.path == "/missing" else 200
        body = b"x" * 3_000_000 if self.path == "/huge" else b"<html><body><p>Hello</p></body></html>"
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if self.path == "/packed":
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a running site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


ASKED: list[str] = []
SENT: list[tuple[str, str | None, str | None]] = []  # the host that was asked, and what it was told


def _known(host: str, port: int) -> list[str]:
    """Every name is the local site, except those that play an attacker's."""
    ASKED.append(host)
    return {"inside.example": ["10.0.0.7"], "both.example": ["127.0.0.1", "10.0.0.7"]}.get(host, ["127.0.0.1"])


LOCAL = Policy(resolver=_known, allowed=lambda address: str(address) == "127.0.0.1")


def test_nothing_inside_is_fetched_by_default(port: int) -> None:
    """Without a policy of its own the local site is refused, by number and by name."""
    for url in (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/", f"http://2130706433:{port}/"):
        with pytest.raises((UnsafeUrlError, FetchError)):
            fetch(url, max_mb=1)


def test_a_page_is_fetched_with_a_name_that_tells_its_kind(port: int) -> None:
    """The server's word for the kind becomes the name's ending."""
    loaded = fetch(f"http://site.example:{port}/docs/page", max_mb=1, policy=LOCAL)
    assert (loaded.name, b"Hello" in loaded.content) == ("page.html", True)


def test_redirects_are_followed_and_each_is_checked(port: int) -> None:
    """A redirect to the inside, or to another scheme, ends there."""
    assert b"Hello" in fetch(f"http://a.example:{port}/to/http://b.example:{port}/page", max_mb=1, policy=LOCAL).content
    for target in (f"http://inside.example:{port}/", f"http://both.example:{port}/", "file:///etc/passwd"):
        with pytest.raises(UnsafeUrlError):
            fetch(f"http://a.example:{port}/to/{target}", max_mb=1, policy=LOCAL)


def test_a_name_is_resolved_once_for_each_connection(port: int) -> None:
    """The address that was checked is the one that is connected to: there is no second look-up to poison."""
    ASKED.clear()
    fetch(f"http://once.example:{port}/page", max_mb=1, policy=LOCAL)
    assert ASKED == ["once.example"]


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("missing", FetchError, "status 404"),
        ("huge", FileTooLargeError, "larger than 1 MB"),
        ("packed", FetchError, "compressed"),
        ("to/" * 20, FetchError, "redirects more than 5 times"),
    ],
)
def test_what_goes_wrong_is_said(port: int, path: str, error: type[Exception], message: str) -> None:
    """Status, size, encoding and endless redirects each have their message."""
    target = "/to/" * 3 + "loop" if path.startswith("to/") else path
    url = f"http://a.example:{port}/{target}"
    if path.startswith("to/"):
        url = f"http://a.example:{port}/to//to//to//to//to//to//to//to//page"
    with pytest.raises(error, match=message):
        fetch(url, max_mb=1, policy=LOCAL)


def test_credentials_go_to_the_host_that_was_named(port: int) -> None:
    """Along its own redirects, and to no other, not even on the way back; what else is asked is asked of all."""
    SENT.clear()
    way = f"/to/http://b.example:{port}/to/http://a.example:{port}/page"
    request = Request(
        url=f"http://a.example:{port}/to/{way}", headers={"X-Plain": "p"}, credentials={"Authorization": "t"}
    )
    assert send(request, max_mb=1, policy=LOCAL).status == 200
    assert SENT == [
        ("a.example", "t", "p"),
        ("a.example", "t", "p"),
        ("b.example", None, "p"),
        ("a.example", None, "p"),
    ]
    assert "'t'" not in repr(request)


def test_an_address_outside_leads_to_no_listed_host(port: int) -> None:
    """A host outside does not know what may be read inside; a listed host may lead to another one."""
    both = Policy(inside_hosts=frozenset({"127.0.0.1", "localhost"}))
    assert fetch(f"http://127.0.0.1:{port}/to/http://localhost:{port}/page", max_mb=1, policy=both).content
    policy = Policy(resolver=_known, allowed=LOCAL.allowed, inside_hosts=frozenset({"inside.example"}))
    assert policy.addresses_of("inside.example", 80) == ["10.0.0.7"]
    with pytest.raises(UnsafeUrlError):
        fetch(f"http://public.example:{port}/to/http://inside.example:{port}/page", max_mb=1, policy=policy)


def test_a_server_that_trickles_is_left_in_time(port: int) -> None:
    """However often it sends a little."""
    began = time.monotonic()
    policy = Policy(resolver=_known, allowed=LOCAL.allowed, seconds=0.3)
    with pytest.raises(FetchError, match=r"within 0\.3 seconds"):
        fetch(f"http://a.example:{port}/trickle", max_mb=1, policy=policy)
    assert time.monotonic() - began < 3


def test_a_site_that_does_not_answer_is_an_error_to_try_again() -> None:
    """The connection's failure becomes a message without internals."""
    with pytest.raises(FetchError, match="could not be fetched") as caught:
        fetch("http://a.example:9/", max_mb=1, policy=LOCAL)
    assert caught.value.retry


def test_pages_of_the_federal_reserve_are_typed_and_dated() -> None:
    """Its addresses show both; the same path elsewhere shows nothing."""
    path = "/newsevents/pressreleases/monetary20240131a.htm"
    ours = web_source(f"https://www.federalreserve.gov{path}", max_mb=1)
    other = web_source(f"https://federalreserve.gov.example{path}", max_mb=1)
    assert (ours.document_type, str(ours.document_date)) == ("statement", "2024-01-31")
    assert (other.document_type, other.document_date) == ("", None)


def test_papers_by_id() -> None:
    """An id and an address at arxiv.org mean the same source; anything else is none."""
    found = [arxiv_source(text, max_mb=1) for text in ("2212.11770v2", "https://arxiv.org/abs/2212.11770")]
    assert [source.key for source in found if source] == ["arxiv:2212.11770"] * 2
    assert arxiv_source("https://example.org/2212.11770", max_mb=1) is None
