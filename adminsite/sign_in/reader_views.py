"""Signing in to read documents, and to connect programs: with Slack, or as an administrator."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from adminsite.sign_in import readers

_OF_PROGRAMS = ("/oauth/", "/programs/")


@require_GET
@never_cache
def choose(request: HttpRequest) -> HttpResponse:
    """The ways to sign in; and for whoever is in already, as whom."""
    target = _find_target(request)
    return render(
        request,
        "adminsite/opening/sign_in.html",
        {
            "reader": readers.find_reader(request),
            "next": target,
            "for_program": target.startswith(_OF_PROGRAMS),
            "with_slack": bool(settings.SLACK_SIGN_IN_CLIENT_ID),
        },
    )


@require_POST
@never_cache
def leave(request: HttpRequest) -> HttpResponse:
    """Sign out, and back to the ways to sign in."""
    readers.sign_out(request)
    return redirect("reader-sign-in")


def _find_target(request: HttpRequest) -> str:
    """Return the page that the person came for, which is always on this site; empty where there is none."""
    target = request.GET.get("next", "")
    is_here = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if is_here else ""
