"""Who may reach the local page: a browser or a process on this machine, while the page plays Slack."""

import functools
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import split_domain_port

from bot.slack.workspace import is_local

View = Callable[..., HttpResponseBase]

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
# Set by proxies: behind one, the loopback address is the proxy's own and says nothing about the browser.
PROXY_HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")


def local_only(view: View) -> View:
    """Let the view answer only while the local page is on, and only requests that come from this machine.

    The Host header is checked too: a foreign page whose name was made to resolve to 127.0.0.1 would otherwise
    reach the page through the person's own browser (DNS rebinding).
    """

    @functools.wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_local():
            raise Http404
        if not _from_this_machine(request):
            return HttpResponse(
                "The local page answers only browsers on this machine: open it as http://127.0.0.1 or "
                "http://localhost.",
                status=403,
                content_type="text/plain",
            )
        return view(request, *args, **kwargs)

    return guarded


def _from_this_machine(request: HttpRequest) -> bool:
    if any(header in request.META for header in PROXY_HEADERS):
        return False
    host, _port = split_domain_port(request.META.get("HTTP_HOST", ""))
    return host in LOCAL_HOSTS and _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        ip = ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        return ip.ipv4_mapped.is_loopback
    return ip.is_loopback
