"""The page on which a person lets a program ask in their name."""

import re
from typing import Any
from urllib.parse import urlencode, urlsplit

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.models import Application
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.base import BaseAuthorizationView
from oauthlib.common import add_params_to_uri
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidRequestError, InvalidRequestFatalError

from adminsite.browser_guard import STRICT, write_policy
from adminsite.programs.allowances import may_ask_consent
from adminsite.programs.bound_tokens import fold_resource, resource_of
from adminsite.programs.client_documents import find_fault
from adminsite.programs.validator import NUL
from adminsite.sign_in.readers import find_reader
from adminsite.tokens import read_audience
from core.models import AuthToken, User
from core.programs.connections import list_own_channels
from core.programs.documents import is_loopback
from core.values.token_audience import TokenAudience

_S256 = "S256"
_PEOPLE = "people"  # the choice; a channel is chosen by the number of its row
_S256_DIGEST = re.compile(r"[\w-]{43}", re.ASCII)  # 32 bytes in base64url (RFC 7636, section 4.2)
# After the button the browser goes to the program, and from there wherever that leads: it holds redirects to this too.
_LEADS_ON = "'self' https: http://localhost:* http://127.0.0.1:* http://[::1]:*"
_REFUSED, _TOO_MANY = 400, 429
_UNKNOWN = "Footnote does not know this program."
_WRONG_REDIRECT = "It asks that the answer be sent to an address that it has not named as its own."


class AudienceForm(forms.Form):
    """For whom the program may ask: for the person alone, for a channel that they are in, or for people they name."""

    channel = forms.ChoiceField(required=False, widget=forms.RadioSelect, label="For whom")
    people = forms.CharField(
        required=False,
        max_length=5_000,
        label="Their e-mail addresses, one per line",
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, person: User, data: Any = None) -> None:
        super().__init__(data)
        self._channels = {str(channel.pk): channel for channel in list_own_channels(person)}
        named = [(key, f"For the channel {channel}") for key, channel in self._channels.items()]
        choices = [("", "For me alone"), *named, (_PEOPLE, "For these people and me")]
        self.fields["channel"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Read for whom, as `asks_for`. ValidationError for people without the choice of them, and the reverse."""
        cleaned = super().clean() or {}
        chosen, people = cleaned.get("channel", ""), cleaned.get("people", "").split()
        if self.errors:
            return cleaned
        if people and chosen != _PEOPLE:
            raise forms.ValidationError("You named people. Choose to ask for them, or empty the field.")
        if chosen == _PEOPLE and not people:
            raise forms.ValidationError("Name the people for whom it may ask.")
        if channel := self._channels.get(chosen):
            asks_for = TokenAudience(team_id=channel.team_id, channel_id=channel.channel_id)
        else:
            asks_for = read_audience(people, "", [AuthToken.Scope.ASK.value])
        return cleaned | {"asks_for": asks_for}


@method_decorator(never_cache, name="dispatch")
class Consent(BaseAuthorizationView):
    """The authorization endpoint. It asks each time: whoever is on a person's machine can pose as a known program."""

    http_method_names = ("get", "post")
    reader: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Show the page to whoever is signed in, by Slack too; send others to sign in first."""
        reader = find_reader(request)
        if reader is None:
            return redirect(f"{reverse('reader-sign-in')}?{urlencode({'next': request.get_full_path()})}")
        if not may_ask_consent(reader):
            return _show_refusal(
                request, "Too many programs were asked for just now. Try again in a minute.", _TOO_MANY
            )
        request.user = self.reader = reader
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def get(self, request: HttpRequest) -> HttpResponseBase:
        """Ask."""
        try:
            _scopes, credentials = self.validate_authorization_request(request)
        except OAuthToolkitError as error:
            return self.error_response(error, None)
        return self._ask_person(request, credentials, AudienceForm(self.reader))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        """Send the program a code, or the answer that it may not. Its request is in the address."""
        try:
            scopes, credentials = self.validate_authorization_request(request)
            credentials["resource"] = [resource_of(request)]
            is_allowed = "allow" in request.POST
            if is_allowed:
                form = AudienceForm(self.reader, request.POST)
                if not form.is_valid():
                    return self._ask_person(request, credentials, form)
                credentials["asks_for"] = form.cleaned_data["asks_for"]
            uri, *_ = self.create_authorization_response(request, " ".join(scopes), credentials, allow=is_allowed)
        except OAuthToolkitError as error:
            return self.error_response(error, None)
        response: HttpResponse = self.redirect(uri, None)
        return response

    def validate_authorization_request(self, request: HttpRequest) -> tuple[list[str], dict[str, Any]]:
        """Return the scopes and what else a program asks for. OAuthToolkitError for what it may not ask."""
        if any(NUL in str(value) for value in request.GET.values()):
            raise FatalClientError(error=InvalidRequestFatalError())
        try:
            scopes, credentials = super().validate_authorization_request(request)
        except ValueError as error:  # of oauthlib, for an address that is not encoded as one
            raise FatalClientError(error=InvalidRequestFatalError()) from error
        state, back = credentials.get("state"), credentials["redirect_uri"]
        is_digest = _S256_DIGEST.fullmatch(credentials.get("code_challenge") or "")
        if credentials.get("code_challenge_method") != _S256 or not is_digest:
            refused = InvalidRequestError("Send a code_challenge with the code_challenge_method S256.", state=state)
            raise OAuthToolkitError(error=refused, redirect_uri=back)
        named = {fold_resource(one) for one in request.GET.getlist("resource")}
        if named - {resource_of(request)}:
            said = f"Tokens are given for the resource {resource_of(request)} alone."
            raise OAuthToolkitError(
                error=CustomOAuth2Error(error="invalid_target", description=said, state=state), redirect_uri=back
            )
        return scopes, credentials

    def error_response(self, error: OAuthToolkitError, application: Any, **kwargs: Any) -> HttpResponseBase:
        """Send the program the error, or show it to the person where nobody knows that the address is the program's."""
        if isinstance(error, FatalClientError):
            fault = find_fault(self.request.GET.get("client_id", ""))
            said = _WRONG_REDIRECT if "redirect" in str(error.oauthlib_error.description or "").lower() else ""
            return _show_refusal(self.request, said or fault or str(error.oauthlib_error.description or _UNKNOWN))
        told = [
            *error.oauthlib_error.twotuples,
            ("iss", oauth2_settings.oauth2_authorization_server_issuer(self.request)),
        ]
        response: HttpResponse = self.redirect(add_params_to_uri(error.oauthlib_error.redirect_uri, told), application)
        return response

    def _ask_person(self, request: HttpRequest, credentials: dict[str, Any], form: AudienceForm) -> HttpResponse:
        program = Application.objects.get(client_id=credentials["client_id"])
        back = credentials["redirect_uri"]
        context = {
            "reader": self.reader,
            "form": form,
            "name": program.name,
            "host": urlsplit(program.client_id).hostname if program.cimd_expires_at else "",
            "sent_to": "" if is_loopback(back) else urlsplit(back).hostname,
            "days": settings.MCP_CONNECTION_DAYS,
        }
        response = render(request, "adminsite/programs/consent.html", context)
        response.headers["Content-Security-Policy"] = write_policy(STRICT | {"form-action": _LEADS_ON})
        return response


def _show_refusal(request: HttpRequest, said: str, status: int = _REFUSED) -> HttpResponse:
    return render(request, "adminsite/programs/refused.html", {"said": said}, status=status)
