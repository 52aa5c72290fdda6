"""Who reads documents in this browser: an administrator who is signed in, or whoever signed in with Slack.

The second is no session of Django's users: nothing but the pages of documents looks here, so that whoever came by Slack
can do nothing in the admin and nothing over REST, whatever rights they have there.
"""

import time

from django.conf import settings
from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from adminsite.sign_in.trail import record_reader
from core.models import AuditEvent, User

_READER = "reader"  # in a session: the id of the person, and when they were seen last, in seconds since the epoch
_PRECISION_S = 60  # a session is stored anew no more often than this


def find_reader(request: HttpRequest) -> User | None:
    """The person who reads; None where nobody is signed in, or not any more."""
    if isinstance(request.user, User):
        return request.user
    pk, seen = request.session.get(_READER, ("", 0))
    now = int(time.time())
    if not pk or now - seen > settings.SESSION_COOKIE_AGE:
        return None
    try:
        reader = User.objects.filter(pk=pk, is_active=True).first()
    except ValidationError:
        return None
    if reader and now - seen >= _PRECISION_S:
        request.session[_READER] = (pk, now)
    return reader


def let_in(request: HttpRequest, reader: User) -> None:
    """Let somebody read in this browser for whom Slack vouches, as nobody else than them."""
    if request.user.is_authenticated and request.user != reader:
        logout(request)
    request.session.cycle_key()
    request.session[_READER] = (str(reader.pk), int(time.time()))
    record_reader(AuditEvent.Action.SIGN_IN, reader)


def sign_out(request: HttpRequest) -> None:
    """Nobody is signed in in this browser any more."""
    reader = find_reader(request)
    if reader and not request.user.is_authenticated:
        record_reader(AuditEvent.Action.SIGN_OUT, reader)
    logout(request)
