"""Decide which hosts may be asked, none outside the public Internet, and follow redirects from one to another.

The networks are constants of this module because Python's `ipaddress` carries another list in each of its versions:
3.11.7 calls 192.0.0.192, from which Oracle's cloud gives out credentials, a global address.

Sources, as of 2025-10-09: https://www.iana.org/assignments/iana-ipv4-special-registry/ and
https://www.iana.org/assignments/iana-ipv6-special-registry/ for special purposes,
https://www.iana.org/assignments/ipv6-address-space/ for what of IPv6 is assigned at all, and RFC 5771 for multicast.
"""

import ipaddress
import socket
import ssl
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urljoin, urlsplit

from core.errors import FetchError, UnsafeUrlError
from core.library.ingestion.document import MAX_URL
from core.library.ingestion.sources.addresses import check_url

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

Resolver = Callable[[str, int], Iterable[str]]

MOST_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SECONDS = 60  # for the whole fetch


def _parse_networks(*written: str) -> tuple[_Network, ...]:
    return tuple(map(ipaddress.ip_network, written))


# Networks that the registries call globally reachable are here as well: they belong to protocols, not to hosts that
# have documents. Networks within these are in the registries too, and are left out here.
_SPECIAL = _parse_networks(
    "0.0.0.0/8",  # this network
    "10.0.0.0/8",  # private use
    "100.64.0.0/10",  # shared address space of carriers
    "127.0.0.0/8",  # loopback
    "169.254.0.0/16",  # link-local
    "172.16.0.0/12",  # private use
    "192.0.0.0/24",  # IETF protocol assignments
    "192.0.2.0/24",  # documentation
    "192.31.196.0/24",  # AS112
    "192.52.193.0/24",  # AMT
    "192.88.99.0/24",  # relays of 6to4 and 6a44
    "192.168.0.0/16",  # private use
    "192.175.48.0/24",  # AS112
    "198.18.0.0/15",  # benchmarking
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved, and limited broadcast
    "::/128",  # unspecified
    "::1/128",  # loopback
    "::ffff:0:0/96",  # IPv4-mapped; judged by the IPv4 address
    "64:ff9b::/96",  # NAT64; judged by the IPv4 address
    "64:ff9b:1::/48",  # NAT64 with a prefix of one's own
    "100::/64",  # discard-only
    "100:0:0:1::/64",  # dummy prefix
    "2001::/23",  # IETF protocol assignments: Teredo, ORCHID, benchmarking and others
    "2001:db8::/32",  # documentation
    "2002::/16",  # 6to4, whose relays are given up (RFC 7526)
    "2620:4f:8000::/48",  # AS112
    "3fff::/20",  # documentation
    "5f00::/16",  # SRv6
    "fc00::/7",  # unique local
    "fe80::/10",  # link-local
    "fec0::/10",  # site-local, deprecated
    "ff00::/8",  # multicast
)
_GLOBAL_UNICAST = _parse_networks("2000::/3")  # what IANA gives out; the rest of IPv6 is reserved, or special as above

# Where clouds give their machines credentials, besides the link-local addresses such as 169.254.169.254.
_METADATA = _parse_networks(
    "100.100.100.200/32",  # Alibaba
    "168.63.129.16/32",  # Azure's platform: public by its number, inside by its use
    "192.0.0.192/32",  # Oracle
    "fd00:42::42/128",  # Scaleway
    "fd00:100::100:200/128",  # Alibaba
    "fd00:a9fe:a9fe::1/128",  # Akamai
    "fd00:c1::a9fe:a9fe/128",  # Oracle
    "fd00:ec2::/32",  # Amazon: instance metadata, and credentials of pods
    "fd20:ce::254/128",  # Google
)
_LOOPBACK = _parse_networks("127.0.0.0/8", "::1/128")
# Where no host with documents is, whatever an administrator lists.
_NOWHERE = _parse_networks(
    "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2002::/16"
)
_INSIDE_IPV6 = _parse_networks("fc00::/7", "fec0::/10")
_NAT64 = _parse_networks("64:ff9b::/96")


def is_public(address: IPAddress) -> bool:
    """Return True for an address of the public Internet, the same on every version of Python.

    An IPv6 address that embeds an IPv4 address (IPv4-mapped, NAT64) is judged by that one.
    """
    inner = _find_embedded(address)
    if inner is not None:
        return is_public(inner)
    if address.version == 6 and not _is_in(address, _GLOBAL_UNICAST):
        return False
    return not _is_in(address, _SPECIAL) and not _is_in(address, _METADATA)


def may_be_listed(address: IPAddress, host: str) -> bool:
    """Return True if an administrator's list of hosts can allow an address of a host inside.

    A cloud's metadata never can be allowed. This machine itself can under its own name alone, because a name of the
    network that leads here is somebody else's doing.
    """
    inner = _find_embedded(address)
    if inner is not None:
        return may_be_listed(inner, host)
    if _is_in(address, _LOOPBACK):
        return host in {"localhost", str(address)}
    if _is_in(address, _METADATA) or _is_in(address, _NOWHERE):
        return False
    return address.version == 4 or _is_in(address, _GLOBAL_UNICAST) or _is_in(address, _INSIDE_IPV6)


def _find_embedded(address: IPAddress) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address to which packets for an IPv6 address go; None if there is none.

    Where packets for 6to4, Teredo and a NAT64 prefix of one's own end is not known: these are never asked.
    """
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    if _is_in(address, _NAT64):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped


def _is_in(address: IPAddress, networks: Iterable[_Network]) -> bool:
    return any(address in network for network in networks)


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
    longest: int = MAX_URL  # characters of an address

    def addresses_of(self, host: str, port: int) -> list[str]:
        """Resolve a host once. UnsafeUrlError when one of its addresses may not be fetched, FetchError without any."""
        try:
            addresses = list(self.resolver(host, port))
        except (OSError, UnicodeError) as error:
            raise FetchError(f"The host {host} is not known. Check the address.") from error
        if not addresses or not all(self._allows_address(ipaddress.ip_address(each), host) for each in addresses):
            raise UnsafeUrlError(f"{host} is not on the public Internet. Only public addresses are fetched.")
        return addresses

    def from_outside(self) -> "Policy":
        """Return the policy for what an address outside leads to: nobody there knows what may be read inside."""
        return replace(self, inside_hosts=frozenset())

    def _allows_address(self, address: IPAddress, host: str) -> bool:
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
        target = check_url(urljoin(url, location), longest=policy.longest)
    except ValueError as error:
        raise UnsafeUrlError(f"{url} redirects to what is not an address.") from error
    here, there = urlsplit(url), urlsplit(target)
    if here.hostname != there.hostname and here.hostname not in policy.inside_hosts:
        policy = policy.from_outside()
    return Hop(url=target, policy=policy, keeps_credentials=_find_origin(here) == _find_origin(there))


def _find_origin(parts: SplitResult) -> tuple[str, str]:
    return parts.scheme, parts.netloc
