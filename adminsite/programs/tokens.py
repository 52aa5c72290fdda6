"""Make the tokens of programs that signed in.

Their prefix distinguishes them from pasted ones, and lets scanners find them.
"""

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
