"""The addresses that programs themselves ask: metadata, tokens, revocation and, where it is on, registration."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from oauth2_provider.models import AccessToken
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views import (
    DynamicClientRegistrationView,
    OAuthProtectedResourceMetadataView,
    OAuthServerMetadataView,
    RevokeTokenView,
    TokenView,
)

from adminsite.programs.allowances import may_ask_for_tokens, may_register, refuse_too_many
from adminsite.programs.bound_tokens import resource_of
from core.programs.documents import MOST_REDIRECT_URIS, may_be_redirected_to

_NOT_FOUND = 404
_CREATED = 201
_MANAGED = ("registration_access_token", "registration_client_uri")


class ResourceMetadata(OAuthProtectedResourceMetadataView):
    """RFC 9728. MCP is the one resource, whichever of its two addresses is asked."""

    def get_resource(self, request: HttpRequest) -> str:
        """Return the address of MCP."""
        return resource_of(request)


class ServerMetadata(OAuthServerMetadataView):
    """RFC 8414, as the library writes it of what is set up."""


class Tokens(TokenView):
    """A code or a refresh token, against new tokens."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Give tokens, or say why not."""
        if not may_ask_for_tokens(request):
            return refuse_too_many()
        if request.META["QUERY_STRING"]:
            return _refuse_query()
        if request.POST.get("grant_type") not in oauth2_settings.OAUTH2_GRANT_TYPES_SUPPORTED:
            told = {
                "error": "unsupported_grant_type",
                "error_description": "Codes and refresh tokens are redeemed here.",
            }
            return JsonResponse(told, status=400, headers={"Cache-Control": "no-store"})
        response: HttpResponse = self.authorization_flow_token_response(request)
        return response


class Revocation(RevokeTokenView):
    """RFC 7009: the program gives a token back, and with it the connection."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """End the connection of a token of the program's. A token that there is not is no error."""
        if not may_ask_for_tokens(request):
            return refuse_too_many()
        if request.META["QUERY_STRING"]:
            return _refuse_query()
        response: HttpResponse = super().post(request, *args, **kwargs)
        return response


def _refuse_query() -> JsonResponse:
    """Build the answer to parameters in the address, which is in logs (RFC 6749, section 2.3.1)."""
    told = {"error": "invalid_request", "error_description": "Send the parameters as a form, not in the address."}
    return JsonResponse(told, status=400, headers={"Cache-Control": "no-store"})


@method_decorator(csrf_exempt, name="dispatch")
class Registration(DynamicClientRegistrationView):
    """RFC 7591, for programs without a document of their own. Whatever they ask for, they become public clients."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer where registration is on; elsewhere there is nothing."""
        if not settings.MCP_REGISTRATION:
            return HttpResponse(status=_NOT_FOUND)
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Register a program."""
        if not may_register(request):
            return refuse_too_many()
        try:
            asked = json.loads(request.body)
        except ValueError:
            asked = None
        if isinstance(asked, dict):
            if fault := _find_fault(asked):
                return JsonResponse({"error": "invalid_redirect_uri", "error_description": fault}, status=400)
            granted = {
                "client_name": str(asked.get("client_name", ""))[:100],
                "redirect_uris": asked["redirect_uris"],
                "grant_types": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_method": "none",
            }
            request._body = json.dumps(granted).encode()  # where Django keeps it
        response: HttpResponse = super().post(request, *args, **kwargs)
        return _without_management(response) if response.status_code == _CREATED else response


def _find_fault(asked: dict[str, Any]) -> str:
    named = asked.get("redirect_uris")
    if not isinstance(named, list) or not named or len(named) > MOST_REDIRECT_URIS:
        return f"redirect_uris must be a list of 1 to {MOST_REDIRECT_URIS} addresses."
    if not all(isinstance(uri, str) and may_be_redirected_to(uri) for uri in named):
        return "Each of redirect_uris must be an address with https, or on the person's own machine."
    return ""


def _without_management(response: HttpResponse) -> HttpResponse:
    """Take away the library's token for changing a registration later: a program registers anew instead."""
    told = json.loads(response.content)
    AccessToken.objects.filter(application__client_id=told["client_id"], user=None).delete()
    kept = {name: value for name, value in told.items() if name not in _MANAGED}
    return JsonResponse(kept, status=_CREATED, headers={"Cache-Control": "no-store"})


def no_management(request: HttpRequest, client_id: str) -> HttpResponse:
    """Answer that there is nothing: the library names this address (RFC 7592) when it registers a program."""
    return HttpResponse(status=_NOT_FOUND)
