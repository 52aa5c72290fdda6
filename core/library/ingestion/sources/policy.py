"""Decide which hosts may be asked, and follow redirects from one host to another."""

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urljoin, urlsplit

from core.errors import FetchError, UnsafeUrlError
from core.library.ingestion.sources.addresses import check_url
from core.library.ingestion.sources.networks import IPAddress, is_public, may_be_listed

Resolver = Callable[[str, int], Iterable[str]]

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SECONDS = 60  # for the whole fetch


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host, as the system knows them. OSError when there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The addresses that may be fetched. Without arguments: public ones alone. Tests allow one of their own."""

    resolver: Resolver = resolve
    allowed: Callable[[IPAddress], bool] = is_public
    inside_hosts: frozenset[str] = frozenset()  # that an administrator listed: their names may lead inside
    ssl_context: ssl.SSLContext | None = None  # None: the authorities that the system trusts
    seconds: float = _SECONDS  # for one fetch, with all that it is redirected to

    def addresses_of(self, host: str, port: int) -> list[str]:
        """Resolve a host once. UnsafeUrlError when one of its addresses may not be fetched, FetchError without any."""
        try:
            addresses = list(self.resolver(host, port))
        except (OSError, UnicodeError) as error:
            raise FetchError(f"The host {host} is not known. Check the address.") from error
        if not addresses or not all(self._allows(ipaddress.ip_address(each), host) for each in addresses):
            raise UnsafeUrlError(f"{host} is not on the public Internet. Only public addresses are fetched.")
        return addresses

    def from_outside(self) -> "Policy":
        """Return the policy for what an address outside leads to: nobody there knows what may be read inside."""
        return replace(self, inside_hosts=frozenset())

    def _allows(self, address: IPAddress, host: str) -> bool:
        return self.allowed(address) or (host in self.inside_hosts and may_be_listed(address, host))


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """One step of a chain of redirects."""

    url: str  # where it leads, in its normal form
    policy: Policy  # for asking there, and for where that leads
    keeps_credentials: bool  # False: they were for another origin, and are lost for the rest of the chain


def follow(policy: Policy, url: str, location: str) -> Hop:
    """Take a redirect from one address to another.

    url: that answered. policy: under which it was asked. location: as the answer has it, which may be relative to url.
    UnsafeUrlError for an address of a kind that is never fetched. Whether the host may be asked is checked when the
    connection is opened.
    """
    try:
        target = check_url(urljoin(url, location))
    except ValueError as error:
        raise UnsafeUrlError(f"{url} redirects to what is not an address.") from error
    here, there = urlsplit(url), urlsplit(target)
    if here.hostname != there.hostname and here.hostname not in policy.inside_hosts:
        policy = policy.from_outside()
    return Hop(url=target, policy=policy, keeps_credentials=_origin(here) == _origin(there))


def _origin(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme, parts.netloc
