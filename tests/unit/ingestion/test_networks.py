"""Networks that are not on the public Internet, by the registries of IANA and not by the version of Python."""

import ipaddress
import random
from collections.abc import Iterator

import pytest

from core.library.ingestion.sources.policy import IPAddress, is_public, may_be_listed

# The rows of IANA's registries of special-purpose addresses of 2025-10-09, those within others too, and multicast.
REGISTERED = """
0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24
192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
255.255.255.255/32 224.0.0.0/4
::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128
2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48
3fff::/20 5f00::/16 fc00::/7 fe80::/10 ff00::/8
"""
# The other rows of the registries: their addresses are judged by the IPv4 address in them.
EMBEDDING = ("::ffff:{}", "64:ff9b::{}")

# The last address before a network and the first one after it, where these are public.
BESIDE = """
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 192.31.195.255 192.31.197.0 192.52.192.255
192.52.194.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.47.255 192.175.49.0 198.17.255.255
198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 168.63.129.15 168.63.129.17
2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::
2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2003:: 2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001::
3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
"""
METADATA = """
169.254.169.254 169.254.170.2 169.254.170.23 168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd00:ec2::23
fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42 fd00:a9fe:a9fe::1 fd00:100::100:200 fe80::a9fe:a9fe
"""


def wrapped(address: str) -> list[IPAddress]:
    """Return an IPv4 address in the forms of IPv6 that embed it."""
    number = int(ipaddress.IPv4Address(address))
    groups = f"{number >> 16:x}:{number & 0xFFFF:x}"
    return [ipaddress.ip_address(form.format(groups)) for form in EMBEDDING]


@pytest.mark.parametrize("written", REGISTERED.split())
def test_no_registered_network_is_public(written: str) -> None:
    """From its first address to its last, also in the forms of IPv6."""
    network = ipaddress.ip_network(written)
    for number in (0, network.num_addresses // 2, network.num_addresses - 1):
        address = network[number]
        assert not is_public(address), address
        if address.version == 4:
            assert not any(map(is_public, wrapped(str(address)))), address


@pytest.mark.parametrize("address", BESIDE.split())
def test_what_is_beside_a_registered_network_is_public(address: str) -> None:
    """The boundaries are where the registries have them; IPv4 also in the forms of IPv6."""
    assert is_public(ipaddress.ip_address(address))
    if ":" not in address:
        assert all(map(is_public, wrapped(address)))


def test_ipv6_that_is_not_given_out_is_not_public() -> None:
    """All of it outside 2000::/3, and the forms in which IPv4 was carried once."""
    for address in ("::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8", "200::1", "1fff:ffff::", "4000::", "fec0::1"):
        assert not is_public(ipaddress.ip_address(address)), address
    for address in ("64:ff9b:1::808:808", "64:ff9b:1:808:8:800::", "2002:808:808::", "2001:0:808:808::f7f7:f7f7"):
        assert not is_public(ipaddress.ip_address(address)), address  # NAT64 of one's own, 6to4, Teredo


@pytest.mark.parametrize("address", METADATA.split())
def test_metadata_is_neither_public_nor_listed(address: str) -> None:
    """Addresses that a cloud reserves for its own machines are refused, also in the forms of IPv6."""
    forms = [ipaddress.ip_address(address), *(wrapped(address) if ":" not in address else ())]
    for form in forms:
        assert not is_public(form)
        assert not may_be_listed(form, "wiki.example")
        assert not may_be_listed(form, str(form))


def addresses() -> Iterator[IPAddress]:
    """Addresses at random, and those at both ends of each network that this Python has a rule of its own for."""
    chance = random.Random(4)
    for _ in range(20_000):
        yield ipaddress.IPv4Address(chance.getrandbits(32))
        yield ipaddress.IPv6Address(chance.getrandbits(128))
        yield ipaddress.IPv6Address(chance.getrandbits(125) | 1 << 125)  # in 2000::/3
    for constants in (ipaddress._IPv4Constants, ipaddress._IPv6Constants):  # type: ignore[attr-defined]
        for found in vars(constants).values():
            for network in found if isinstance(found, list) else [found]:
                if isinstance(network, ipaddress.IPv4Network | ipaddress.IPv6Network):
                    yield from (network[0], network[-1])


def test_what_python_calls_inside_is_not_public() -> None:
    """By no version's list is an address inside that ours lets through.

    The one exception: 3.11 and 3.12 call each IPv4-mapped address inside, and it is judged by its IPv4 address here.
    """
    for address in addresses():
        mapped = address.version == 6 and address.ipv4_mapped
        judged = mapped or address
        if not judged.is_global or judged.is_multicast or judged.is_reserved:
            assert not is_public(address), address
