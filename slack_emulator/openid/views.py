"""The addresses of Sign in with Slack. A person agrees in a browser that the local page let in, and in no other."""

from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from slack_emulator.accounts import find_person
from slack_emulator.guard import limit_to_admitted, limit_to_this_machine
from slack_emulator.openid import tokens
from slack_emulator.state import shape_people


@limit_to_this_machine
@require_GET
def describe(request: HttpRequest) -> JsonResponse:
    """Describe the endpoints, as https://slack.com/.well-known/openid-configuration does."""
    issuer = tokens.find_issuer()
    return JsonResponse(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/openid/connect/authorize",
            "token_endpoint": f"{issuer}/api/openid.connect.token",
            "userinfo_endpoint": f"{issuer}/api/openid.connect.userInfo",
            "jwks_uri": f"{issuer}/openid/connect/keys",
            "scopes_supported": ["openid", "profile", "email"],
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": [tokens.ALGORITHM],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        }
    )


@limit_to_this_machine
@require_GET
def show_keys(request: HttpRequest) -> JsonResponse:
    """The keys by which a token's signature is checked."""
    return JsonResponse(tokens.shape_keys())


@limit_to_admitted
@require_http_methods(["GET", "POST"])
@never_cache
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask as whom of the local page somebody signs in, and send the browser back with a code."""
    asked = request.GET
    redirect_uri, state = asked.get("redirect_uri", ""), asked.get("state", "")
    is_known = asked.get("client_id") == settings.SLACK_SIGN_IN_CLIENT_ID and asked.get("response_type") == "code"
    if not is_known or urlsplit(redirect_uri).netloc != request.get_host():
        return HttpResponse("invalid_client_id or bad_redirect_uri", status=400, content_type="text/plain")
    person = find_person(request.POST.get("person", "")) if request.method == "POST" else None
    if person is None:
        return render(request, "local/authorize.html", {"people": shape_people()})
    agreed = tokens.Agreed(
        slack_user_id=request.POST["person"], nonce=asked.get("nonce", ""), redirect_uri=redirect_uri
    )
    return redirect(f"{redirect_uri}?{urlencode({'code': tokens.write_code(agreed), 'state': state})}")


@csrf_exempt  # called by the web process with its secret, never by a browser
@limit_to_this_machine
@require_POST
def exchange_code(request: HttpRequest) -> JsonResponse:
    """openid.connect.token: a code for tokens; like Slack, a refusal is a normal response that says ok: false."""
    given = request.POST
    is_client = given.get("client_id") == settings.SLACK_SIGN_IN_CLIENT_ID and constant_time_compare(
        given.get("client_secret", ""), settings.SLACK_SIGN_IN_CLIENT_SECRET
    )
    if not is_client:
        return JsonResponse({"ok": False, "error": "bad_client_secret"})
    agreed = tokens.read_code(given.get("code", ""))
    person = find_person(agreed.slack_user_id) if agreed else None
    if agreed is None or person is None or agreed.redirect_uri != given.get("redirect_uri"):
        return JsonResponse({"ok": False, "error": "invalid_code"})
    return JsonResponse(
        {
            "ok": True,
            "access_token": tokens.write_access_token(agreed.slack_user_id),
            "token_type": "Bearer",
            "id_token": tokens.write_id_token(person, agreed.nonce),
        }
    )


@limit_to_this_machine
@require_GET
def show_user_info(request: HttpRequest) -> JsonResponse:
    """openid.connect.userInfo: who the token's person is."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    person = tokens.read_access_token(token) if scheme == "Bearer" else None
    if person is None:
        return JsonResponse({"ok": False, "error": "invalid_auth"})
    return JsonResponse({"ok": True, **tokens.shape_claims(person)})
