"""Who calls: a person's token, or their session in the admin."""

from typing import Any

from drf_spectacular.contrib.knox_auth_token import KnoxTokenScheme
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class TokenAuthentication(KnoxTokenAuthentication):
    """Knox tokens in the header `Authorization: Token ...`."""

    def authenticate_credentials(self, token: bytes) -> Any:
        """The token's person. AuthenticationFailed for anything else; bytes that no token has are refused early."""
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)


class TokenScheme(KnoxTokenScheme):  # type: ignore[no-untyped-call]
    """How the OpenAPI schema describes it."""

    target_class = "adminsite.api.authentication.TokenAuthentication"
