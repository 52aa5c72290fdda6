"""Sign in with Slack, as Slack's own addresses answer: https://docs.slack.dev/authentication/sign-in-with-slack/.

The addresses come first; below them are the codes and tokens, signed so that nothing is stored. A person agrees in a
browser that the local page let in, and in no other.
"""

import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.crypto import constant_time_compare, salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from jwt.algorithms import ECAlgorithm

from bot.slack.workspace import LOCAL_TEAM_ID
from core.models import User
from slack_emulator.accounts import find_person, find_slack_id
from slack_emulator.guard import limit_to_admitted, limit_to_this_machine
from slack_emulator.page.shown import shape_people
from slack_emulator.shapes import Json

KEY_ID = "local"
# Slack's is RS256: this one's key can be made from SECRET_KEY, and is the same in every process.
ALGORITHM = "ES256"
_CODE, _TOKEN = "slack_emulator.openid.code", "slack_emulator.openid.token"
_CODE_LIFE_S = 60
_TOKEN_LIFE_S = 300


@limit_to_this_machine
@require_GET
def describe(request: HttpRequest) -> JsonResponse:
    """Describe the endpoints, as https://slack.com/.well-known/openid-configuration does."""
    issuer = find_issuer()
    return JsonResponse(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{issuer}/openid/connect/authorize",
            "token_endpoint": f"{issuer}/api/openid.connect.token",
            "userinfo_endpoint": f"{issuer}/api/openid.connect.userInfo",
            "jwks_uri": f"{issuer}/openid/connect/keys",
            "scopes_supported": ["openid", "profile", "email"],
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
        }
    )


@limit_to_this_machine
@require_GET
def show_keys(request: HttpRequest) -> JsonResponse:
    """Show the keys by which a token's signature is checked."""
    return JsonResponse(shape_keys())


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
    agreed = Agreed(slack_user_id=request.POST["person"], nonce=asked.get("nonce", ""), redirect_uri=redirect_uri)
    return redirect(f"{redirect_uri}?{urlencode({'code': write_code(agreed), 'state': state})}")


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
    agreed = read_code(given.get("code", ""))
    person = find_person(agreed.slack_user_id) if agreed else None
    if agreed is None or person is None or agreed.redirect_uri != given.get("redirect_uri"):
        return JsonResponse({"ok": False, "error": "invalid_code"})
    return JsonResponse(
        {
            "ok": True,
            "access_token": write_access_token(agreed.slack_user_id),
            "token_type": "Bearer",
            "id_token": write_id_token(person, agreed.nonce),
        }
    )


@limit_to_this_machine
@require_GET
def show_user_info(request: HttpRequest) -> JsonResponse:
    """openid.connect.userInfo: who the token's person is."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    person = read_access_token(token) if scheme == "Bearer" else None
    if person is None:
        return JsonResponse({"ok": False, "error": "invalid_auth"})
    return JsonResponse({"ok": True, **shape_claims(person)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreed:
    """A person's consent."""

    slack_user_id: str
    nonce: str
    redirect_uri: str


def find_issuer() -> str:
    """Return the address by which the emulator is known as a provider."""
    return f"{settings.HERE}/local"


def write_code(agreed: Agreed) -> str:
    """Write the code that the browser takes back."""
    return signing.dumps([agreed.slack_user_id, agreed.nonce, agreed.redirect_uri], salt=_CODE)


def read_code(code: str) -> Agreed | None:
    """Redeem a code, once; None for one that is invalid, too old or used."""
    try:
        slack_user_id, nonce, redirect_uri = signing.loads(code, salt=_CODE, max_age=_CODE_LIFE_S)
    except signing.BadSignature:
        return None
    if not cache.add(f"{_CODE}/{salted_hmac(_CODE, code).hexdigest()}", 1, timeout=_CODE_LIFE_S):
        return None
    return Agreed(slack_user_id=slack_user_id, nonce=nonce, redirect_uri=redirect_uri)


def write_access_token(slack_user_id: str) -> str:
    """Write the token by which userInfo is asked."""
    return f"xoxp-{signing.dumps(slack_user_id, salt=_TOKEN)}"


def read_access_token(token: str) -> User | None:
    """Return the person of a token; None for an invalid one."""
    try:
        return find_person(signing.loads(token.removeprefix("xoxp-"), salt=_TOKEN, max_age=_TOKEN_LIFE_S))
    except signing.BadSignature:
        return None


def write_id_token(person: User, nonce: str) -> str:
    """Write the signed word of who somebody is."""
    now = int(time.time())
    claims = {
        **shape_claims(person),
        "iss": find_issuer(),
        "aud": settings.SLACK_SIGN_IN_CLIENT_ID,
        "iat": now,
        "exp": now + _TOKEN_LIFE_S,
        "nonce": nonce,
    }
    return jwt.encode(claims, _make_key(), algorithm=ALGORITHM, headers={"kid": KEY_ID})


def shape_claims(person: User) -> Json:
    """Build Slack's claims about a person."""
    slack_user_id = find_slack_id(person)
    return {
        "sub": slack_user_id,
        "https://slack.com/user_id": slack_user_id,
        "https://slack.com/team_id": LOCAL_TEAM_ID,
        "email": person.email,
        "email_verified": True,
        "name": person.display_name or person.email,
    }


def shape_keys() -> Json:
    """Shape the public half of the key, as a set of one."""
    public: dict[str, Any] = ECAlgorithm.to_jwk(_make_key().public_key(), as_dict=True)
    return {"keys": [{**public, "kid": KEY_ID, "alg": ALGORITHM, "use": "sig"}]}


def _make_key() -> ec.EllipticCurvePrivateKey:
    secret = salted_hmac("slack_emulator.openid.key", "key", algorithm="sha256").digest()
    return ec.derive_private_key(int.from_bytes(secret[:31]), ec.SECP256R1())
