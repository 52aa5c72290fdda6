"""Limit every signed-in request: sessions end in time; a second factor where one is required."""

import time
from collections.abc import Callable
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.middleware import SessionMiddleware
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import resolve

from adminsite.sign_in.trail import SECOND_FACTOR, SINGLE_SIGN_ON

Respond = Callable[[HttpRequest], HttpResponse]

_BEGAN, _SEEN = "began", "seen"  # in a session: seconds since the epoch
_PRECISION_S = 60  # a session is stored anew no more often than this
# What somebody without a second factor needs to get one, or to leave.
_ON_THE_WAY = frozenset({"mfa_activate_totp", "account_reauthenticate", "logout"})


class Sessions(SessionMiddleware):
    """Django's, but a request whose session has ended leaves the browser's cookie alone, unless it ended it itself.

    While one page signs somebody in, which gives the session another name, another page may ask under the name before.
    Django answers that by taking the cookie back, which by then is the new one: whoever just came in was out again.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Send what was changed."""
        response = super().process_response(request, response)
        if not request.session.modified:
            response.cookies.pop(settings.SESSION_COOKIE_NAME, None)
        return response


@receiver(user_logged_in)
def _begin_session(request: HttpRequest, **_: Any) -> None:
    request.session[_BEGAN] = int(time.time())


def limited_sessions(respond: Respond) -> Respond:
    """A session ends SESSION_IDLE_MINUTES after its last request, and SESSION_MAX_HOURS after it began.

    One whose person was deactivated ends for good: it would go on when they are activated again.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        session, now = request.session, int(time.time())
        if request.user.is_authenticated:
            began, seen = session.get(_BEGAN), session.get(_SEEN)
            is_over = began is not None and now - began > settings.SESSION_MAX_AGE_S
            if is_over or (seen is not None and now - seen > settings.SESSION_COOKIE_AGE):
                logout(request)
            elif began is None or seen is None or now - seen >= _PRECISION_S:
                # Which stores it, and so sends the cookie with a new end.
                session.update({_BEGAN: now if began is None else began, _SEEN: now})
        elif SESSION_KEY in session:
            session.flush()
        return respond(request)

    return middleware


def second_factor(respond: Respond) -> Respond:
    """Require people who signed in by a password alone to set up a code, where ADMIN_REQUIRE_MFA is set.

    People who came by single sign-on have met the provider's requirements.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if not settings.ADMIN_REQUIRE_MFA or not request.user.is_authenticated:
            return respond(request)
        if str(request.user.pk) in (request.session.get(SECOND_FACTOR), request.session.get(SINGLE_SIGN_ON)):
            return respond(request)
        if resolve(request.path_info).url_name in _ON_THE_WAY:
            return respond(request)
        if is_mfa_enabled(request.user):  # a session from before it was required
            logout(request)
            return redirect(settings.LOGIN_URL)
        return redirect("mfa_activate_totp")

    return middleware
