"""The forms for a password and for a code, which say it when somebody has tried too often."""

from allauth.core import context
from allauth.mfa.base.forms import AuthenticateForm
from django.core.exceptions import ValidationError
from unfold.forms import AuthenticationForm

from adminsite.sign_in import limits
from adminsite.sign_in.backend import LIMITED


class PasswordForm(AuthenticationForm):
    """An e-mail address and a password."""

    def get_invalid_login_error(self) -> ValidationError:
        """The same for a wrong address and a wrong password; another once nothing is looked at any more."""
        if getattr(self.request, LIMITED, False):
            return ValidationError(limits.TooManySignInsError().message, code="limited")
        return super().get_invalid_login_error()


class CodeForm(AuthenticateForm):
    """A code of an authenticator app, or a recovery code."""

    def clean_code(self) -> str:
        """The code, within the limits of signing in: allauth's own are kept in each process."""
        try:
            attempt = limits.begin(f"code of {self.user.pk}", context.request)
        except limits.TooManySignInsError as error:
            raise ValidationError(error.message, code="limited") from error
        code: str = super().clean_code()
        attempt.succeed()
        return code
