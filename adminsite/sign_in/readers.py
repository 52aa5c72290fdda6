"""Find the reader in this browser, a signed-in administrator or a person who signed in with Slack, and sign them in.

The second is no session of Django's users: only the pages of documents, of researches and of receipts, and those for
connecting programs that read for them, use it. A person who came by Slack can do nothing in the admin and nothing over
REST, whatever rights they have there.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.apps import apps
from django.conf import settings
from django.contrib.auth import logout
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from adminsite.sign_in.claims import VouchedReader
from adminsite.sign_in.trail import record_reader
from core.errors import NotFoundError
from core.models import AuditEvent, SlackIdentity, User

# In a session: the ids of person, team and account, what the session is bound to (see core.models.User), and when it
# began and was seen last, in seconds since the epoch.
_READER = "slack_reader"
_PRECISION_S = 60  # a session is stored anew no more often than this
_OF_PROGRAMS = ("/oauth/", "/programs/")
_OF_RESEARCHES = "/research/"
_OF_RECEIPTS = "/receipts/"

Page = Callable[..., HttpResponseBase]  # of a request, the reader, and what the address names


def for_readers(page: Page) -> Page:
    """Make a view for whoever is signed in: others sign in first, whether there is anything to open or not.

    What the page does not find, or may not show this reader, is one and the same page.
    """

    @never_cache
    @wraps(page)
    def view(request: HttpRequest, **named: Any) -> HttpResponseBase:
        reader = find_reader(request)
        if reader is None:
            return redirect(f"{reverse('reader-sign-in')}?{urlencode({'next': request.get_full_path()})}")
        try:
            return page(request, reader, **named)
        except NotFoundError:
            return render(request, "adminsite/opening/not_there.html", status=404)

    return view


def find_reader(request: HttpRequest) -> User | None:
    """Return the person who reads; None where nobody is signed in, or not any more."""
    if isinstance(request.user, User):
        return request.user
    kept, now = request.session.get(_READER), int(time.time())
    if kept is None:
        return None
    reader = None if _is_over(kept, now) else _find_person(kept)
    if reader is None:
        del request.session[_READER]  # for good: an account that is opened again signs in again
    elif now - kept["seen"] >= _PRECISION_S:
        request.session[_READER] = kept | {"seen": now}
    return reader


def let_in(request: HttpRequest, vouched: VouchedReader) -> None:
    """Let somebody read in this browser for whom Slack vouches, as nobody else than them."""
    reader = vouched.person
    if request.user.is_authenticated and request.user != reader:
        logout(request)
    request.session.cycle_key()
    now = int(time.time())
    request.session[_READER] = {
        "person": str(reader.pk),
        "team": vouched.team_id,
        "account": vouched.slack_user_id,
        "bound": reader.get_session_auth_hash(),
        "began": now,
        "seen": now,
    }
    record_reader(AuditEvent.Action.SIGN_IN, reader)


def sign_out(request: HttpRequest) -> None:
    """End the sign-in of this browser."""
    reader = find_reader(request)
    if reader and not request.user.is_authenticated:
        record_reader(AuditEvent.Action.SIGN_OUT, reader)
    logout(request)


def _is_over(kept: dict[str, Any], now: int) -> bool:
    return now - kept["seen"] > settings.SESSION_COOKIE_AGE or now - kept["began"] > settings.SESSION_MAX_AGE_S


def _find_person(kept: dict[str, Any]) -> User | None:
    """Find the person while they are active and who they were, and the account is theirs and connected. One query.

    The bot deletes an identity when it learns that the account is closed, a guest's or another person's, and those of a
    workspace whose installation ends.
    """
    identities = SlackIdentity.objects.filter(
        team_id=kept["team"], slack_user_id=kept["account"], user_id=kept["person"], user__is_active=True
    )
    if settings.SLACK_CLIENT_ID and settings.SLACK_CLIENT_SECRET:  # each workspace has an installation of its own
        # Models that this package must not import. A workspace may be served by the installation of its organisation.
        installations, served = (
            apps.get_model("bot", name)._default_manager.filter(team_id=OuterRef("team_id"))
            for name in ("Installation", "OrganisationWorkspace")
        )
        identities = identities.filter(
            Exists(installations.filter(is_active=True)) | Exists(served.filter(installation__is_active=True))
        )
    identity = identities.select_related("user").first()
    if identity is None or not constant_time_compare(kept["bound"], identity.user.get_session_auth_hash()):
        return None
    return identity.user


@require_GET
@never_cache
def choose(request: HttpRequest) -> HttpResponse:
    """Show the ways to sign in; and for whoever is in already, as whom."""
    target = _find_target(request)
    return render(
        request,
        "adminsite/opening/sign_in.html",
        {
            "reader": find_reader(request),
            "next": target,
            "for_program": target.startswith(_OF_PROGRAMS),
            "for_research": target.startswith(_OF_RESEARCHES),
            "for_receipt": target.startswith(_OF_RECEIPTS),
            "with_slack": bool(settings.SLACK_SIGN_IN_CLIENT_ID),
        },
    )


@require_POST
@never_cache
def leave(request: HttpRequest) -> HttpResponse:
    """Sign out, and back to the ways to sign in."""
    sign_out(request)
    return redirect("reader-sign-in")


def _find_target(request: HttpRequest) -> str:
    """Return the page that the person came for, which is always on this site; empty where there is none."""
    target = request.GET.get("next", "")
    is_here = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if is_here else ""
