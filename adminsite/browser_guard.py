"""Restrict what a browser may do with our pages: the content security policy, and related headers.

Nothing is loaded from elsewhere and no page is shown within another. The admin's pages are drawn by Alpine.js, which
evaluates expressions in attributes, and by Unfold's inline styles; the REST page by Swagger, which has inline
styles, as have the pages of an installation in Slack.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

Respond = Callable[[HttpRequest], HttpResponseBase]
Policy = dict[str, str]

STRICT: Policy = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
ADMIN: Policy = STRICT | {"script-src": "'self' 'unsafe-eval'", "style-src": "'self' 'unsafe-inline'"}
STYLED: Policy = STRICT | {"style-src": "'self' 'unsafe-inline'"}
PERMISSIONS = ", ".join(f"{what}=()" for what in ("camera", "display-capture", "geolocation", "microphone", "usb"))


def browser_guard(respond: Respond) -> Respond:
    """A policy for every response; a view that sets a stricter one keeps it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        if settings.DEBUG and response.status_code in (404, 500):
            return response  # Django's pages for developers have scripts and styles in them
        response.headers.setdefault("Content-Security-Policy", write_policy(_policy_for(request.path_info)))
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response

    return middleware


def _policy_for(path: str) -> Policy:
    if path.startswith("/admin/"):
        return ADMIN
    return STYLED if path.startswith(("/api/v1/docs", "/slack/")) else STRICT


def write_policy(policy: Policy) -> str:
    """Return the header of a policy."""
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())
