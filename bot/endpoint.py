"""Slack over HTTP: its events and interactions, and the two pages by which an administrator installs the app."""

import logging
import re
from collections.abc import Callable
from typing import cast

from django.contrib.auth.decorators import login_required, permission_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from slack_bolt import BoltRequest, BoltResponse
from slack_bolt.adapter.django.handler import to_bolt_request, to_django_response
from slack_bolt.oauth import OAuthFlow

from bot.acknowledging import acknowledging
from bot.app import get_app
from bot.installations.oauth import build_installation_flow, render_page
from bot.slack import workspace
from bot.slack.errors import SlackRefusedError, SlackUnavailableError, translate_errors
from core.access.audiences import DECIDE_WHO_READS
from core.models import User

logger = logging.getLogger(__name__)

_TIME, _SIGNATURE = re.compile(r"[0-9]{1,12}"), re.compile(r"v0=[0-9a-f]{64}")
# People are known by the addresses that their workspace tells, so to connect one is to decide who reads.
MAY_INSTALL = ("bot.add_installation", DECIDE_WHO_READS)


@csrf_exempt  # Slack signs its requests instead
@require_POST
def receive_slack_event(request: HttpRequest) -> HttpResponse:
    """Verify, store and acknowledge what Slack sends.

    Without a signing secret nothing is believed: a secret of no characters would be everybody's.
    """
    if not workspace.find_signing_secret():
        return HttpResponse(status=404)
    if not _looks_signed(request):
        return HttpResponse("This request has no valid Slack signature.", status=401, content_type="text/plain")
    try:
        bolt_request = to_bolt_request(request)
    # Not UTF-8, no JSON, nested without end, or none of an object: so not from Slack.
    except (ValueError, AttributeError, TypeError, RecursionError):
        return HttpResponse("This request does not look like one from Slack.", status=400, content_type="text/plain")
    with acknowledging("http"):
        return to_django_response(get_app().dispatch(bolt_request))


def _looks_signed(request: HttpRequest) -> bool:
    """Return True if the headers can be compared. Bolt would take one that is no number, or no ASCII, for our fault."""
    headers = {"X-Slack-Request-Timestamp": _TIME, "X-Slack-Signature": _SIGNATURE}
    return all(name not in request.headers or form.fullmatch(request.headers[name]) for name, form in headers.items())


@require_GET
@never_cache
@login_required
@permission_required(MAY_INSTALL, raise_exception=True)
def install(request: HttpRequest) -> HttpResponse:
    """Send an administrator to Slack, which asks them for the workspace."""
    return _run_installation(request, OAuthFlow.handle_installation)


@require_GET
@never_cache
@login_required
@permission_required(MAY_INSTALL, raise_exception=True)
def finish_installation(request: HttpRequest) -> HttpResponse:
    """Receive the administrator back from Slack: with a code for a token, or with a reason why not."""
    return _run_installation(request, OAuthFlow.handle_callback)


def _run_installation(request: HttpRequest, step: Callable[[OAuthFlow, BoltRequest], BoltResponse]) -> HttpResponse:
    if not workspace.has_installations():
        raise Http404
    flow = build_installation_flow(session=request.session, by=cast(User, request.user))
    try:
        with translate_errors():
            response = step(flow, to_bolt_request(request))
    except (SlackRefusedError, SlackUnavailableError) as error:
        logger.warning("not_installed", extra={"code": error.code})
        response = render_page(502, "Not installed", "Slack could not be reached just now. Nothing was installed.")
    return to_django_response(response)
