"""Limit the local page to this machine while it plays Slack, and to people with the token of its address."""

import functools
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.http.request import split_domain_port
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare, salted_hmac

from bot.slack.workspace import is_local

View = Callable[..., HttpResponseBase]

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
# Set by proxies: behind one, the loopback address is the proxy's own and says nothing about the browser.
PROXY_HEADERS = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP", "HTTP_X_FORWARDED_")
COOKIE = "footnote-local"  # and the port: browsers distinguish the cookies of a machine's ports by nothing else
ELSEWHERE = "The local page only answers browsers on this machine. Open it as http://127.0.0.1 or http://localhost."
NO_TOKEN = (
    "Open the local page at the address that `make run` prints. It ends with ?token=... and lets this browser in.\n"  # noqa: S105
    "The token is also in the file local_page_token in Footnote's folder (FOOTNOTE_HOME, or var)."
)


def limit_to_this_machine(view: View) -> View:
    """Let the view answer only while the local page is on, and only requests that come from this machine.

    The Host header is checked too: a foreign page whose name was made to resolve to 127.0.0.1 would otherwise
    reach the page through the person's own browser (DNS rebinding). For what has a secret of its own.
    """

    @functools.wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not is_local():
            raise Http404
        if not _is_from_this_machine(request):
            return _refuse_request(ELSEWHERE)
        return view(request, *args, **kwargs)

    return guard


def limit_to_admitted(view: View) -> View:
    """Limit as limit_to_this_machine, and to a browser that the address's token let in, which a cookie remembers.

    A proxy on this machine that adds no header, and other people's programs on it, know neither.
    """

    @functools.wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not _is_same(request.COOKIES.get(_build_cookie_name(), ""), _build_cookie()):
            return _refuse_request(NO_TOKEN)
        return view(request, *args, **kwargs)

    return limit_to_this_machine(guard)


def admit(view: View) -> View:
    """Limit as limit_to_admitted, and let in from now on whoever opens it with the token.

    The address loses the token.
    """
    shown_to_others = limit_to_admitted(view)

    @functools.wraps(view)
    def guard(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        given = request.GET.get("token", "")
        if not given or not _is_same(given, settings.LOCAL_PAGE_TOKEN):
            return shown_to_others(request, *args, **kwargs)
        response = redirect(request.path)
        response.set_cookie(_build_cookie_name(), _build_cookie(), httponly=True, samesite="Strict", path=request.path)
        response["Referrer-Policy"] = "no-referrer"
        response["Cache-Control"] = "no-store"
        return response

    return limit_to_this_machine(guard)


def _is_same(given: str, expected: str) -> bool:
    return bool(settings.LOCAL_PAGE_TOKEN) and constant_time_compare(given, expected)


def _build_cookie_name() -> str:
    return f"{COOKIE}-{settings.PORT}"


def _build_cookie() -> str:
    """Build a cookie that is not the token: a browser shows it to whatever listens on another port of this machine."""
    token = settings.LOCAL_PAGE_TOKEN
    return salted_hmac("footnote.local.page", "cookie", secret=token, algorithm="sha256").hexdigest()


def _refuse_request(why: str) -> HttpResponse:
    return HttpResponse(why, status=403, content_type="text/plain")


def _is_from_this_machine(request: HttpRequest) -> bool:
    if any(name.startswith(PROXY_HEADERS) for name in request.META):
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
