"""Networks of the Internet Protocol that are not on the public Internet. Pure.

The networks are constants of this module because Python's `ipaddress` carries another list in each of its versions:
3.11.7 calls 192.0.0.192, from which Oracle's cloud gives out credentials, a global address.

Sources, as of 2025-10-09: https://www.iana.org/assignments/iana-ipv4-special-registry/ and
https://www.iana.org/assignments/iana-ipv6-special-registry/ for special purposes,
https://www.iana.org/assignments/ipv6-address-space/ for what of IPv6 is assigned at all, and RFC 5771 for multicast.
"""

import ipaddress
from collections.abc import Iterable

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _networks(*written: str) -> tuple[_Network, ...]:
    return tuple(map(ipaddress.ip_network, written))


# Networks that the registries call globally reachable are here as well: they belong to protocols, not to hosts that
# have documents. Networks within these are in the registries too, and are left out here.
_SPECIAL = _networks(
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
_GLOBAL_UNICAST = _networks("2000::/3")  # what IANA gives out; the rest of IPv6 is reserved, or special as above

# Where clouds give their machines credentials, besides the link-local addresses such as 169.254.169.254.
_METADATA = _networks(
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
_LOOPBACK = _networks("127.0.0.0/8", "::1/128")
# Where no host with documents is, whatever an administrator lists.
_NOWHERE = _networks(
    "0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2002::/16"
)
_INSIDE_IPV6 = _networks("fc00::/7", "fec0::/10")
_NAT64 = _networks("64:ff9b::/96")


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
