"""Metadata that programs read before they sign in: of the resource, and of the server that gives tokens for it."""

from django.http import HttpRequest
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from adminsite.programs.resource import resource_of


class ResourceMetadata(OAuthProtectedResourceMetadataView):
    """RFC 9728. MCP is the one resource, whichever of its two addresses is asked."""

    def get_resource(self, request: HttpRequest) -> str:
        """Return the address of MCP."""
        return resource_of(request)


class ServerMetadata(OAuthServerMetadataView):
    """RFC 8414, as the library writes it of what is set up."""
