"""An application registered in Microsoft Entra: its client secret becomes tokens that last about an hour."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from core.errors import IngestionError, SourceError, SourceRefusedError
from core.library.ingestion.sources.web import Request, Response, send
from core.library.sync.connector import Access
from core.library.sync.services.answers import text


@dataclass(frozen=True, kw_only=True, slots=True)
class Cloud:
    """Holds the addresses of one of Microsoft's clouds."""

    login: str
    graph: str  # where Microsoft Graph is, without a version


# Microsoft's manual, "National cloud deployments" of Microsoft Graph.
CLOUDS: dict[str, Cloud] = {
    "global": Cloud(login="https://login.microsoftonline.com", graph="https://graph.microsoft.com"),
    "us_government": Cloud(login="https://login.microsoftonline.us", graph="https://graph.microsoft.us"),
    "us_defense": Cloud(login="https://login.microsoftonline.us", graph="https://dod-graph.microsoft.us"),
    "china": Cloud(login="https://login.chinacloudapi.cn", graph="https://microsoftgraph.chinacloudapi.cn"),
}

_MOST_MB = 1
_EARLIER = 300  # seconds before its end that a token is replaced: longer than one request with all its waiting
_LONGEST = 24 * 3600  # seconds that a token is taken to last, whatever is said of it
_BUSY = {429, 500, 502, 503, 504}
# Microsoft's manual, "Microsoft Entra authentication and authorization error codes".
_REASONS = {
    7000215: "The client secret is wrong. Enter its value, which Entra shows once, and not its ID.",
    7000222: "The client secret has expired. Make a new one in Entra and enter its value.",
    7000216: "The client secret is missing. Enter its value.",
    700016: "There is no application with this client ID in the tenant. Check both.",
    90002: "There is no such tenant in this cloud. Check the tenant and the cloud.",
    900023: "There is no such tenant in this cloud. Check the tenant and the cloud.",
    7000112: "The application is disabled in Entra.",
}


class Application:
    """An application that signs in by itself, without a person."""

    def __init__(self, *, cloud: Cloud, tenant: str, client_id: str, secret: str, access: Access) -> None:
        self._url = f"{cloud.login}/{quote(tenant, safe='')}/oauth2/v2.0/token"
        self._form = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": secret,
            "scope": f"{cloud.graph}/.default",
        }
        self._access = access
        self._token = ""
        self._good_until = float("-inf")  # by the monotonic clock

    def __repr__(self) -> str:
        """Say nothing of the secret."""
        return "Application()"

    def header(self) -> dict[str, str]:
        """Return the header with a token that is still good. SourceRefusedError when Entra gives none."""
        if time.monotonic() >= self._good_until:
            self._renew()
        return {"Authorization": f"Bearer {self._token}"}

    def _renew(self) -> None:
        self._access.pause()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        request = Request(url=self._url, method="POST", headers=headers, body=urlencode(self._form).encode())
        asked_at = time.monotonic()
        try:
            response = send(request, max_mb=_MOST_MB, policy=self._access.policy)
        except IngestionError as error:
            raise SourceError(f"Microsoft Entra cannot be reached. {error.message}") from error
        if response.status in _BUSY:
            raise SourceError("Microsoft Entra gives no token now. It is asked again later.")
        found = _read(response)
        if response.status != 200:
            raise SourceRefusedError(_find_reason(found))
        token = text(found, "access_token")
        if not token or not (token.isascii() and token.isprintable()) or " " in token:
            raise SourceError("Microsoft Entra does not answer as it should. Check the cloud.")
        self._token = token
        self._good_until = asked_at + _read_seconds(found.get("expires_in")) - _EARLIER


def _read(response: Response) -> Mapping[str, Any]:
    """Return the object that Entra answers; {} for anything else."""
    try:
        found = json.loads(response.content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_seconds(told: Any) -> float:
    """Return how long a token lasts; 0, so that the next request asks for another, where nothing of use is told."""
    try:
        return min(max(float(told), 0.0), _LONGEST)
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _find_reason(found: Mapping[str, Any]) -> str:
    """Say in our words why there is no token. What Entra says of it names the application and is not repeated."""
    codes = found.get("error_codes")
    for code in codes if isinstance(codes, list) else []:
        if isinstance(code, int) and code in _REASONS:
            return _REASONS[code]
    return "Microsoft Entra refuses the application. Check the tenant, the client ID and the client secret."
