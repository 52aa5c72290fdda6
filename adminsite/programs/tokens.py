"""The tokens of programs that signed in. By their beginning they are told from pasted ones, and found by scanners."""

import secrets
from typing import Any

ACCESS, REFRESH = "fnp_", "fnr_"
_BYTES = 32  # of randomness


def make_access_token(request: Any, refresh_token: bool = False) -> str:
    """Return a new access token. The arguments are oauthlib's."""
    return ACCESS + secrets.token_urlsafe(_BYTES)


def make_refresh_token(request: Any, refresh_token: bool = False) -> str:
    """Return a new refresh token. The arguments are oauthlib's."""
    return REFRESH + secrets.token_urlsafe(_BYTES)
