"""Single sign-on by OpenID Connect: the authorisation code flow, with PKCE, a state and a nonce."""

import secrets
from typing import Any

from allauth.account.utils import get_next_redirect_url
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from requests import RequestException

from adminsite.sign_in.adapters import SLACK, refuse

PROVIDER = "oidc"  # its name in addresses and in settings
_NONCE = "oidc_nonce"
_TELLS_ISSUER = "authorization_response_iss_parameter_supported"  # of the provider's metadata, RFC 9207, section 3


class _Provider(OpenIDConnectOAuth2Adapter):
    """The provider of OIDC_ISSUER, or Slack. Tokens are held to their signature and the nonce of this browser."""

    def get_access_token_data(self, request: HttpRequest, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Exchange the code, unless the answer says that it comes from another issuer (RFC 9207, section 2.4)."""
        told, is_always_told = request.GET.get("iss"), self.openid_config.get(_TELLS_ISSUER) is True
        if told != self.openid_config["issuer"] and (told is not None or is_always_told):
            raise OAuth2Error("wrong issuer")
        data: dict[str, Any] = super().get_access_token_data(request, *args, **kwargs)
        return data

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        self.did_fetch_access_token = False  # else allauth leaves the signature alone, as the protocol allows
        expected = self.request.session.pop(_NONCE, "")
        try:
            claims: dict[str, Any] = super()._decode_id_token(app, id_token)
        except (KeyError, TypeError, ValueError) as error:  # of a token or a key that has not the form it should have
            raise OAuth2Error("malformed token") from error
        if not expected or not constant_time_compare(str(claims.get("nonce", "")), expected):
            raise OAuth2Error("wrong nonce")
        if claims.get("exp") is None or claims.get("iat") is None or not _is_given_to(app.client_id, claims):
            raise OAuth2Error("not for this sign-in")
        return claims


def _is_given_to(client_id: str, claims: dict[str, Any]) -> bool:
    """Return True if a token was issued to this client; allauth only checks that it is in the audience.

    OpenID Connect Core 1.0, section 3.1.3.7: `azp` names the client of a token for several.
    """
    named = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    return claims.get("azp", client_id if named == [client_id] else None) == client_id


@require_GET
@never_cache
def begin(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider. 404 where none is set."""
    return _send_to(request, PROVIDER)


@require_GET
@never_cache
def begin_with_slack(request: HttpRequest) -> HttpResponse:
    """Send the browser to Slack. 404 where signing in with it is not set up."""
    return _send_to(request, SLACK)


def _send_to(request: HttpRequest, provider_id: str) -> HttpResponse:
    if not _is_set_up(provider_id):
        raise Http404
    nonce = request.session[_NONCE] = secrets.token_urlsafe(24)
    provider = get_adapter(request).get_provider(request, provider_id)
    next_url = get_next_redirect_url(request) or (reverse("reader-sign-in") if provider_id == SLACK else None)
    try:
        target: HttpResponse = provider.redirect(request, "login", next_url=next_url, auth_params={"nonce": nonce})
    except (RequestException, KeyError, ValueError):  # it is away, or what answers there is no provider
        return _refuse_sign_in(request, provider_id)
    return target


def _is_set_up(provider_id: str) -> bool:
    configured = {PROVIDER: settings.OIDC_ISSUER, SLACK: settings.SLACK_SIGN_IN_CLIENT_ID}
    return bool(configured.get(provider_id))


@require_GET
@never_cache
def finish(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take the browser back from the provider, and let the person in whom it vouches for. 404 where none is set."""
    if not _is_set_up(provider_id):
        raise Http404
    try:
        response: HttpResponse = OAuth2CallbackView.adapter_view(_Provider(request, provider_id))(request)
    except (KeyError, ValueError):  # of what answers at the provider's addresses
        return _refuse_sign_in(request, provider_id)
    return response


def _refuse_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    try:
        refuse(request, "provider", with_slack=provider_id == SLACK)
    except ImmediateHttpResponse as back:
        response: HttpResponse = back.response
        return response
