"""The forms for a password and for a code, within the limits, and saying so when somebody has tried too often."""

import time
from typing import ClassVar

from allauth.core import context
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.forms import AuthenticateForm, BaseAuthenticateForm, ReauthenticateForm
from allauth.mfa.models import Authenticator
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from unfold.forms import AdminOwnPasswordChangeForm, AuthenticationForm

from adminsite.sign_in import limits
from adminsite.sign_in.backend import LIMITED


class PasswordForm(AuthenticationForm):
    """An e-mail address and a password."""

    error_messages: ClassVar = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The e-mail address or the password is not right, or this account may not use the admin. "
        "Capital and small letters of the password differ.",
    }

    def get_invalid_login_error(self) -> ValidationError:
        """Return one error for a wrong address and a wrong password; another once nothing is looked at any more."""
        if getattr(self.request, LIMITED, False):
            return _too_many()
        return super().get_invalid_login_error()


class OwnPasswordForm(AdminOwnPasswordChangeForm):
    """A new password, by the old one: whoever finds a browser signed in must not try which it is."""

    def clean_old_password(self) -> str:
        """Return the old password, within the limits of signing in."""
        old: str = self.cleaned_data["old_password"]
        if authenticate(context.request, username=self.user.email, password=old) == self.user:
            return old
        if getattr(context.request, LIMITED, False):
            raise _too_many()
        raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")


class _LimitedCode(BaseAuthenticateForm):
    """A code of an authenticator app, or a recovery code, of which each is taken once.

    What allauth itself remembers of attempts and of the codes that were used is in the cache of each process.
    """

    def clean_code(self) -> str:
        """Return the code, within the limits of signing in."""
        try:
            attempt = limits.begin(f"code of {self.user.pk}", context.request)
        except limits.TooManySignInsError as error:
            raise _too_many() from error
        step = _in_steps(time.time())  # before the code is looked at, which may be the last moment of its step
        refusal = None
        with transaction.atomic():
            app = Authenticator.objects.select_for_update().filter(user=self.user, type=Authenticator.Type.TOTP).first()
            try:
                code: str = super().clean_code()
                if self.authenticator == app and app.last_used_at and _in_steps(app.last_used_at.timestamp()) >= step:
                    self._emit_authentication_failed(app)
                    raise get_adapter().validation_error("incorrect_code")
                Authenticator.objects.filter(pk=self.authenticator.pk).update(last_used_at=timezone.now())
            except ValidationError as error:
                refusal = error  # after the transaction, which keeps the audit row of the attempt
        if refusal is not None:
            raise refusal
        attempt.succeed()
        return code


class CodeForm(_LimitedCode, AuthenticateForm):
    """A code after the password."""


class ConfirmingCodeForm(_LimitedCode, ReauthenticateForm):
    """A code by which who is signed in confirms that it is them."""


def _too_many() -> ValidationError:
    return ValidationError(limits.TooManySignInsError().message, code="limited")


def _in_steps(seconds: float) -> int:
    """Return the number of the step of TOTP, in which one code is valid (RFC 6238, section 4.2)."""
    return int(seconds) // app_settings.TOTP_PERIOD
