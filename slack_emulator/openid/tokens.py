"""The codes and tokens of Sign in with Slack: signed, so that nothing is stored."""

import time
from dataclasses import dataclass
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.utils.crypto import salted_hmac
from jwt.algorithms import ECAlgorithm

from bot.slack.workspace import LOCAL_TEAM_ID
from core.models import User
from slack_emulator.accounts import find_person, find_slack_id
from slack_emulator.shapes import Json

KEY_ID = "local"
# Slack's is RS256: this one's key can be made from SECRET_KEY, and is the same in every process.
ALGORITHM = "ES256"
_CODE, _TOKEN = "slack_emulator.openid.code", "slack_emulator.openid.token"
_CODE_LIFE_S = 60
_TOKEN_LIFE_S = 300


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreed:
    """A person's consent."""

    slack_user_id: str
    nonce: str
    redirect_uri: str


def find_issuer() -> str:
    """The address by which the emulator is known as a provider."""
    return f"{settings.HERE}/local"


def write_code(agreed: Agreed) -> str:
    """The code that the browser takes back."""
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
    """The token by which userInfo is asked."""
    return f"xoxp-{signing.dumps(slack_user_id, salt=_TOKEN)}"


def read_access_token(token: str) -> User | None:
    """Return the person of a token; None for an invalid one."""
    try:
        return find_person(signing.loads(token.removeprefix("xoxp-"), salt=_TOKEN, max_age=_TOKEN_LIFE_S))
    except signing.BadSignature:
        return None


def write_id_token(person: User, nonce: str) -> str:
    """The signed word of who somebody is."""
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
    """The public half of the key, as a set of one."""
    public: dict[str, Any] = ECAlgorithm.to_jwk(_make_key().public_key(), as_dict=True)
    return {"keys": [{**public, "kid": KEY_ID, "alg": ALGORITHM, "use": "sig"}]}


def _make_key() -> ec.EllipticCurvePrivateKey:
    secret = salted_hmac("slack_emulator.openid.key", "key", algorithm="sha256").digest()
    return ec.derive_private_key(int.from_bytes(secret[:31]), ec.SECP256R1())
