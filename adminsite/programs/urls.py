"""The addresses at which programs sign in, and people find those that they have connected."""

from django.urls import include, path

from adminsite.programs import endpoints, own_page
from adminsite.programs.consent import Consent
from adminsite.programs.endpoints import ResourceMetadata, ServerMetadata

# The names are those under which django-oauth-toolkit looks for them.
_provider = [
    path(".well-known/oauth-protected-resource", ResourceMetadata.as_view(), name="oauth-resource-metadata"),
    path(".well-known/oauth-protected-resource/mcp", ResourceMetadata.as_view(), name="oauth-resource-metadata-path"),
    path(".well-known/oauth-authorization-server", ServerMetadata.as_view(), name="oauth-server-metadata"),
    path("oauth/authorize", Consent.as_view(), name="authorize"),
    path("oauth/token", endpoints.Tokens.as_view(), name="token"),
    path("oauth/revoke", endpoints.Revocation.as_view(), name="revoke-token"),
    path("oauth/register", endpoints.Registration.as_view(), name="dcr-register"),
    path("oauth/register/<str:client_id>", endpoints.no_management, name="dcr-register-management"),
]

urlpatterns = [
    path("", include((_provider, "oauth2_provider"))),
    path("programs/", own_page.list_programs, name="own-programs"),
    path("programs/<uuid:pk>/disconnect/", own_page.disconnect, name="own-program-disconnect"),
]
