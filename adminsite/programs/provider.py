"""The settings of django-oauth-toolkit: authorization codes of public clients with PKCE, and nothing else."""

from typing import Any

from core.values.sizes import KILOBYTE

ACCESS_TOKEN_S = 60 * 60  # seconds that an access token works
CODE_S = 60  # seconds that an authorization code works; RFC 6749, section 4.1.2, has ten minutes at most
# The draft of client ID metadata documents, section 6.6, recommends 5 KB.
MOST_BYTES = 5 * KILOBYTE
KEPT_S = (5 * 60, 24 * 60 * 60)  # the least and the most seconds that a program's document is not fetched anew
BACKOFF_S = 60  # seconds after which a document that could not be used is asked for again
_DAY_S = 24 * 60 * 60


def provider_settings(*, public_url: str, connection_days: int, registration: bool) -> dict[str, Any]:
    """Return the setting OAUTH2_PROVIDER.

    public_url: where people reach the web process; empty: as the request says. connection_days: how long a connection
    lasts. registration: whether programs may register (RFC 7591).
    """
    base = public_url.rstrip("/")
    return {
        "SCOPES": {"ask": "ask questions, search and read passages"},
        "DEFAULT_SCOPES": ["ask"],
        "OIDC_ISS_ENDPOINT": base,  # which names the issuer, though OpenID Connect is off
        "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": f"{base}/mcp" if base else "",
        "OAUTH2_PROTECTED_RESOURCE_NAME": "Footnote",
        "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
        "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
        "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none"],
        "OAUTH2_VALIDATOR_CLASS": "adminsite.programs.validator.Validator",
        "OAUTH2_BACKEND_CLASS": "adminsite.programs.validator.Backend",
        "ACCESS_TOKEN_GENERATOR": "adminsite.programs.bound_tokens.make_access_token",
        "REFRESH_TOKEN_GENERATOR": "adminsite.programs.bound_tokens.make_refresh_token",
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": CODE_S,
        "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_S,
        "REFRESH_TOKEN_EXPIRE_SECONDS": connection_days * _DAY_S,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http"],  # http for loopback alone: see the validator
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
        "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
        "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": "adminsite.programs.client_documents.Fetcher",
        "CIMD_REGISTRATION_PERMISSION_CLASSES": ["adminsite.programs.client_documents.OnlyWhereSomebodyConsents"],
        "CIMD_MAX_DOCUMENT_SIZE": MOST_BYTES,
        "CIMD_METADATA_MIN_AGE_SECONDS": KEPT_S[0],
        "CIMD_METADATA_MAX_AGE_SECONDS": KEPT_S[1],
        "CIMD_FAILURE_BACKOFF_SECONDS": BACKOFF_S,
        "DCR_ENABLED": registration,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ["oauth2_provider.dcr.AllowAllDCRPermission"],
    }
