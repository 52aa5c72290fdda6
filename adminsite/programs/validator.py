"""The validator of codes, tokens and programs, where it is narrower than django-oauth-toolkit's own.

Before it comes the backend that passes requests on to oauthlib: codes as their digests, resources in their one form.
"""

import datetime as dt
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, RefreshToken
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.common import Request
from oauthlib.oauth2.rfc6749 import errors

from adminsite.programs.bound_tokens import fold_resource
from adminsite.programs.client_documents import is_consent
from core.models import ConnectedProgram
from core.programs import connections
from core.programs.connections import Ending, digest_of
from core.programs.documents import may_be_redirected_to

NUL = "\0"
STALE = dt.timedelta(days=1)
_NONE = dt.timedelta(0)
ENDED = "The connection has ended. Connect the program again."


class Backend(OAuthLibCore):
    """The library's own, but an authorization code is its digest from here on, and so in the database."""

    def extract_body(self, request: HttpRequest) -> list[tuple[str, Any]]:
        """Return the parameters of a form."""
        folded = {"code": digest_of, "resource": fold_resource}
        return [(name, folded.get(name, str)(value)) for name, value in super().extract_body(request)]


class _CodeReusedError(errors.InvalidGrantError):
    """Two requests redeemed one code at the same moment."""


class Validator(OAuth2Validator):
    """The library's, with connections around its tokens, exact redirects and codes that detect their second use.

    Codes come as their digests: see Backend.
    """

    def _load_application(self, client_id: str, request: Request) -> Application | None:
        """Return a program. None for one whose document has been due for too long and cannot be fetched or used.

        The library goes on with the document as it was, without an end. Nobody consents to what cannot be looked at;
        what runs already may go on for a day, in which somebody can mend the program's server.
        """
        if NUL in (client_id or ""):  # which no text in the database holds
            return None
        application: Application | None = super()._load_application(client_id, request)
        due = application.cimd_expires_at if application else None
        if due is not None and due + (_NONE if is_consent(request) else STALE) <= timezone.now():
            request.client = None
            return None
        return application

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kw: Any) -> bool:
        """Tell whether a code may be sent there: as the program names it, over https or to the person's own machine."""
        return may_be_redirected_to(redirect_uri) and bool(
            super().validate_redirect_uri(client_id, redirect_uri, request, *args, **kw)
        )

    def get_default_redirect_uri(self, client_id: str, request: Request, *args: Any, **kw: Any) -> None:
        """Return none: a program says where it is waiting."""
        return

    def _create_authorization_code(self, request: Request, code: dict[str, str], expires: Any = None) -> Any:
        """Keep the digest of a code, and the connection that it begins."""
        digest = digest_of(code["code"])
        request.nonce = ""  # of OpenID Connect, which is off
        with transaction.atomic():
            grant = super()._create_authorization_code(request, {**code, "code": digest}, expires)
            connections.begin(
                request.user, request.client, scopes=request.scopes, code_digest=digest, asks_for=request.asks_for
            )
        return grant

    def validate_code(self, client_id: str, code: str, client: Any, request: Request, *args: Any, **kw: Any) -> bool:
        """Tell whether a code may be redeemed. InvalidGrantError, in words, for one that was, or that is too old."""
        if not super().validate_code(client_id, code, client, request, *args, **kw):
            used = ConnectedProgram.objects.filter(code_digest=code, client_id=client.client_id).first()
            if used and used.token_family:
                connections.end(used, Ending.CODE_REUSED)
                raise errors.InvalidGrantError("This code was used before, so that the connection was ended.")
            raise errors.InvalidGrantError("There is no such code, or it has expired. Begin again.")
        if not request.user.is_active:
            raise errors.InvalidGrantError(ENDED)
        return True

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request, *args: Any, **kw: Any) -> None:
        """Use a code up. InvalidGrantError where another request has ended the connection since it was redeemed."""
        try:
            super().invalidate_authorization_code(client_id, code, request, *args, **kw)
        except errors.InvalidGrantError:
            raise errors.InvalidGrantError(ENDED) from None

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Any, request: Request, *args: Any, **kw: Any
    ) -> bool:
        """Tell whether this is where the code was sent. InvalidGrantError where the program no longer names it."""
        if not super().confirm_redirect_uri(client_id, code, redirect_uri, client, request, *args, **kw):
            return False
        if not client.redirect_uri_allowed(redirect_uri):
            raise errors.InvalidGrantError("The program's document no longer names this redirect_uri.")
        return True

    def save_bearer_token(self, token: dict[str, Any], request: Request, *args: Any, **kw: Any) -> Any:
        """Keep new tokens. InvalidGrantError for the second of two requests with one code or refresh token."""
        try:
            return super().save_bearer_token(token, request, *args, **kw)
        except _CodeReusedError:
            used = ConnectedProgram.objects.filter(code_digest=request.code).first()
            if used:
                connections.end(used, Ending.CODE_REUSED)
            raise

    def _save_bearer_token(self, token: dict[str, Any], request: Request, *args: Any, **kw: Any) -> None:
        if request.grant_type == "refresh_token":
            self._lock_refresh_token(request)
            super()._save_bearer_token(token, request, *args, **kw)
            return
        rows = ConnectedProgram.objects.select_for_update().filter(code_digest=request.code, user=request.user)
        connection = rows.first()
        if connection is None:
            raise errors.InvalidGrantError(ENDED, request=request)
        if connection.token_family is not None:
            raise _CodeReusedError("This code was used before, so that the connection was ended.", request=request)
        super()._save_bearer_token(token, request, *args, **kw)
        kept = RefreshToken.objects.get(token_checksum=digest_of(token["refresh_token"]))
        connection.token_family = kept.token_family
        connection.save(update_fields=["token_family"])

    def _lock_refresh_token(self, request: Request) -> None:
        """Wait for whoever refreshes with the same token. InvalidGrantError where it is used up then."""
        kept = RefreshToken.objects.select_for_update().get(pk=request.refresh_token_instance.pk)
        if kept.revoked is not None:
            raise errors.InvalidGrantError("This refresh token was replaced by another one.", request=request)

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Request, *args: Any, **kw: Any) -> bool:
        """Tell whether a token may be refreshed. One that was used before ends its connection."""
        checksum = digest_of(refresh_token)
        kept = RefreshToken.objects.filter(token_checksum=checksum, application=client).order_by("-created").first()
        if kept is None:  # another program's, too: nothing of that one's changes
            raise errors.InvalidGrantError("There is no such refresh token.")
        connection = connections.find_live(kept.token_family)
        if connection is None:
            raise errors.InvalidGrantError(ENDED)
        is_usable: bool = super().validate_refresh_token(refresh_token, client, request, *args, **kw)
        if kept.revoked is not None:
            connections.end(connection, Ending.REFRESH_REUSED)
            raise errors.InvalidGrantError("This refresh token was used before, so that the connection was ended.")
        return is_usable

    def revoke_token(self, token: str, token_type_hint: str, request: Request, *args: Any, **kw: Any) -> None:
        """End the connection of a token, an access token's too: that is what a person means who signs out of one."""
        of_client = {"token_checksum": digest_of(token), "application_id": getattr(request.client, "pk", None)}
        families = [
            *RefreshToken.objects.filter(**of_client).values_list("token_family", flat=True),
            *AccessToken.objects.filter(**of_client).values_list("refresh_token__token_family", flat=True),
        ]
        for connection in ConnectedProgram.objects.filter(token_family__in=[one for one in families if one]):
            connections.end(connection, Ending.PROGRAM)
