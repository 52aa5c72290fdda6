"""The backend that passes requests on to oauthlib: codes as their digests, resources in their one form."""

from typing import Any

from django.http import HttpRequest
from oauth2_provider.oauth2_backends import OAuthLibCore

from adminsite.programs.resource import fold_resource
from core.programs.connected.connections import digest_of


class Backend(OAuthLibCore):
    """The library's own, but an authorization code is its digest from here on, and so in the database."""

    def extract_body(self, request: HttpRequest) -> list[tuple[str, Any]]:
        """Return the parameters of a form."""
        folded = {"code": digest_of, "resource": fold_resource}
        return [(name, folded.get(name, str)(value)) for name, value in super().extract_body(request)]
