"""A service account of Google: its key becomes tokens that last an hour."""

import json
from collections.abc import Mapping
from typing import Any

from core.errors import FootnoteError, IngestionError, SourceError, SourceRefusedError
from core.library.ingestion.sources.web import Request, send
from core.library.sync.connector import Access

_MOST_MB = 1
_NO_KEY = "There is no key of a service account. Enter the whole text of the JSON file that Google made for it."


class ServiceAccount:
    """A Google service account that provides access tokens."""

    def __init__(self, key: str, access: Access, *, scope: str) -> None:
        """key: the JSON file that Google made for the account. SourceRefusedError when it is none."""
        from google.auth.exceptions import GoogleAuthError
        from google.oauth2.service_account import Credentials

        self._access = access
        try:
            read: Any = Credentials.from_service_account_info  # without types of its own
            self._credentials = read(json.loads(key), scopes=[scope])
        except (ValueError, KeyError, TypeError, AttributeError, GoogleAuthError):
            raise SourceRefusedError(_NO_KEY) from None  # what is wrong with it may quote it

    def header(self) -> dict[str, str]:
        """Return the header with a token that is still good. SourceRefusedError when Google gives none."""
        if not self._credentials.valid:
            self._refresh_token()
        return {"Authorization": f"Bearer {self._credentials.token}"}

    def _refresh_token(self) -> None:
        from google.auth.exceptions import RefreshError, TransportError

        try:
            self._credentials.refresh(self._send_token_request)
        except FootnoteError:
            raise
        except RefreshError as error:
            if error.retryable:
                raise SourceError("Google gives no token now. It is asked again later.") from None
            raise SourceRefusedError("Google refuses the key of the service account. Make a new one.") from None
        except TransportError:
            raise SourceError("Google cannot be reached.") from None

    def _send_token_request(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> "_Answer":
        """Send a token request on behalf of google-auth, which calls this."""
        self._access.pause()
        request = Request(url=url, method=method, headers=dict(headers or {}), body=body or b"")
        try:
            response = send(request, max_mb=_MOST_MB, policy=self._access.policy)
        except IngestionError as error:
            raise SourceError(f"Google cannot be reached. {error.message}") from error
        return _Answer(response.status, response.headers, response.content)


class _Answer:
    """An answer in the form of google-auth."""

    def __init__(self, status: int, headers: Mapping[str, str], data: bytes) -> None:
        self.status = status
        self.headers = headers
        self.data = data
