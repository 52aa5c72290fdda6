"""Find the address that a request comes from. No other module does."""

from ipaddress import IPv6Address, ip_address

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """Return the caller's address, IPv4 also where it came as IPv6; None when it is unknown.

    With BEHIND_PROXY it is the last entry of X-Forwarded-For, which the proxy has written itself; earlier entries are
    the caller's word. Without, the header counts for nothing.
    """
    given = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        given = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2] or given
    try:
        address = ip_address(given.strip())
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(address)
