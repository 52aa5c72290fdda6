"""Passwords, within the limits: every door that asks for one comes through here."""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from adminsite.sign_in import limits
from core.models import User

LIMITED = "sign_in_limited"  # set on a request that was refused without a look at the password


class LimitedBackend(ModelBackend):
    """Django's own, which hashes nothing for who has tried too often."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_: Any
    ) -> User | None:
        """The person, or None. PermissionDenied, which ends the search, after too many attempts."""
        if username is None or password is None:
            return None
        try:
            attempt = limits.begin(username, request)
        except limits.TooManySignInsError as error:
            if request is not None:
                setattr(request, LIMITED, True)
            raise PermissionDenied(error.message) from error
        user = super().authenticate(request, username=username, password=password)
        if not isinstance(user, User):
            return None
        attempt.succeed()
        return user
